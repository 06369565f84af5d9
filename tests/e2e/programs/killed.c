/*
 * killed: main() is in spin() while another thread makes calls, until that kills the process with SIGKILL. Prints how many
 * milliseconds after spin() began.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { N_CALLS = 100000, LEAST_MS = 300 };

static atomic_bool spins;

__attribute__((no_instrument_function)) static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static __attribute__((noinline)) void leaf(void)
{
    __asm__ volatile("");
}

static void *work(void *none)
{
    while (!atomic_load(&spins))
        continue;
    const double began_ms = now_ms();
    double took_ms = 0.0;
    for (int i = 0; i < N_CALLS || took_ms < LEAST_MS; i++) {
        leaf();
        took_ms = now_ms() - began_ms;
    }
    printf("%d\n", (int)took_ms - 1);
    fflush(stdout);
    kill(getpid(), SIGKILL);
    return none;
}

static __attribute__((noinline)) void spin(void)
{
    atomic_store(&spins, true);
    for (;;)
        continue;
}

int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    spin();
    return 0;
}
