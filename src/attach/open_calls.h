/*
 * The calls of patched functions that are open as a process is attached to: those on its threads' stacks. A stack is
 * walked by the unwind tables of the process's files. Since return addresses will be replaced, a thread's calls count
 * only where the walk gets to the outermost function.
 */
#ifndef RV_ATTACH_OPEN_CALLS_H
#define RV_ATTACH_OPEN_CALLS_H

#include "attach/ptrace.h"
#include "attach/threads_in_jumps.h"

struct rv_open_calls {
    struct rv_open_calls_file *files; /* mapped into the process */
    size_t n_files, capacity;
    uint64_t *lists; /* for each stopped thread, in their order, where in the process its list is; 0: there is none */
};

/* Map the files of a process, before it is stopped. What cannot be read is left out. To be ended in any case. */
void rv_open_calls_begin(struct rv_open_calls *open, pid_t pid);
void rv_open_calls_end(struct rv_open_calls *open);

/*
 * Find the calls of all stopped threads, and write them into the process.
 *   room  address of RV_ATTACHMENT_CALLS struct rv_attachment_call in the process
 */
void rv_open_calls_find(struct rv_open_calls *open, const struct rv_ptrace *tracee, const struct rv_jump_sites *sites,
                        uint64_t room);

#endif
