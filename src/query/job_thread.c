#include "query/job_thread.h"

static void *run(void *context)
{
    struct rv_job_thread *worker = context;
    worker->work(worker->context);
    atomic_store_explicit(&worker->is_over, true, memory_order_relaxed);
    return NULL;
}

void rv_job_thread_start(struct rv_job_thread *worker, void (*work)(void *context), void *context)
{
    worker->work = work;
    worker->context = context;
    atomic_store_explicit(&worker->is_over, false, memory_order_relaxed);
    worker->is_running = pthread_create(&worker->thread, NULL, run, worker) == 0;
    if (!worker->is_running) /* without a thread, work runs to its end */
        work(context);
}

bool rv_job_thread_is_wanted(const struct rv_job_thread *worker)
{
    return !atomic_load_explicit(&worker->is_unwanted, memory_order_relaxed);
}

void rv_job_thread_wait(struct rv_job_thread *worker)
{
    if (worker->is_running)
        (void)pthread_join(worker->thread, NULL);
    worker->is_running = false;
}

void rv_job_thread_stop(struct rv_job_thread *worker)
{
    atomic_store_explicit(&worker->is_unwanted, true, memory_order_relaxed);
    rv_job_thread_wait(worker);
    atomic_store_explicit(&worker->is_unwanted, false, memory_order_relaxed);
}

bool rv_job_thread_poll(struct rv_job_thread *worker, unsigned percent)
{
    if (!worker->is_running)
        return false;
    bool is_over = atomic_load_explicit(&worker->is_over, memory_order_relaxed);
    bool has_got_on = is_over || percent != worker->percent_told;
    worker->percent_told = percent;
    if (is_over)
        rv_job_thread_wait(worker);
    return has_got_on;
}
