/* cancel: threads that end inside calls, by pthread_exit, cancellation and in key destructors. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "count.h"

#define N_THREADS 40

DEFINE_COUNT(dive)
DEFINE_COUNT(begin)
DEFINE_COUNT(clean)
DEFINE_COUNT(destroy_key)

static pthread_key_t key;
static sem_t is_down;

static void destroy_key(void *value)
{
    COUNTED(destroy_key);
    if ((uintptr_t)value > 1)
        pthread_setspecific(key, (void *)((uintptr_t)value - 1));
}

static void clean(void *context)
{
    (void)context;
    COUNTED(clean);
}

KEPT static unsigned dive(unsigned depth, unsigned serial)
{
    COUNTED(dive);
    if (depth == 10 && serial % 2 == 0)
        pthread_exit(NULL);
    if (depth == 10) {
        sem_post(&is_down);
        for (;;)
            pause();
    }
    return 1 + dive(depth + 1, serial);
}

static void *begin(void *context)
{
    COUNTED(begin);
    pthread_setspecific(key, (void *)(uintptr_t)2);
    pthread_cleanup_push(clean, NULL);
    dive(1, (unsigned)(uintptr_t)context);
    pthread_cleanup_pop(1);
    return NULL;
}

QUIET int main(void)
{
    pthread_key_create(&key, destroy_key);
    sem_init(&is_down, 0, 0);
    for (uintptr_t i = 0; i < N_THREADS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, begin, (void *)i);
        if (i % 2) {
            sem_wait(&is_down);
            pthread_cancel(thread);
        }
        pthread_join(thread, NULL);
    }
    REPORT_COUNT(dive);
    REPORT_COUNT(begin);
    REPORT_COUNT(clean);
    REPORT_COUNT(destroy_key);
    return 0;
}
