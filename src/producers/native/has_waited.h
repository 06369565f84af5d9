/* Whether the calling thread has waited. */
#ifndef RV_PRODUCERS_NATIVE_HAS_WAITED_H
#define RV_PRODUCERS_NATIVE_HAS_WAITED_H

#include <stdbool.h>

#include "producers/native/visibility.h"

/*
 * May the thread have given the CPU away by itself since the last such question and the last wait that was noted? If
 * not, a long call has worked, or was preempted. False in a confined process. Async-signal-safe, as are the others;
 * keeps errno.
 */
RV_HIDDEN bool rv_has_waited(void);

/* The thread has waited in a way that is known. The kernel is asked when a call begins that may wait, too. */
RV_HIDDEN extern RV_THREAD_LOCAL bool rv_has_waited_before;

static inline void rv_has_waited_note(void)
{
    rv_has_waited_before = true;
}

/* Such a call begins. */
static inline void rv_has_waited_begin(void)
{
    if (__builtin_expect(rv_has_waited_before, 0))
        (void)rv_has_waited();
}

#endif
