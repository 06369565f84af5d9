/* Threads that the kernel reported and that made no traced call: no lane shows them. */
#ifndef RV_STREAM_SILENT_THREADS_H
#define RV_STREAM_SILENT_THREADS_H

#include <stddef.h>
#include <stdint.h>

#define RV_SILENT_THREADS_MOST 65536u /* of one capture to be listed */

struct rv_silent_times {
    uint64_t n_switches;
    uint64_t running_ns, runnable_ns, blocked_ns; /* between its switches */
};

struct rv_silent_thread {
    uint32_t pid, tid;
    char name[64]; /* that the thread had last, escaped; may be "" */
    struct rv_silent_times times;
};

struct rv_silent_threads { /* zeroed = none */
    uint64_t n_threads;
    struct rv_silent_times times;     /* of all of them */
    struct rv_silent_thread *threads; /* the first RV_SILENT_THREADS_MOST */
    size_t n, capacity;
};

void rv_silent_threads_add(struct rv_silent_threads *silent, const struct rv_silent_thread *thread);
/* Add all of another capture, or of another part of it. */
void rv_silent_threads_merge(struct rv_silent_threads *into, const struct rv_silent_threads *from);
void rv_silent_threads_fini(struct rv_silent_threads *silent);

#endif
