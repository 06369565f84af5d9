/*
 * Copies of programs' files with all jumps in place, in the cache (base/private_cache.h): the code of a later process
 * is mapped from there. To write jumps to 40,000 functions has the kernel make as many thousand pages for one process
 * alone.
 *
 * A copy is for one state of a program (plan_file.h), certain jumps in place of certain bytes, and until the machine is
 * started anew: it is never waited for to reach the disk.
 */
#ifndef RV_PATCH_PATCHED_COPIES_H
#define RV_PATCH_PATCHED_COPIES_H

#include "patch/plan_key.h"
#include "patch/site.h"

struct rv_patch_copy {
    const char *folder, *path; /* of the cache; of the program */
    const struct stat *file;   /* state of the program's file */
    const struct rv_patch_plan_key *key;
    const struct rv_patch_image *image;
    const struct rv_patch_site *sites; /* all of them, in any order */
    size_t n_sites;
};

/* A number for what is written in place of what: other jumps have another copy. */
uint64_t rv_patch_copy_jumps(const struct rv_patch_copy *copy);

/*
 * Open the copy with those jumps; of `copy`, no sites are read.
 *   returns  its descriptor: to be mapped in place of code, privately, at the segments' own offsets. -ENOENT: there is
 *            none; -EPERM: the cache is not believed, or is on a network; -EBADMSG: it is not what the image was loaded
 *            from, or the code in memory was changed, or may have been; another negative errno
 *   thread   any
 */
int rv_patch_copy_find(const struct rv_patch_copy *copy, uint64_t jumps);

/*
 * Open the copy, and write it before where there is none.
 *   returns  as above; -ENOENT: too little is to be written; -E2BIG: the file is too large
 *   thread   any; allocates
 */
int rv_patch_copy_open(const struct rv_patch_copy *copy);

#endif
