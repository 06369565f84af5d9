/*
 * sleds: of a compiler with -fxray-instrument. XRay's runtime switches the sleds of all functions on and off, first while
 * no thread calls them, then while four do. Exit status 1: its handler did not hear what was called.
 */
#include <pthread.h>
#include <stdint.h>

#include "count.h"

/* As <xray/xray_interface.h> has them, which is of C++. */
int __xray_set_handler(void (*entry)(int32_t function, int kind));
int __xray_patch(void);
int __xray_unpatch(void);

DEFINE_COUNT(step)
DEFINE_COUNT(work)

enum { N_THREADS = 4, N_STEPS = 100000, N_HEARD = 1000, N_SWITCHES = 50, CALLED = 0 };

static unsigned n_heard;

__attribute__((xray_never_instrument)) static void hear(int32_t function, int kind)
{
    (void)function;
    __atomic_fetch_add(&n_heard, kind == CALLED, __ATOMIC_RELAXED);
}

KEPT static unsigned step(unsigned i)
{
    COUNTED(step);
    return i * 2654435761u >> 7;
}

static void *work(void *unused)
{
    uintptr_t sum = 0;
    (void)unused;
    COUNTED(work);
    for (unsigned i = 0; i < N_STEPS; i++)
        sum += step(i);
    return (void *)sum;
}

static void switch_while_called(void)
{
    pthread_t threads[N_THREADS];
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (unsigned i = 0; i < N_SWITCHES; i++) {
        (void)__xray_patch();
        (void)__xray_unpatch();
    }
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    (void)__xray_set_handler(hear);
    (void)__xray_patch();
    for (unsigned i = 0; i < N_HEARD; i++)
        (void)step(i);
    (void)__xray_unpatch();
    const unsigned n = n_heard;
    switch_while_called();
    REPORT_COUNT(step);
    REPORT_COUNT(work);
    return n != N_HEARD;
}
