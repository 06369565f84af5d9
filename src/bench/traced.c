/*
 * The measured program of the hooks: one recursion, with and without hooks, in turns.
 *
 *     ringviz-bench-traced SAMPLES             prints: CLOCK-NS PLAIN-NS TRACED-NS, minima; per clock read and per call
 *     ringviz-bench-traced SAMPLES THREADS     prints nothing: threads walk at random through eight functions
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define QUIET __attribute__((no_instrument_function))

enum { DEPTH = 20, N_CALLS = 21891, N_READS = 20000 };

static uint64_t fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

QUIET static uint64_t plain_fib(unsigned n)
{
    return n < 2 ? n : plain_fib(n - 1) + plain_fib(n - 2);
}

QUIET static double thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

QUIET static double clock_ns(void)
{
    double start = thread_ns();
    for (unsigned i = 0; i < N_READS; i++) {
#if defined(__x86_64__)
        (void)__rdtsc();
#else
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    }
    return (thread_ns() - start) / N_READS;
}

QUIET static double call_ns(uint64_t (*function)(unsigned n))
{
    double start = thread_ns();
    volatile uint64_t value = function(DEPTH);
    (void)value;
    return (thread_ns() - start) / N_CALLS;
}

QUIET static void keep_least(double *least, double value)
{
    if (*least == 0 || value < *least)
        *least = value;
}

enum { WALKS = 4000, MOST_THREADS = 64 };

static uint64_t walk(uint64_t seed, unsigned depth);

/* Eight functions with different names and callees. */
#define STEP(name, share)                                                                                              \
    static uint64_t name(uint64_t seed, unsigned depth)                                                                \
    {                                                                                                                  \
        return seed % 16 < (share) ? walk(seed * 6364136223846793005u + 1442695040888963407u, depth + 1) : seed >> 3;  \
    }
STEP(parse, 12)
STEP(match, 3)
STEP(fetch, 9)
STEP(store, 5)
STEP(render, 14)
STEP(encode, 7)
STEP(compare, 1)
STEP(allocate, 2)

static uint64_t walk(uint64_t seed, unsigned depth)
{
    static uint64_t (*const steps[])(uint64_t, unsigned) = {parse,  match,  fetch,   store,
                                                            render, encode, compare, allocate};
    uint64_t sum = seed;
    for (unsigned i = 0; i < 3 && depth < 12; i++)
        sum += steps[(seed >> (20 + 4 * i)) % 8](sum * 2862933555777941757u + 3037000493u, depth);
    return sum;
}

static void *run_walks(void *context)
{
    unsigned n_samples = *(const unsigned *)context;
    volatile uint64_t sum = 0;
    for (unsigned i = 0; i < n_samples * WALKS; i++)
        sum += walk(i * 0x9e3779b97f4a7c15u, 0);
    (void)sum;
    return NULL;
}

QUIET static int run_threads(unsigned n_samples, unsigned n_threads)
{
    pthread_t threads[MOST_THREADS];
    n_threads = n_threads < MOST_THREADS ? n_threads : MOST_THREADS;
    for (unsigned i = 0; i < n_threads; i++)
        if (pthread_create(&threads[i], NULL, run_walks, &n_samples) != 0)
            return 1;
    for (unsigned i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

QUIET int main(int argc, char **argv)
{
    unsigned n_samples = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
    if (argc > 2)
        return run_threads(n_samples, (unsigned)atoi(argv[2]));
    double clock = 0, plain = 0, traced = 0;
    for (unsigned i = 0; i < n_samples; i++) {
        keep_least(&clock, clock_ns());
        keep_least(&plain, call_ns(plain_fib));
        keep_least(&traced, call_ns(fib));
    }
    printf("%.3f %.3f %.3f\n", clock, plain, traced);
    return 0;
}
