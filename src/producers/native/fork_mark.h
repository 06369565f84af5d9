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

#include "producers/native/visibility.h"

#define RV_WIPED_BYTES 4096

enum rv_fork_mark { RV_FORK_MARK_THREAD, RV_FORK_MARK_WAITS, RV_FORK_MARK_FILES, RV_FORK_MARK_COUNT };

struct rv_wiped { /* [atomic] */
    intptr_t gate;
    uint32_t marks[RV_FORK_MARK_COUNT];
} __attribute__((aligned(RV_WIPED_BYTES)));
RV_HIDDEN extern struct rv_wiped rv_wiped;

/* The mark is not this process's. Any thread or signal handler. */
RV_HIDDEN bool rv_fork_mark_is_gone(enum rv_fork_mark mark);

/* Makes it this process's. False: another thread has done so before. */
RV_HIDDEN bool rv_fork_mark_set(enum rv_fork_mark mark);

#endif
