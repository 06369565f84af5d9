/* forktree: 16 children, each with threads of its own; every fourth has a child, too. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count.h"

#define N_CHILDREN 16
#define N_THREADS 3
#define N_CALLS 2000

DEFINE_COUNT(leaf)
DEFINE_COUNT(thread_work)
DEFINE_COUNT(child_work)

KEPT static unsigned leaf(unsigned i)
{
    COUNTED(leaf);
    return i * 3;
}

static void *thread_work(void *context)
{
    COUNTED(thread_work);
    uintptr_t sum = (uintptr_t)context;
    for (unsigned i = 0; i < N_CALLS; i++)
        sum += leaf(i);
    return (void *)sum;
}

KEPT static void child_work(unsigned serial)
{
    COUNTED(child_work);
    pthread_t threads[N_THREADS];
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, thread_work, (void *)(uintptr_t)serial);
    for (unsigned i = 0; i < N_CALLS; i++)
        leaf(i);
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
}

QUIET static void have_child(unsigned serial, unsigned n_generations)
{
    pid_t pid = fork();
    if (pid != 0)
        return;
    child_work(serial);
    if (n_generations > 0) {
        have_child(serial, n_generations - 1);
        wait(NULL);
    }
    _exit(0);
}

QUIET int main(void)
{
    leaf(0);
    for (unsigned i = 0; i < N_CHILDREN; i++)
        have_child(i, i % 4 == 0);
    for (unsigned i = 0; i < N_CALLS; i++)
        leaf(i);
    while (wait(NULL) > 0)
        continue;
    REPORT_COUNT(leaf);
    REPORT_COUNT(thread_work);
    REPORT_COUNT(child_work);
    return 0;
}
