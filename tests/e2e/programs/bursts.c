/* bursts: threads that each end within a millisecond, one after the other, of 20,000 calls of brief. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define KEPT __attribute__((noipa))
#define N_THREADS 300
#define N_CALLS 20000u

KEPT static uint32_t brief(uint32_t x)
{
    return x * 2654435761u + 1;
}

static void *run(void *sum)
{
    for (uint32_t i = 0; i < N_CALLS; i++)
        *(uint32_t *)sum = brief(*(uint32_t *)sum);
    return NULL;
}

int main(void)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < N_THREADS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, &sum);
        pthread_join(thread, NULL);
        usleep(8000);
    }
    printf("%u\n", sum);
    return 0;
}
