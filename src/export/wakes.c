#include "export/wakes.h"

#include <stdlib.h>

#include "base/vec.h"
#include "waits/reader.h"

struct reading {
    struct rv_wait_reader *reader;
    const struct rv_lanes *lanes;
    const struct rv_slice *part;
    struct rv_wakes wakes;
    size_t capacity;
};

/* The moment at which the waker acted. Where it is not known: of a thread's or process's end its last, of a lock's owner the
 * begin of the wait, when it had the lock. */
static uint64_t moment_of(const struct rv_wait_edge *edge)
{
    const bool is_end = edge->wait.kind == RV_WAIT_PROCESS || edge->wait.kind == RV_WAIT_JOIN;
    const uint64_t known_ns = edge->released_ns ? edge->released_ns : edge->wait.woke_ns;
    const uint64_t at_ns = known_ns ? known_ns : is_end ? edge->waker->last_ns : edge->wait.start_ns;
    return at_ns < edge->wait.end_ns ? at_ns : edge->wait.end_ns;
}

static bool is_in(const struct reading *reading, const struct rv_wake_end *end)
{
    return rv_slice_has_time(reading->part, end->at_ns) &&
           rv_slice_has_lane(reading->part, rv_lanes_get(reading->lanes, end->lane));
}

static bool add_wait(void *context, const struct rv_wait *wait, rv_wait_place place)
{
    struct reading *reading = context;
    struct rv_wakes *wakes = &reading->wakes;
    const struct rv_wait_edge edge = rv_wait_reader_edge(reading->reader, wait);
    (void)place;
    if (!edge.waker || wait->wake == RV_WAKE_UNKNOWN)
        return true;
    const struct rv_wake_end waker = {moment_of(&edge), edge.waker->idx, wait->object, wakes->n / 2,
                                      wait->kind,       wait->wake,      false};
    struct rv_wake_end waiter = waker;
    waiter.at_ns = wait->end_ns;
    waiter.lane = wait->lane;
    waiter.is_waiter = true;
    if (!is_in(reading, &waker) || !is_in(reading, &waiter))
        return true;
    wakes->ends = rv_vec_reserve(wakes->ends, &reading->capacity, wakes->n + 2, sizeof *wakes->ends);
    wakes->ends[wakes->n++] = waker;
    wakes->ends[wakes->n++] = waiter;
    return true;
}

static int by_lane(const void *a, const void *b)
{
    const struct rv_wake_end *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->is_waiter - y->is_waiter;
}

struct rv_wakes rv_wakes_read(struct rv_waits *waits, const struct rv_lanes *lanes, const struct rv_slice *part)
{
    if (!waits)
        return (struct rv_wakes){0};
    struct reading reading = {.reader = rv_wait_reader_open(waits, NULL, NULL), .lanes = lanes, .part = part};
    rv_wait_reader_each(reading.reader, part->from_ns, UINT64_MAX, add_wait, &reading);
    rv_wait_reader_close(reading.reader);
    if (reading.wakes.n)
        qsort(reading.wakes.ends, reading.wakes.n, sizeof *reading.wakes.ends, by_lane);
    return reading.wakes;
}

void rv_wakes_fini(struct rv_wakes *wakes)
{
    free(wakes->ends);
}

size_t rv_wakes_find(const struct rv_wakes *wakes, uint32_t lane)
{
    size_t low = 0, high = wakes->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (wakes->ends[middle].lane < lane)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
