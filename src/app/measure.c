#include "app/measure.h"

#define CALLS_PER_STEP 4096u

static void *work(void *context)
{
    struct rv_measure *measure = context;
    bool is_done = false;
    while (!is_done && !atomic_load_explicit(&measure->is_unwanted, memory_order_relaxed))
        is_done = rv_range_step(measure->range, CALLS_PER_STEP);
    atomic_store_explicit(&measure->is_over, true, memory_order_release); /* M1 -> M2 */
    return NULL;
}

void rv_measure_start(struct rv_measure *measure, const struct rv_range_params *params)
{
    rv_measure_stop(measure);
    measure->range = rv_range_create(params);
    measure->version++;
    measure->is_running = pthread_create(&measure->worker, NULL, work, measure) == 0;
    if (!measure->is_running) { /* no thread to be had: it takes as long as it takes */
        (void)work(measure);
        measure->is_done = true;
    }
}

void rv_measure_stop(struct rv_measure *measure)
{
    atomic_store_explicit(&measure->is_unwanted, true, memory_order_relaxed);
    if (measure->is_running)
        (void)pthread_join(measure->worker, NULL);
    rv_range_destroy(measure->range);
    measure->range = NULL;
    measure->is_running = measure->is_done = false;
    atomic_store_explicit(&measure->is_unwanted, false, memory_order_relaxed);
    atomic_store_explicit(&measure->is_over, false, memory_order_relaxed);
}

void rv_measure_wait(struct rv_measure *measure)
{
    if (!measure->is_running)
        return;
    (void)pthread_join(measure->worker, NULL);
    measure->is_running = false;
    measure->is_done = true;
}

bool rv_measure_poll(struct rv_measure *measure)
{
    if (!measure->is_running)
        return false;
    if (atomic_load_explicit(&measure->is_over, memory_order_acquire)) /* M2 <- M1 */
        rv_measure_wait(measure);
    return true;
}
