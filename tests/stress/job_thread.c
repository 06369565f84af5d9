/*
 * Jobs that are waited for, polled until they end, or cancelled, again and again on one worker: results are complete,
 * and an endless job ends when it is cancelled.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>

#include "query/job_thread.h"

enum { N_ROUNDS = 300, STEPS = 1000, FATES = 3 };

struct counter {
    struct rv_job_thread worker;
    uint64_t most, n; /* n: the job's own while it runs */
    atomic_uint percent;
};

static void count(void *context)
{
    struct counter *counter = context;
    while (counter->n < counter->most && rv_job_thread_is_wanted(&counter->worker)) {
        counter->n++;
        atomic_store_explicit(&counter->percent, (unsigned)(100 * counter->n / counter->most), memory_order_relaxed);
    }
}

/* Returns how often it had got on. */
static unsigned poll_to_the_end(struct counter *counter)
{
    unsigned n = 0;
    for (; counter->worker.is_running; sched_yield())
        n += rv_job_thread_poll(&counter->worker, atomic_load_explicit(&counter->percent, memory_order_relaxed));
    return n;
}

int main(void)
{
    static struct counter counter;
    unsigned n_wrong = 0;
    for (unsigned i = 0; i < N_ROUNDS; i++) {
        const bool is_given_up = i % FATES == 0;
        counter.n = 0;
        counter.most = is_given_up ? UINT64_MAX / 100 : 1 + i % STEPS;
        rv_job_thread_start(&counter.worker, count, &counter);
        if (is_given_up)
            rv_job_thread_stop(&counter.worker);
        else if (i % FATES == 1)
            rv_job_thread_wait(&counter.worker);
        else
            n_wrong += poll_to_the_end(&counter) == 0; /* its end is reported, too */
        n_wrong += is_given_up ? counter.n == counter.most : counter.n != counter.most;
        n_wrong += counter.worker.is_running || rv_job_thread_poll(&counter.worker, 0);
    }
    if (n_wrong)
        fprintf(stderr, "%u times a worker did otherwise\n", n_wrong);
    return n_wrong != 0;
}
