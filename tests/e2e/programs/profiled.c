/* Built with -pg, as uftrace needs it: 60 calls of leaf, 20 of mid, 2 of run, in two threads. */
#include <pthread.h>

static volatile int sum;

static void leaf(int x)
{
    sum += x;
}

static void mid(int x)
{
    for (int i = 0; i < 3; i++)
        leaf(x + i);
}

static void *run(void *argument)
{
    for (int i = 0; i < 10; i++)
        mid(i);
    return argument;
}

int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    run(NULL);
    return 0;
}
