/*
 * Whether the process is a forked child that has not been dealt with yet, however it was forked, and whatever its pid:
 * a child may have the pid of its parent in another PID namespace. A subject that has something to do in a child has a
 * mark.
 *
 * The marks are in a page that the kernel wipes in a forked child, with the word that hooks look at first (process.h).
 */
#ifndef RV_PRODUCERS_NATIVE_FORK_MARK_H
#define RV_PRODUCERS_NATIVE_FORK_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/own_syscalls.h"
#include "producers/native/visibility.h"

#define RV_WIPED_BYTES 4096

enum rv_fork_mark { RV_FORK_MARK_THREAD, RV_FORK_MARK_WAITS, RV_FORK_MARK_FILES, RV_FORK_MARK_COUNT };

struct rv_wiped { /* [atomic] */
    intptr_t gate;
    uint32_t marks[RV_FORK_MARK_COUNT];
} __attribute__((aligned(RV_WIPED_BYTES)));
RV_HIDDEN extern struct rv_wiped rv_wiped;

RV_HIDDEN extern bool rv_fork_marks_are_wiped; /* in a child; else they are as in its parent */

/* What a mark of this process is. */
static inline uint32_t rv_fork_mark_own(void)
{
    return rv_fork_marks_are_wiped ? 1 : (uint32_t)rv_os_own_pid();
}

/* The mark is not this process's. Any thread or signal handler. */
static inline bool rv_fork_mark_is_gone(enum rv_fork_mark mark)
{
    return __atomic_load_n(&rv_wiped.marks[mark], __ATOMIC_RELAXED) != rv_fork_mark_own();
}

/* Makes it this process's. False: another thread has done so before. */
RV_HIDDEN bool rv_fork_mark_set(enum rv_fork_mark mark);

#endif
