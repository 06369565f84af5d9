/*
 * late_calls N: of N threads each makes many calls, rests, and makes one more call in the last round of its destructors,
 * when its ring has been given back.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_THREADS = 64, N_STEPS = 5000, REST_NS = 5000000, ROUNDS = 4 };

static pthread_key_t key;
static _Thread_local unsigned n_rounds;

static void __attribute__((noinline)) step(void)
{
    __asm__ volatile("");
}

static void __attribute__((noinline)) rest(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = REST_NS}, NULL);
}

static void __attribute__((noinline)) late(void)
{
    __asm__ volatile("");
}

static void __attribute__((no_instrument_function)) destroy(void *value)
{
    if (++n_rounds < ROUNDS)
        (void)pthread_setspecific(key, value);
    else
        late();
}

static void *run(void *value)
{
    (void)pthread_setspecific(key, value);
    for (int i = 0; i < N_STEPS; i++)
        step();
    rest();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST_THREADS];
    const int n = argc > 1 ? atoi(argv[1]) : 1;
    if (n > MOST_THREADS || pthread_key_create(&key, destroy) != 0)
        return 1;
    for (int i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, run, &key) != 0)
            return 1;
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    printf("rest %lld\n", (long long)REST_NS);
    return 0;
}
