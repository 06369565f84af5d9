/* A wait may be delivered before the release that ended it, which another lane's block has: so the last waits are looked
 * up anew at each update. */
#include "model/wait_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/vec.h"

#define HELD 4096u /* the last waits: see above */

struct on_lane { /* waits of a lane, by their ends */
    struct waited {
        uint64_t end_ns;
        size_t number;
    } * items;
    size_t n, capacity;
};

struct rv_wait_index {
    pthread_mutex_t lock; /* covers everything below */
    struct rv_waits *waits;
    struct rv_lanes *lanes;
    uint64_t version;
    struct rv_wait_edge *edges; /* as they came */
    size_t n, capacity;
    struct on_lane *on_lanes;   /* by lane_idx */
    size_t n_lanes, n_on_lanes; /* n_on_lanes: edges that are in them */
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
    free(index->edges);
    pthread_mutex_destroy(&index->lock);
    free(index);
}

static uint64_t duration_of(const struct rv_wait *wait)
{
    return wait->end_ns > wait->start_ns ? wait->end_ns - wait->start_ns : 0;
}

/* A lane's waits come in the order of their ends. */
static void add_to_lane(struct rv_wait_index *index, size_t number)
{
    const struct rv_wait *wait = &index->edges[number].wait;
    if (wait->lane >= index->n_lanes)
        index->on_lanes =
            rv_vec_extend(index->on_lanes, &index->n_lanes, (size_t)wait->lane + 1, sizeof *index->on_lanes);
    struct on_lane *lane = &index->on_lanes[wait->lane];
    lane->items = rv_vec_reserve(lane->items, &lane->capacity, lane->n + 1, sizeof *lane->items);
    lane->items[lane->n++] = (struct waited){wait->end_ns, number};
}

void rv_wait_index_update(struct rv_wait_index *index)
{
    pthread_mutex_lock(&index->lock);
    const uint64_t version = rv_waits_version(index->waits);
    if (version != index->version) {
        const size_t first = index->n > HELD ? index->n - HELD : 0;
        size_t n;
        uint64_t n_more;
        struct rv_wait_edge *edges = rv_waits_take_edges(index->waits, index->lanes, first, &n, &n_more);
        index->edges = rv_vec_reserve(index->edges, &index->capacity, first + n, sizeof *index->edges);
        memcpy(index->edges + first, edges, n * sizeof *edges);
        free(edges);
        index->n = first + n;
        index->version = version;
        for (; index->n_on_lanes < index->n; index->n_on_lanes++)
            add_to_lane(index, index->n_on_lanes);
    }
    pthread_mutex_unlock(&index->lock);
}

bool rv_wait_index_get(struct rv_wait_index *index, size_t number, struct rv_wait_edge *edge)
{
    pthread_mutex_lock(&index->lock);
    const bool is_there = number < index->n;
    if (is_there)
        *edge = index->edges[number];
    pthread_mutex_unlock(&index->lock);
    return is_there;
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
    uint64_t longest_ns = 0;
    for (size_t i = first; i < end; i++) {
        const uint64_t n_ns = duration_of(&index->edges[lane->items[i].number].wait);
        sum->n++;
        sum->total_ns += n_ns;
        if (n_ns < longest_ns)
            continue;
        longest_ns = n_ns;
        sum->longest = lane->items[i].number;
    }
    pthread_mutex_unlock(&index->lock);
    return sum->n != 0;
}
