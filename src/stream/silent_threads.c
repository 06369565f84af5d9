#include "stream/silent_threads.h"

#include <stdlib.h>

#include "base/vec.h"

static void add_times(struct rv_silent_times *sum, const struct rv_silent_times *times)
{
    sum->n_switches += times->n_switches;
    sum->running_ns += times->running_ns;
    sum->runnable_ns += times->runnable_ns;
    sum->blocked_ns += times->blocked_ns;
}

static void list(struct rv_silent_threads *silent, const struct rv_silent_thread *thread)
{
    if (silent->n == RV_SILENT_THREADS_MOST)
        return;
    silent->threads = rv_vec_reserve(silent->threads, &silent->capacity, silent->n + 1, sizeof *silent->threads);
    silent->threads[silent->n++] = *thread;
}

void rv_silent_threads_add(struct rv_silent_threads *silent, const struct rv_silent_thread *thread)
{
    silent->n_threads++;
    add_times(&silent->times, &thread->times);
    list(silent, thread);
}

void rv_silent_threads_merge(struct rv_silent_threads *into, const struct rv_silent_threads *from)
{
    into->n_threads += from->n_threads;
    add_times(&into->times, &from->times);
    for (size_t i = 0; i < from->n; i++)
        list(into, &from->threads[i]);
}

void rv_silent_threads_fini(struct rv_silent_threads *silent)
{
    free(silent->threads);
    *silent = (struct rv_silent_threads){0};
}
