#include "export/thread_owners.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/thread_family.h"

static struct rv_thread_owner owner_of(struct rv_lane *lane, size_t idx)
{
    char name[RV_LANE_NAME_BYTES];
    struct rv_thread_owner owner = {
        .process_key = lane->process_key, .first_idx = idx, .pid = lane->pid, .n_threads = lane->stack == 0};
    pthread_rwlock_wrlock(&lane->lock);
    rv_lane_copy_thread_name(lane, name);
    owner.max_depth = lane->max_depth;
    owner.n_events = lane->n_events;
    owner.times = lane->times;
    pthread_rwlock_unlock(&lane->lock);
    owner.times.away_ns = 0;
    rv_thread_family_owner(name, owner.name);
    owner.has_further_names = strcmp(name, owner.name) != 0;
    return owner;
}

static int by_name(const void *a, const void *b)
{
    const struct rv_thread_owner *x = a, *y = b;
    if (x->process_key != y->process_key)
        return x->process_key < y->process_key ? -1 : 1;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->first_idx > y->first_idx) - (x->first_idx < y->first_idx);
}

static int by_first_lane(const void *a, const void *b)
{
    const struct rv_thread_owner *x = a, *y = b;
    return (x->first_idx > y->first_idx) - (x->first_idx < y->first_idx);
}

static void add(struct rv_thread_owner *into, const struct rv_thread_owner *owner)
{
    into->n_threads += owner->n_threads;
    into->has_further_names |= owner->has_further_names;
    into->max_depth = owner->max_depth > into->max_depth ? owner->max_depth : into->max_depth;
    into->n_events += owner->n_events;
    rv_state_times_add(&into->times, &owner->times);
}

struct rv_thread_owner *rv_thread_owners_take(struct rv_lane *const *lanes, size_t n_lanes, size_t *n)
{
    struct rv_thread_owner *owners = rv_alloc(n_lanes, sizeof *owners);
    for (size_t i = 0; i < n_lanes; i++)
        owners[i] = owner_of(lanes[i], i);
    qsort(owners, n_lanes, sizeof *owners, by_name);
    *n = 0;
    for (size_t i = 0; i < n_lanes;) {
        struct rv_thread_owner sum = owners[i++];
        for (; i < n_lanes && owners[i].process_key == sum.process_key && strcmp(owners[i].name, sum.name) == 0; i++)
            add(&sum, &owners[i]);
        if (sum.n_threads > 1 && sum.has_further_names)
            owners[(*n)++] = sum;
    }
    qsort(owners, *n, sizeof *owners, by_first_lane);
    return owners;
}
