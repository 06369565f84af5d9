/* Between the bytes of a jump that is about to be written: no thread may go on there. */
#ifndef RV_ATTACH_THREADS_IN_JUMPS_H
#define RV_ATTACH_THREADS_IN_JUMPS_H

#include "attach/ptrace.h"
#include "ring/attachment.h"

struct rv_jump_sites {
    struct rv_jump_sites_object {
        struct rv_patch_site *sites; /* by rising address */
        uint64_t address;            /* in the process */
        size_t n;
    } objects[RV_ATTACHMENT_OBJECTS];
    size_t n_objects;
    uint32_t n_changes;   /* the process's count of changes when the sites were read */
    uint64_t first, last; /* all sites begin between them */
    bool has_islands;     /* some are islands: a thread may be about to go on at one that is to be removed */
};

/* Where the process says that its sites are. 0, or -EFAULT; to be ended in any case. */
int rv_jump_sites_begin(struct rv_jump_sites *sites, const struct rv_ptrace *tracee,
                        const struct rv_attachment *attachment);
void rv_jump_sites_end(struct rv_jump_sites *sites);

/*
 * Step all threads, which are stopped, out of these places, and leave out the functions into which a signal's frame on
 * a stack goes back: these, and no others.
 *   returns  0; -EAGAIN: release all and try again; -EFAULT, -ESRCH
 */
int rv_jump_sites_clear(struct rv_jump_sites *sites, struct rv_ptrace *tracee);

#endif
