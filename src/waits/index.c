/* Who ended a wait is looked up when it is asked for: the release may be delivered long after the wait, in another lane's
 * block. */
#include "waits/index.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"

struct on_lane { /* waits of a lane, by their ends */
    struct waited {
        uint64_t end_ns, n_ns;
        size_t number;
    } * items;
    size_t n, capacity;
};

struct rv_wait_index {
    pthread_mutex_t lock; /* covers everything below */
    struct rv_waits *waits;
    struct rv_lanes *lanes;
    struct on_lane *on_lanes; /* by lane_idx */
    size_t n_lanes, n;        /* n: waits that are in them */
};

struct rv_wait_index *rv_wait_index_create(struct rv_waits *waits, struct rv_lanes *lanes)
{
    struct rv_wait_index *index = rv_alloc(1, sizeof *index);
    pthread_mutex_init(&index->lock, NULL);
    index->waits = waits;
    index->lanes = lanes;
    return index;
}

void rv_wait_index_destroy(struct rv_wait_index *index)
{
    if (!index)
        return;
    for (size_t i = 0; i < index->n_lanes; i++)
        free(index->on_lanes[i].items);
    free(index->on_lanes);
    pthread_mutex_destroy(&index->lock);
    free(index);
}

/* A lane's waits come in the order of their ends. */
static void add(struct rv_wait_index *index, const struct rv_wait *wait)
{
    const uint64_t n_ns = wait->end_ns > wait->start_ns ? wait->end_ns - wait->start_ns : 0;
    if (wait->lane >= index->n_lanes)
        index->on_lanes =
            rv_vec_extend(index->on_lanes, &index->n_lanes, (size_t)wait->lane + 1, sizeof *index->on_lanes);
    struct on_lane *lane = &index->on_lanes[wait->lane];
    lane->items = rv_vec_reserve(lane->items, &lane->capacity, lane->n + 1, sizeof *lane->items);
    lane->items[lane->n++] = (struct waited){wait->end_ns, n_ns, index->n++};
}

void rv_wait_index_update(struct rv_wait_index *index)
{
    pthread_mutex_lock(&index->lock);
    size_t n;
    struct rv_wait *came = rv_waits_take(index->waits, index->n, &n);
    for (size_t i = 0; i < n; i++)
        add(index, &came[i]);
    free(came);
    pthread_mutex_unlock(&index->lock);
}

bool rv_wait_index_get(struct rv_wait_index *index, size_t number, struct rv_wait_edge *edge)
{
    return rv_waits_find_edge(index->waits, index->lanes, number, edge);
}

bool rv_wait_index_sum(struct rv_wait_index *index, uint32_t lane_idx, uint64_t from_ns, uint64_t to_ns,
                       struct rv_wait_sum *sum)
{
    *sum = (struct rv_wait_sum){0};
    pthread_mutex_lock(&index->lock);
    const struct on_lane *lane = lane_idx < index->n_lanes ? &index->on_lanes[lane_idx] : NULL;
    const size_t offset = offsetof(struct waited, end_ns);
    const size_t first = lane ? rv_bisect_count(lane->items, lane->n, sizeof *lane->items, offset, from_ns) : 0;
    const size_t end = lane ? rv_bisect_count(lane->items, lane->n, sizeof *lane->items, offset, to_ns) : 0;
    for (size_t i = first; i < end; i++) {
        const uint64_t n_ns = lane->items[i].n_ns;
        sum->n++;
        sum->total_ns += n_ns;
        if (n_ns < sum->longest_ns)
            continue;
        sum->longest_ns = n_ns;
        sum->longest = lane->items[i].number;
    }
    pthread_mutex_unlock(&index->lock);
    return sum->n != 0;
}
