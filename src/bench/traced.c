/*
 * The program that the hooks are measured on: the same recursion twice, with and without them, by turns.
 *
 *     ringviz-bench-traced SAMPLES     prints: CLOCK-NS PLAIN-NS TRACED-NS, minima; per clock read and per call
 */
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

QUIET int main(int argc, char **argv)
{
    unsigned n_samples = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
    double clock = 0, plain = 0, traced = 0;
    for (unsigned i = 0; i < n_samples; i++) {
        keep_least(&clock, clock_ns());
        keep_least(&plain, call_ns(plain_fib));
        keep_least(&traced, call_ns(fib));
    }
    printf("%.3f %.3f %.3f\n", clock, plain, traced);
    return 0;
}
