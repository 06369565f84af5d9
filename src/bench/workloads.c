/*
 * C workloads of --bench=overhead, built with and without hooks. Prints a line each: NAME NANOSECONDS CLOCK, the least
 * of all samples, per call.
 *
 *     calls    recursion that does nothing else
 *     tree     insertions into a binary tree, by recursion, with keys compared by a function
 *     library  calls of a function in a shared library; by the wall clock, since some tracers stop the program
 *     lock     a free mutex locked and unlocked, by the only thread of the process
 *     read     a byte that is there already
 *     shared   as lock, while there is another thread
 *     wait     two threads that wait for each other by semaphores: each wait and what ends it, of the CPU time of both
 *     handover two threads that wait for each other's mutex, on one CPU: each wait and the release that ends it, likewise
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))

enum { N_SAMPLES = 12, DEPTH = 20, N_KEYS = 4096, N_STEPS = 1000, N_LOCKS = 20000, N_READS = 2000 };

struct node {
    uint64_t key;
    struct node *below[2];
};

uint64_t ringviz_bench_step(uint64_t value); /* step.c */

static struct node nodes[N_KEYS];
static uint64_t n_calls;

static uint64_t fib(unsigned n)
{
    n_calls++;
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int is_above(uint64_t key, uint64_t other)
{
    n_calls++;
    return key > other;
}

static struct node *insert(struct node *at, struct node *node)
{
    n_calls++;
    if (!at)
        return node;
    struct node **below = &at->below[is_above(node->key, at->key)];
    *below = insert(*below, node);
    return at;
}

QUIET static void run_calls(void)
{
    volatile uint64_t value = fib(DEPTH);
    (void)value;
}

QUIET static void run_tree(void)
{
    struct node *root = NULL;
    uint64_t key = 1;
    for (unsigned i = 0; i < N_KEYS; i++) {
        key = key * 6364136223846793005u + 1442695040888963407u;
        nodes[i] = (struct node){.key = key >> 16};
        root = insert(root, &nodes[i]);
    }
}

QUIET static void run_library(void)
{
    volatile uint64_t value = 1;
    for (n_calls = 0; n_calls < N_STEPS; n_calls++)
        value = ringviz_bench_step(value);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t there, back;
static int zeroes;

QUIET static void run_lock(void)
{
    for (n_calls = 0; n_calls < N_LOCKS; n_calls++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

QUIET static void run_read(void)
{
    char byte;
    for (n_calls = 0; n_calls < N_READS && read(zeroes, &byte, 1) == 1; n_calls++)
        continue;
}

/* Until it is cancelled. */
QUIET static void *answer(void *unused)
{
    while (sem_wait(&there) == 0)
        sem_post(&back);
    return unused;
}

QUIET static void run_wait(void)
{
    for (n_calls = 0; n_calls < 2 * N_READS; n_calls += 2) {
        sem_post(&there);
        sem_wait(&back);
    }
}

static bool goes_on, wants[2]; /* [atomic] */

QUIET static bool is_set(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_RELAXED) && __atomic_load_n(&goes_on, __ATOMIC_RELAXED);
}

/* Keep the mutex until the other thread waits for it, which on this CPU it does once it has run; then let it have it. */
QUIET static void hand_over(bool *mine, const bool *others)
{
    __atomic_store_n(mine, true, __ATOMIC_RELAXED);
    pthread_mutex_lock(&mutex);
    __atomic_store_n(mine, false, __ATOMIC_RELAXED);
    while (!is_set(others) && __atomic_load_n(&goes_on, __ATOMIC_RELAXED))
        sched_yield();
    sched_yield();
    pthread_mutex_unlock(&mutex);
    while (is_set(others))
        sched_yield();
}

QUIET static void *take_turns(void *unused)
{
    while (__atomic_load_n(&goes_on, __ATOMIC_RELAXED))
        hand_over(&wants[1], &wants[0]);
    return unused;
}

QUIET static void run_handover(void)
{
    for (n_calls = 0; n_calls < 2 * N_READS; n_calls += 2)
        hand_over(&wants[0], &wants[1]);
}

QUIET static double now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

QUIET static void measure(const char *name, void (*run)(void), clockid_t clock)
{
    double least = 0;
    for (unsigned i = 0; i < N_SAMPLES; i++) {
        n_calls = 0;
        double start = now_ns(clock);
        run();
        double ns = (now_ns(clock) - start) / (double)n_calls;
        least = i == 0 || ns < least ? ns : least;
    }
    printf("%s %.4f %s\n", name, least, clock == CLOCK_MONOTONIC ? "wall" : "cpu");
}

QUIET static void measure_pair(void)
{
    pthread_t other;
    sem_init(&there, 0, 0);
    sem_init(&back, 0, 0);
    if (pthread_create(&other, NULL, answer, NULL) != 0)
        return;
    measure("shared", run_lock, CLOCK_THREAD_CPUTIME_ID);
    measure("wait", run_wait, CLOCK_PROCESS_CPUTIME_ID);
    pthread_cancel(other);
    pthread_join(other, NULL);
}

/* On one CPU, so that a thread that waits for the other to wait lets it. */
QUIET static void measure_handover(void)
{
    pthread_t other;
    cpu_set_t one_cpu;
    CPU_ZERO(&one_cpu);
    CPU_SET((size_t)sched_getcpu(), &one_cpu);
    goes_on = true;
    if (sched_setaffinity(0, sizeof one_cpu, &one_cpu) != 0 || pthread_create(&other, NULL, take_turns, NULL) != 0)
        return;
    measure("handover", run_handover, CLOCK_PROCESS_CPUTIME_ID);
    __atomic_store_n(&goes_on, false, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
}

QUIET int main(void)
{
    measure("calls", run_calls, CLOCK_THREAD_CPUTIME_ID);
    measure("tree", run_tree, CLOCK_THREAD_CPUTIME_ID);
    measure("library", run_library, CLOCK_MONOTONIC);
    measure("lock", run_lock, CLOCK_THREAD_CPUTIME_ID);
    zeroes = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    measure("read", run_read, CLOCK_THREAD_CPUTIME_ID);
    measure_pair();
    measure_handover();
    return 0;
}
