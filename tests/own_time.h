/* A clock for tests that limit a duration, on a machine that has other work, too. */
#ifndef RV_TESTS_OWN_TIME_H
#define RV_TESTS_OWN_TIME_H

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"

/* CLOCK_MONOTONIC less all the time that this thread has been ready to run without a core, where the kernel counts it:
 * so between two readings, what it ran and what it slept. ns. */
static inline uint64_t own_time_ns(void)
{
    uint64_t starved_ns = 0;
    FILE *schedstat = fopen("/proc/thread-self/schedstat", "r");
    if (schedstat) {
        if (fscanf(schedstat, "%*u %" SCNu64, &starved_ns) != 1)
            starved_ns = 0;
        fclose(schedstat);
    }
    return rv_clock_mono_ns() - starved_ns;
}

#endif
