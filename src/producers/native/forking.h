/* Forks of a traced process: what must not happen meanwhile, and what a child does before its first event. */
#ifndef RV_PRODUCERS_NATIVE_FORKING_H
#define RV_PRODUCERS_NATIVE_FORKING_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/native/fork_mark.h"
#include "producers/native/visibility.h"

/* Once, before threads start: fork's handlers. */
RV_HIDDEN void rv_forking_start(void);

/* Call this in each forked child, before its first event: for what a thread held that the child has not. Three times at
 * most, by constructors. */
RV_HIDDEN void rv_forking_on_child(void (*reset)(void));

/* Is the thread between our fork handlers, with the process lock held? */
RV_HIDDEN bool rv_forking_is_under_way(void);

/*
 * Around a call of the kernel's own that makes a child without fork handlers: does the same as our handlers do. The end
 * is called in the child and in the parent, also where no child could be made.
 */
RV_HIDDEN void rv_forking_begin(void);
RV_HIDDEN void rv_forking_end(void);

RV_HIDDEN extern bool rv_forking_has_mark; /* this process or, as it was forked, its parent */

/* Is this a forked child, however it was made, which still has its parent's state? */
static inline bool rv_forking_is_child(void)
{
    return rv_forking_has_mark && rv_fork_mark_is_gone(RV_FORK_MARK_THREAD);
}

/* In such a child: gives it a process entry of its own, and leaves rings to the parent. */
RV_HIDDEN void rv_forking_restart(bool is_push_under_way);

/* A push in the parent, between our fork handlers: the process lock is held, so that no ring can be claimed. As
 * rv_push_outer(). */
RV_HIDDEN void rv_forking_push(uint64_t stack, uint64_t kind, uint64_t word);

#endif
