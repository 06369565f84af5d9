#include "tasks/flows.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct rv_flows {
    atomic_size_t n;      /* n_steps; for rv_flows_n(), which must not wait for the lock. No ordering needed */
    pthread_mutex_t lock; /* covers the rest */
    struct rv_flow_step *steps;
    size_t n_steps, capacity;
    uint64_t n_more;
};

struct rv_flows *rv_flows_create(void)
{
    struct rv_flows *flows = rv_alloc(1, sizeof *flows);
    pthread_mutex_init(&flows->lock, NULL);
    return flows;
}

void rv_flows_destroy(struct rv_flows *flows)
{
    if (!flows)
        return;
    pthread_mutex_destroy(&flows->lock);
    free(flows->steps);
    free(flows);
}

size_t rv_flows_add(struct rv_flows *flows, const struct rv_flow_step *step)
{
    size_t number = RV_FLOWS_NONE;
    pthread_mutex_lock(&flows->lock);
    if (flows->n_steps < RV_FLOWS_MOST) {
        flows->steps = rv_vec_reserve(flows->steps, &flows->capacity, flows->n_steps + 1, sizeof *flows->steps);
        number = flows->n_steps++;
        flows->steps[number] = *step;
        atomic_store_explicit(&flows->n, flows->n_steps, memory_order_relaxed);
    } else {
        flows->n_more++;
    }
    pthread_mutex_unlock(&flows->lock);
    return number;
}

void rv_flows_leave(struct rv_flows *flows, size_t number, uint64_t at_ns)
{
    pthread_mutex_lock(&flows->lock);
    if (number < flows->n_steps)
        flows->steps[number].until_ns = at_ns;
    pthread_mutex_unlock(&flows->lock);
}

size_t rv_flows_n(struct rv_flows *flows)
{
    return atomic_load_explicit(&flows->n, memory_order_relaxed);
}

struct rv_flow_step *rv_flows_take(struct rv_flows *flows, size_t *n, uint64_t *n_more)
{
    pthread_mutex_lock(&flows->lock);
    *n = flows->n_steps;
    *n_more = flows->n_more;
    struct rv_flow_step *steps = rv_alloc_scratch(*n + 1, sizeof *steps);
    if (*n)
        memcpy(steps, flows->steps, *n * sizeof *steps);
    pthread_mutex_unlock(&flows->lock);
    return steps;
}
