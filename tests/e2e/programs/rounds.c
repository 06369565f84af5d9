/* rounds N: four threads make some 700 calls in each of N rounds, a part of them while they hold a lock. */
#include <pthread.h>
#include <stdlib.h>

#define KEPT __attribute__((noipa))
#define N_THREADS 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned n_rounds;
static volatile unsigned sum;

KEPT static void leaf(unsigned x)
{
    sum += x;
}

KEPT static void twig(unsigned x)
{
    leaf(x);
    leaf(x + 1);
}

KEPT static void branch(unsigned x)
{
    twig(x);
    twig(x ^ 3);
    leaf(x);
}

KEPT static void again(unsigned x, unsigned n)
{
    branch(x);
    if (n)
        again(x + 1, n - 1);
}

KEPT static void alone(unsigned x)
{
    for (unsigned i = 0; i < 20; i++)
        again(x, i % 4);
}

KEPT static void locked(unsigned x)
{
    for (unsigned i = 0; i < 30; i++)
        branch(x + i);
}

KEPT static void round_of(unsigned x)
{
    alone(x);
    pthread_mutex_lock(&lock);
    locked(x);
    pthread_mutex_unlock(&lock);
}

static void *run(void *number)
{
    for (unsigned i = 0; i < n_rounds; i++)
        round_of(i + *(unsigned *)number);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[N_THREADS];
    unsigned numbers[N_THREADS];
    n_rounds = argc == 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    for (unsigned i = 0; i < N_THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, run, &numbers[i]);
    }
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
