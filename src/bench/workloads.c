/*
 * C workloads of --bench=overhead, built with and without hooks. Prints a line each: NAME NANOSECONDS CLOCK, the least
 * of all samples, per call.
 *
 *     calls    recursion that does nothing else
 *     tree     insertions into a binary tree, by recursion, with keys compared by a function
 *     library  calls of a function in a shared library; by the wall clock, since some tracers stop the program
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define QUIET __attribute__((no_instrument_function))

enum { N_SAMPLES = 12, DEPTH = 20, N_KEYS = 4096, N_STEPS = 1000 };

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

QUIET int main(void)
{
    measure("calls", run_calls, CLOCK_THREAD_CPUTIME_ID);
    measure("tree", run_tree, CLOCK_THREAD_CPUTIME_ID);
    measure("library", run_library, CLOCK_MONOTONIC);
    return 0;
}
