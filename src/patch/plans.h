/*
 * Which functions images have, found once for all processes that run them: memory that one process writes, and others map
 * read-only. The kernel refuses it to all but the writer (memfd_create(2), F_SEAL_FUTURE_WRITE), so that no traced process
 * can have jumps written into another.
 *
 * Orderings: P1 -> P2  a plan is complete before it is counted
 */
#ifndef RV_PATCH_PLANS_H
#define RV_PATCH_PLANS_H

#include <sys/stat.h>

#include "patch/functions.h"

#define RV_PATCH_PLANS "RINGVIZ_PLANS" /* environment: where they are */
#define RV_PATCH_PLANS_PLACE_BYTES 80u

struct rv_patch_plans; /* opaque */

struct rv_patch_plan_key { /* tells an image's file, in this state, from all others */
    uint64_t device, inode, n_bytes, modified_ns, changed_ns;
    uint64_t shape; /* hash of its segments and tables: the file may have changed since the image was loaded */
};

/* The key of an image that was loaded from that file. */
void rv_patch_plan_key(struct rv_patch_plan_key *key, const struct stat *file, const struct rv_patch_image *image);

/* To be closed by rv_patch_plans_close(). place: what others open them by, while this process lives. NULL: the kernel has no
 * such memory. */
struct rv_patch_plans *rv_patch_plans_create(char place[RV_PATCH_PLANS_PLACE_BYTES]);

/* Those of another process, read-only; NULL: they are not there. */
struct rv_patch_plans *rv_patch_plans_open(const char *place);

void rv_patch_plans_close(struct rv_patch_plans *plans); /* NULL is fine */

/* By the process that has created them, one thread at a time. Returns 0 or -ENOSPC. */
int rv_patch_plans_add(struct rv_patch_plans *plans, const struct rv_patch_plan_key *key,
                       const struct rv_patch_functions *all, uint64_t bias);

/* As rv_patch_functions_find() has found them; -ENOENT: there is no plan; -ENOMEM. */
int rv_patch_plans_find(const struct rv_patch_plans *plans, const struct rv_patch_plan_key *key, uint64_t bias,
                        struct rv_patch_functions *all);

#endif
