#include "window/driver_threads.h"

#include <criterion/criterion.h>
#include <pthread.h>

#include "base/clock.h"

enum { N_THREADS = 3, WORK_NS = 5000000 };

struct worker {
    pthread_t thread;
    const char *name;
    uint64_t cpu_ns;
    pthread_barrier_t *moment; /* all are named; all have worked; the test is over */
};

static void *work(void *context)
{
    struct worker *worker = context;
    (void)pthread_setname_np(pthread_self(), worker->name);
    pthread_barrier_wait(worker->moment);
    while ((worker->cpu_ns = rv_clock_thread_cpu_ns()) < WORK_NS)
        continue;
    pthread_barrier_wait(worker->moment);
    pthread_barrier_wait(worker->moment);
    return NULL;
}

Test(driver_threads, the_cpu_time_of_all_threads_of_a_name_is_known, .timeout = 60)
{
    struct worker workers[N_THREADS] = {{.name = "draws-0"}, {.name = "draws-1"}, {.name = "reads-0"}};
    struct rv_driver_threads draws, all, none = {0};
    pthread_barrier_t moment;
    pthread_barrier_init(&moment, NULL, N_THREADS + 1);
    for (unsigned i = 0; i < N_THREADS; i++) {
        workers[i].moment = &moment;
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    pthread_barrier_wait(&moment);
    rv_driver_threads_find(&draws, "draws-");
    rv_driver_threads_find(&all, "");
    pthread_barrier_wait(&moment);
    cr_assert_eq(draws.n, 2);
    cr_assert_geq(all.n, N_THREADS + 1);
    cr_assert_geq(rv_driver_threads_cpu_ns(&draws), workers[0].cpu_ns + workers[1].cpu_ns);
    cr_assert_geq(rv_driver_threads_cpu_ns(&all), rv_driver_threads_cpu_ns(&draws) + workers[2].cpu_ns);
    cr_assert_leq(rv_driver_threads_cpu_ns(&draws), rv_clock_process_cpu_ns());
    cr_assert_eq(rv_driver_threads_cpu_ns(&none), 0);
    pthread_barrier_wait(&moment);
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&moment);
}
