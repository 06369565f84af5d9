/* planted PROBLEM [MS]: a program that has this problem; MS: of a version of it, how long a picture takes. Slow calls sleep, so that a busy machine does not hide the problem. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "ringviz/producer.h"
#include "thread_state.h"

#define SCENE __attribute__((noinline))

enum {
    N_THREADS = 5,
    N_TURNS = 6,
    N_REQUESTS = 1000,
    SLOW_REQUEST = 613,
    N_PAGES = 5,
    N_ITEMS = 100,
    DEEP = 2000,
    PIPE_BYTES = 4096,
    N_PICTURES = 100
};

static volatile unsigned work;

SCENE static void sleep_ms(long ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

SCENE static void spin(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        work += i;
}

static void run_threads(void *(*run)(void *), unsigned n)
{
    pthread_t threads[N_THREADS];
    for (unsigned i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

/* ---- a lock convoy: all threads queue for one lock ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t servers[N_THREADS], workers[N_THREADS]; /* [atomic] */

static void await_others(const pid_t tids[N_THREADS])
{
    for (unsigned i = 0; i < N_THREADS; i++)
        if (tids[i] != gettid())
            await_blocked(&tids[i]);
}

/* The first holder keeps the lock until all others wait for it, which starts the convoy. */
SCENE static void hold_the_lock(void)
{
    static bool is_awaited;
    if (!is_awaited)
        await_others(servers);
    is_awaited = true;
    sleep_ms(15);
    pthread_mutex_unlock(&lock);
}

SCENE static void serve(void)
{
    pthread_mutex_lock(&lock);
    hold_the_lock();
}

/* Note the tid of this thread, which is going to wait. */
static void store_tid(pid_t tids[N_THREADS], unsigned *n)
{
    __atomic_store_n(&tids[__atomic_fetch_add(n, 1, __ATOMIC_RELAXED)], gettid(), __ATOMIC_RELEASE);
}

static void *serve_all(void *unused)
{
    static unsigned n; /* [atomic] */
    store_tid(servers, &n);
    for (int i = 0; i < N_TURNS; i++)
        serve();
    return unused;
}

static void convoy(void)
{
    run_threads(serve_all, N_THREADS);
}

/* ---- one request in a thousand is slow ---- */

SCENE static void read_cold_cache(void)
{
    sleep_ms(400);
}

SCENE static void handle(unsigned request)
{
    spin(1000);
    if (request == SLOW_REQUEST)
        read_cold_cache();
}

static void slow(void)
{
    for (unsigned i = 0; i < N_REQUESTS; i++)
        handle(i);
}

/* ---- a pause to collect garbage in the middle of a request ---- */

SCENE static void answer(unsigned request)
{
    spin(1000);
    if (request != SLOW_REQUEST / 4)
        return;
    ringviz_gc_begin();
    sleep_ms(400);
    ringviz_gc_end();
}

static void pause_of_collector(void)
{
    for (unsigned i = 0; i < N_REQUESTS / 4; i++)
        answer(i);
}

/* ---- five threads contend for a lock while others wait for work that never comes ---- */

static pthread_cond_t has_work = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned n_jobs;

SCENE static void wait_for_work(void)
{
    pthread_mutex_lock(&queue_lock);
    while (!n_jobs)
        pthread_cond_wait(&has_work, &queue_lock);
    pthread_mutex_unlock(&queue_lock);
}

static void *do_jobs(void *unused)
{
    static unsigned n; /* [atomic] */
    store_tid(workers, &n);
    wait_for_work();
    return unused;
}

static void idle_workers(void)
{
    pthread_t threads[N_THREADS];
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, do_jobs, NULL);
    await_others(workers);
    run_threads(serve_all, N_THREADS);
}

/* ---- starvation: one thread gets its turn when all others have had all of theirs ---- */

static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static unsigned n_served;
static pid_t starving; /* [atomic] */

SCENE static void wait_for_turn(unsigned served_before)
{
    pthread_mutex_lock(&lock);
    while (n_served < served_before)
        pthread_cond_wait(&turn, &lock);
    pthread_mutex_unlock(&lock);
}

SCENE static void take_turn(void)
{
    pthread_mutex_lock(&lock);
    sleep_ms(10);
    n_served++;
    pthread_cond_broadcast(&turn);
    pthread_mutex_unlock(&lock);
}

static void *take_turns(void *unused)
{
    for (int i = 0; i < N_TURNS; i++) {
        wait_for_turn(0);
        take_turn();
    }
    return unused;
}

static void *starve(void *unused)
{
    ringviz_thread_name("starving");
    __atomic_store_n(&starving, gettid(), __ATOMIC_RELEASE);
    wait_for_turn(N_THREADS * N_TURNS);
    return unused;
}

static void starvation(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, starve, NULL);
    await_blocked(&starving);
    run_threads(take_turns, N_THREADS);
    pthread_join(thread, NULL);
}

/* ---- priority inversion: what the urgent thread needs is held by one that yields its CPU to a third ---- */

static atomic_bool is_held, is_over;
static pid_t urgent; /* [atomic] */

SCENE static void work_while_holding(void)
{
    struct timespec began, now;
    await_blocked(&urgent);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - began.tv_sec) * 1000000000 + now.tv_nsec - began.tv_nsec < 5000000);
}

static void *hold_at_low_priority(void *unused)
{
    ringviz_thread_name("low");
    setpriority(PRIO_PROCESS, (id_t)gettid(), 19);
    pthread_mutex_lock(&lock);
    is_held = true;
    work_while_holding();
    pthread_mutex_unlock(&lock);
    return unused;
}

SCENE static void render_all(void)
{
    while (!is_over)
        work++;
}

static void *use_the_cpu(void *unused)
{
    ringviz_thread_name("medium");
    render_all();
    return unused;
}

SCENE static void get_the_lock(void)
{
    __atomic_store_n(&urgent, gettid(), __ATOMIC_RELEASE);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void inversion(void)
{
    cpu_set_t one_cpu;
    pthread_t low, medium;
    CPU_ZERO(&one_cpu);
    CPU_SET((size_t)sched_getcpu(), &one_cpu);
    sched_setaffinity(0, sizeof one_cpu, &one_cpu);
    pthread_create(&low, NULL, hold_at_low_priority, NULL);
    while (!is_held)
        sched_yield();
    pthread_create(&medium, NULL, use_the_cpu, NULL);
    get_the_lock();
    is_over = true;
    pthread_join(low, NULL);
    pthread_join(medium, NULL);
}

/* ---- a slow consumer: who writes to the pipe waits until there is room ---- */

static int ends[2];
static pid_t producer; /* [atomic] */

SCENE static void digest(void)
{
    sleep_ms(10);
}

SCENE static void consume(void)
{
    static char bytes[PIPE_BYTES];
    await_blocked(&producer);
    while (read(ends[0], bytes, sizeof bytes) > 0)
        digest();
}

static void *consume_all(void *unused)
{
    ringviz_thread_name("consumer");
    consume();
    return unused;
}

SCENE static void produce(void)
{
    static char bytes[PIPE_BYTES];
    __atomic_store_n(&producer, gettid(), __ATOMIC_RELEASE);
    for (int i = 0; i < 4 * N_TURNS; i++)
        if (write(ends[1], bytes, sizeof bytes) < 0)
            return;
}

static void slow_consumer(void)
{
    pthread_t consumer;
    if (pipe(ends) != 0)
        return;
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
    pthread_create(&consumer, NULL, consume_all, NULL);
    produce();
    close(ends[1]);
    pthread_join(consumer, NULL);
}

/* ---- N + 1 queries: one for the list, and one for each of its items ---- */

SCENE static void query(unsigned key)
{
    spin(key % 100 + 100);
}

SCENE static void load_items(void)
{
    for (unsigned i = 0; i < N_ITEMS; i++)
        query(i);
}

SCENE static void show_page(void)
{
    query(0);
    load_items();
}

static void queries(void)
{
    for (int i = 0; i < N_PAGES; i++)
        show_page();
}

/* ---- a recursion that does not end where it should ---- */

SCENE static void visit(unsigned depth)
{
    spin(10);
    if (depth < DEEP)
        visit(depth + 1);
    work++;
}

static void leak(void)
{
    visit(1);
}

/* ---- a regression: a later version takes longer for a picture ---- */

static long picture_ms;

SCENE static void clear(void)
{
    spin(500);
}

SCENE static void draw_text(void)
{
    spin(1000);
}

SCENE static void draw_picture(void)
{
    nanosleep(&(struct timespec){.tv_nsec = picture_ms * 1000000}, NULL); /* its own time */
}

static void pictures(void)
{
    for (int i = 0; i < N_PICTURES; i++) {
        clear();
        draw_text();
        draw_picture();
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } PROBLEMS[] = {{"convoy", convoy},
                    {"slow", slow},
                    {"pause", pause_of_collector},
                    {"idle", idle_workers},
                    {"starvation", starvation},
                    {"inversion", inversion},
                    {"consumer", slow_consumer},
                    {"queries", queries},
                    {"leak", leak},
                    {"pictures", pictures}};
    picture_ms = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    for (size_t i = 0; i < sizeof PROBLEMS / sizeof *PROBLEMS && argc > 1; i++)
        if (strcmp(argv[1], PROBLEMS[i].name) == 0) {
            PROBLEMS[i].run();
            return EXIT_SUCCESS;
        }
    return EXIT_FAILURE;
}
