#include "model/lane_sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct ranked {
    uint64_t n_events, n_of_process;
    uint32_t process, lane_idx;
    size_t place; /* as they came */
    char name[RV_LANE_NAME_BYTES], process_name[RV_LANE_NAME_BYTES];
};

static int by_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_name(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    int result = strverscmp(x->process_name, y->process_name);
    result = result ? result : by_number(x->process, y->process);
    result = result ? result : strverscmp(x->name, y->name);
    return result ? result : by_number(x->place, y->place);
}

static int by_events(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    int result = by_number(y->n_of_process, x->n_of_process);
    result = result ? result : by_number(x->process, y->process);
    result = result ? result : by_number(y->n_events, x->n_events);
    return result ? result : by_number(x->place, y->place);
}

static struct ranked *rank(const struct rv_lane_choices *lane_order, const struct rv_lanes *lanes)
{
    struct ranked *ranked = rv_alloc(lane_order->n_lanes, sizeof *ranked);
    uint64_t *n_of_process = rv_alloc(lane_order->n_processes, sizeof *n_of_process);
    for (size_t i = 0; i < lane_order->n_lanes; i++) {
        const uint32_t lane_idx = lane_order->as_they_came[i];
        struct rv_lane *lane = rv_lanes_get(lanes, lane_idx);
        ranked[i] = (struct ranked){.process = lane_order->lanes[lane_idx].process, .lane_idx = lane_idx, .place = i};
        pthread_rwlock_wrlock(&lane->lock);
        memcpy(ranked[i].name, lane->name, sizeof ranked[i].name);
        memcpy(ranked[i].process_name, lane->process_name, sizeof ranked[i].process_name);
        ranked[i].n_events = lane->n_events;
        pthread_rwlock_unlock(&lane->lock);
        n_of_process[ranked[i].process] += ranked[i].n_events;
    }
    for (size_t i = 0; i < lane_order->n_lanes; i++)
        ranked[i].n_of_process = n_of_process[ranked[i].process];
    free(n_of_process);
    return ranked;
}

void rv_lane_sort(struct rv_lane_choices *lane_order, const struct rv_lanes *lanes, enum rv_lanes_sorted by)
{
    lane_order->sorted = by;
    if (lane_order->n_lanes == 0)
        return;
    struct ranked *ranked = rank(lane_order, lanes);
    if (by != RV_LANES_AS_THEY_CAME)
        qsort(ranked, lane_order->n_lanes, sizeof *ranked, by == RV_LANES_BY_NAME ? by_name : by_events);
    for (size_t i = 0; i < lane_order->n_lanes; i++)
        lane_order->order[i] = ranked[i].lane_idx;
    free(ranked);
}

const char *rv_lane_sort_name(enum rv_lanes_sorted by)
{
    static const char *const names[RV_LANES_SORTED_COUNT] = {
        [RV_LANES_AS_THEY_CAME] = "as they came", [RV_LANES_BY_NAME] = "by name", [RV_LANES_BY_EVENTS] = "by events"};
    return names[by];
}
