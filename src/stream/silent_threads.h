/* Threads that the kernel reported and that made no traced call: no lane shows them. */
#ifndef RV_STREAM_SILENT_THREADS_H
#define RV_STREAM_SILENT_THREADS_H

#include <stdint.h>

struct rv_silent_threads { /* zeroed = none */
    uint64_t n_threads, n_switches;
    uint64_t running_ns, runnable_ns, blocked_ns; /* between their switches, of all of them */
};

#endif
