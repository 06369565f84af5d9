/*
 * Sums of time in which a thread, or a subroutine's calls, did not run, and of objects made. Runnable is a thread that
 * could run but is on no CPU: it was preempted, or was woken and has not run yet.
 */
#ifndef RV_MODEL_STATE_TIMES_H
#define RV_MODEL_STATE_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/disk_vec.h"

struct rv_state_times {
    uint64_t blocked_ns, runnable_ns; /* where the kernel's switches are known */
    uint64_t unknown_ns;              /* the state is unknown: neither of these, and not on the CPU */
    uint64_t ready_ns, suspended_ns;  /* where a runtime tells: waited for its lock (the GVL), and was without it */
    uint64_t away_ns;                 /* another stack of the thread (fiber, coroutine, context) was current */
    uint64_t n_objects;               /* objects made, as a runtime counts them */
};

static inline void rv_state_times_add(struct rv_state_times *into, const struct rv_state_times *times)
{
    into->blocked_ns += times->blocked_ns;
    into->runnable_ns += times->runnable_ns;
    into->unknown_ns += times->unknown_ns;
    into->ready_ns += times->ready_ns;
    into->suspended_ns += times->suspended_ns;
    into->away_ns += times->away_ns;
    into->n_objects += times->n_objects;
}

static inline void rv_state_times_subtract(struct rv_state_times *from, const struct rv_state_times *times)
{
    from->blocked_ns -= times->blocked_ns;
    from->runnable_ns -= times->runnable_ns;
    from->unknown_ns -= times->unknown_ns;
    from->ready_ns -= times->ready_ns;
    from->suspended_ns -= times->suspended_ns;
    from->away_ns -= times->away_ns;
    from->n_objects -= times->n_objects;
}

/* Count so much of the blocked time as runnable. */
static inline void rv_state_times_split(struct rv_state_times *times, uint64_t n_ns)
{
    times->blocked_ns -= n_ns;
    times->runnable_ns += n_ns;
}

/* By the kernel; by a runtime, or changes of stacks. */
static inline bool rv_state_times_has_switches(const struct rv_state_times *times)
{
    return times->blocked_ns || times->runnable_ns || times->unknown_ns;
}

static inline bool rv_state_times_has_turns(const struct rv_state_times *times)
{
    return times->ready_ns || times->suspended_ns || times->away_ns;
}

/* By a runtime, and stacks that were left: what reports call suspended. */
static inline uint64_t rv_state_times_suspended_ns(const struct rv_state_times *times)
{
    return times->suspended_ns + times->away_ns;
}

static inline bool rv_state_times_any(const struct rv_state_times *times)
{
    return rv_state_times_has_switches(times) || rv_state_times_has_turns(times) || times->n_objects;
}

/* What is left of a thread's or a call's time: it ran. Switches and calls are not measured by the same clock reads. */
static inline uint64_t rv_state_times_cpu_ns(const struct rv_state_times *times, uint64_t all_ns)
{
    const uint64_t off_ns = times->blocked_ns + times->runnable_ns + times->unknown_ns + times->away_ns;
    return all_ns > off_ns ? all_ns - off_ns : 0;
}

enum rv_time_kind { /* of calls */
                    RV_TIME_WALL,
                    RV_TIME_ON_CPU,
                    RV_TIME_OFF_CPU, /* these two: */
                    RV_TIME_BLOCKED,
                    RV_TIME_RUNNABLE,
                    RV_TIME_KINDS
};

/* Blocked and runnable time are what is off the CPU together, which is at most all. */
static inline uint64_t rv_state_times_of(const struct rv_state_times *times, enum rv_time_kind kind, uint64_t all_ns)
{
    if (kind == RV_TIME_WALL)
        return all_ns;
    const uint64_t cpu_ns = rv_state_times_cpu_ns(times, all_ns), not_ns = all_ns - cpu_ns;
    const uint64_t neither_ns = times->unknown_ns + times->away_ns;
    const uint64_t off_ns = not_ns > neither_ns ? not_ns - neither_ns : 0;
    const uint64_t blocked_ns = times->blocked_ns < off_ns ? times->blocked_ns : off_ns;
    switch (kind) {
    case RV_TIME_ON_CPU:
        return cpu_ns;
    case RV_TIME_OFF_CPU:
        return off_ns;
    case RV_TIME_BLOCKED:
        return blocked_ns;
    case RV_TIME_RUNNABLE:
        return off_ns - blocked_ns;
    case RV_TIME_WALL:
    case RV_TIME_KINDS:
        break;
    }
    return all_ns;
}

struct rv_state_stretch { /* in which a thread did not run, or made objects */
    uint64_t at_ns;       /* its end */
    struct rv_state_times times;
};

struct rv_state_times_sums { /* zeroed = none; of stretches by time: each has the times of all up to it */
    struct rv_state_stretch *items;
    size_t n, capacity;
    struct rv_disk_vec disk;
};

/* The next stretch, which ends no earlier than the last. */
static inline void rv_state_times_sums_add(struct rv_state_times_sums *sums, uint64_t at_ns,
                                           const struct rv_state_times *times)
{
    sums->items = rv_disk_vec_reserve(&sums->disk, sums->items, &sums->capacity, sums->n + 1, sizeof *sums->items);
    struct rv_state_stretch *last = &sums->items[sums->n++];
    *last = (struct rv_state_stretch){.at_ns = at_ns, .times = *times};
    if (sums->n > 1)
        rv_state_times_add(&last->times, &last[-1].times);
}

/* The sum of the stretches that end after one time and not after another: those of a call that began and ended then. */
struct rv_state_times rv_state_times_sums_between(const struct rv_state_times_sums *sums, uint64_t after_ns,
                                                  uint64_t until_ns);

#endif
