/* Two threads, one after the other, that take two locks in opposite orders: no deadlock, but tools for threads report it. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void __attribute__((noinline)) take_both(pthread_mutex_t *one, pthread_mutex_t *other)
{
    pthread_mutex_lock(one);
    pthread_mutex_lock(other);
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}

static void *take_in_order(void *unused)
{
    take_both(&first, &second);
    return unused;
}

static void *take_reversed(void *unused)
{
    take_both(&second, &first);
    return unused;
}

int main(void)
{
    void *(*const ways[])(void *) = {take_in_order, take_reversed};
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, ways[i], NULL) != 0 || pthread_join(thread, NULL) != 0)
            return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
