/* CPU time of threads that others made in this process: of a GL driver without a GPU, which draws by threads. Main
 * thread. */
#ifndef RV_WINDOW_DRIVER_THREADS_H
#define RV_WINDOW_DRIVER_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define RV_DRIVER_MOST_THREADS 64u

struct rv_driver_threads { /* zeroed = none */
    clockid_t clocks[RV_DRIVER_MOST_THREADS];
    size_t n;
};

/* Find the threads, as they are now, whose names begin with this. */
void rv_driver_threads_find(struct rv_driver_threads *threads, const char *name);

/* The CPU time of all of them, since they began. */
uint64_t rv_driver_threads_cpu_ns(const struct rv_driver_threads *threads);

#endif
