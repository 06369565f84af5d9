/*
 * When the kernel runs the threads of a command, or of a process: the context switches that perf_event_open(2) reports
 * to an ordinary user, also of every thread and child that they start.
 *
 * One ring buffer of the kernel for each CPU. Records of a thread are sorted over all of them, since it may block on
 * one CPU and run on another.
 */
#ifndef RV_SOURCE_CONTEXT_SWITCHES_H
#define RV_SOURCE_CONTEXT_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "ringviz/wire.h"
#include "source/source.h"
#include "stream/silent_threads.h"

struct rv_context_switches; /* opaque */

/*
 * Report the switches of each program that the calling thread, or a child of it, starts from now on by fork and exec.
 *   returns  NULL with *error a negative errno: -EACCES where the system does not allow it (perf_event_paranoid),
 *            -ENOSYS where the kernel lacks it; nothing is printed
 */
struct rv_context_switches *rv_context_switches_open(int *error);

/*
 * Report the switches of a process's first thread from now on, those of the others with the next readings.
 *   returns  NULL with *error as above, or -ESRCH
 */
struct rv_context_switches *rv_context_switches_open_process(pid_t pid, int *error);

/* And those of another process's threads, with the next readings, of which the first is still to come. */
void rv_context_switches_add_process(struct rv_context_switches *switches, pid_t pid);

/* Report who wakes the threads, too. Returns 0, or a negative errno as rv_perf_buffers_add_wakes(): they are not
 * reported. */
int rv_context_switches_add_wakes(struct rv_context_switches *switches);
bool rv_context_switches_has_wakes(const struct rv_context_switches *switches);

/* Are there threads of the process left for the next readings? Drain thread. */
bool rv_context_switches_is_opening(const struct rv_context_switches *switches);

/* 0, or why threads of the process are missing: -EMFILE, since each takes as many descriptors as there are CPUs. */
int rv_context_switches_error(const struct rv_context_switches *switches);

/* Are some threads of this process missing? */
bool rv_context_switches_refuse(const struct rv_context_switches *switches, pid_t pid);

/* NULL-safe. */
void rv_context_switches_close(struct rv_context_switches *switches);

/* Read all records that the kernel has written, in ticks of the clock. Costs the clock and two loads
 * per CPU when there is none. Returns the ticks of this moment. Drain thread, as are the following. */
uint64_t rv_context_switches_read(struct rv_context_switches *switches, const struct rv_clock *clock);

/* How full the fullest of the kernel's buffers was then. */
unsigned rv_context_switches_percent_full(const struct rv_context_switches *switches);

/*
 * The thread's switches belong to this owner from now on (a ring, from 1; born: when its program began, after any
 * exec), those before its next exec. Another owner that was born later keeps them. The switches of a thread without an
 * owner are kept for a second, or, after a pause of the readings, those of the pause for a second from its end.
 */
void rv_context_switches_claim(struct rv_context_switches *switches, uint32_t tid, uint32_t owner, uint64_t born_ticks);

/* Who has claimed the thread; 0: nobody. */
uint32_t rv_context_switches_owner(const struct rv_context_switches *switches, uint32_t tid);

/*
 * Take a thread's switches as events of its ring, oldest first: THREAD, aux = RUNNING, PREEMPTED, BLOCKED, or UNKNOWN
 * after a loss, frame = CPU.
 *   owner   who claimed the thread last; others get none
 *   until   ticks: later switches are left for the next call; UINT64_MAX: none are
 *   out     room for max events
 *   returns number of events written; at max there may be more
 *
 * With rv_context_switches_add_wakes() also aux = RV_CONTEXT_SWITCHES_WAKE, which is no state: the thread is woken; id
 * as a WOKEN's, with UNKNOWN where wakes are missing.
 */
#define RV_CONTEXT_SWITCHES_WAKE RV_THREAD_STATE_COUNT
size_t rv_context_switches_take(struct rv_context_switches *switches, uint32_t tid, uint32_t owner, uint64_t until,
                                struct rv_event *out, size_t max);

/* A thread without an owner. */
struct rv_unclaimed_thread {
    uint32_t pid, tid;
    const char *name; /* "" where it is not known; until the next reading */
    uint64_t since;   /* ticks of the first switch that is kept */
};

/* The next one whose first kept switch was before this time, but none of ringviz; *at = 0 for the first. */
bool rv_context_switches_next_unclaimed(const struct rv_context_switches *switches, size_t *at, uint64_t before_ns,
                                        struct rv_unclaimed_thread *thread);

/* As rv_context_switches_claim(), for somebody who shows a thread that makes no call: it stays among the silent
 * ones. */
void rv_context_switches_show(struct rv_context_switches *switches, uint32_t tid, uint32_t owner);

/* Does the owner's thread run, and has nobody else claimed it? */
bool rv_context_switches_runs(const struct rv_context_switches *switches, uint32_t tid, uint32_t owner);

/* When the owner's thread ended; 0: it runs, or somebody else has claimed it. */
uint64_t rv_context_switches_end_ns(const struct rv_context_switches *switches, uint32_t tid, uint32_t owner);

/* The owner's thread has ended: forget it. */
void rv_context_switches_forget(struct rv_context_switches *switches, uint32_t tid, uint32_t owner);

/* Those that woke threads and that nobody has claimed by then; told once, each turn. */
void rv_context_switches_tell_wakers(struct rv_context_switches *switches, const struct rv_intake *intake);

/* Number of records that found no room in the kernel's buffers, and of those that came too late. */
uint64_t rv_context_switches_n_lost(const struct rv_context_switches *switches);

/* Add the threads that nobody has claimed, until the last switch of any. */
void rv_context_switches_silent(const struct rv_context_switches *switches, struct rv_silent_threads *silent);

#endif
