/* Sums of time in which a thread, or a subroutine's calls, did not run. */
#ifndef RV_MODEL_STATE_TIMES_H
#define RV_MODEL_STATE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

struct rv_state_times {
    uint64_t blocked_ns, preempted_ns; /* where the kernel's switches are known */
    uint64_t ready_ns, suspended_ns;   /* where a runtime tells: waited for its lock (the GVL), and was without it */
};

static inline void rv_state_times_add(struct rv_state_times *into, const struct rv_state_times *times)
{
    into->blocked_ns += times->blocked_ns;
    into->preempted_ns += times->preempted_ns;
    into->ready_ns += times->ready_ns;
    into->suspended_ns += times->suspended_ns;
}

/* By the kernel; by a runtime. */
static inline bool rv_state_times_has_switches(const struct rv_state_times *times)
{
    return times->blocked_ns || times->preempted_ns;
}

static inline bool rv_state_times_has_turns(const struct rv_state_times *times)
{
    return times->ready_ns || times->suspended_ns;
}

#endif
