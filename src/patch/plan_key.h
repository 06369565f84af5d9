/* What tells a program from all others, in what is kept of it for later processes (base/private_cache.h). */
#ifndef RV_PATCH_PLAN_KEY_H
#define RV_PATCH_PLAN_KEY_H

#include <sys/stat.h>

#include "patch/image.h"

struct rv_patch_file_state { /* a file, in this state */
    uint64_t device, inode, n_bytes, modified_ns, changed_ns;
};

struct rv_patch_plan_key { /* of an image's file */
    struct rv_patch_file_state file;
    uint64_t shape;   /* hash of its segments' places and index of functions: the file may have changed since */
    uint64_t planner; /* hash of the state of the planner's file: others may find other functions */
};

struct rv_patch_file_state rv_patch_file_state(const struct stat *file);

/* The key of an image that was loaded from that file. planner: path of the planner's file. */
void rv_patch_plan_key(struct rv_patch_plan_key *key, const char *planner, const struct stat *file,
                       const struct rv_patch_image *image);

#endif
