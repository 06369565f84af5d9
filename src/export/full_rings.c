#include "export/full_rings.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/units.h"
#include "base/vec.h"
#include "waits/reader.h"

/* Of the threads' time a twentieth, and half a second. */
enum { LEAST_SHARE = 20 };
static const uint64_t LEAST_NS = 500000000;

static uint64_t waited_on(struct rv_lane *lane)
{
    pthread_rwlock_wrlock(&lane->lock);
    const uint64_t waited_ns = lane->full_ring_ns;
    pthread_rwlock_unlock(&lane->lock);
    return waited_ns;
}

struct in_range {
    uint64_t from_ns, to_ns;
    uint64_t *waited_ns; /* by lane */
    size_t n_lanes;
};

static void add_thread(struct rv_full_rings *sum, struct rv_lane *lane, uint64_t waited_ns,
                       const struct in_range *range)
{
    uint64_t first_ns, last_ns;
    if (!waited_ns || !rv_lane_bounds(lane, &first_ns, &last_ns))
        return;
    first_ns = rv_clock_later_ns(first_ns, range->from_ns);
    last_ns = rv_clock_earlier_ns(last_ns, range->to_ns);
    sum->waited_ns += waited_ns;
    sum->lasted_ns += last_ns > first_ns ? last_ns - first_ns : 0;
    sum->n_threads++;
}

struct rv_full_rings rv_full_rings_sum(struct rv_lanes *lanes)
{
    static const struct in_range all = {.to_ns = UINT64_MAX};
    struct rv_full_rings sum = {.n_threads = 0};
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        add_thread(&sum, lane, waited_on(lane), &all);
    }
    return sum;
}

static bool add_wait(void *context, const struct rv_wait *wait, rv_wait_place place)
{
    const struct in_range *range = context;
    const uint64_t from_ns = rv_clock_later_ns(wait->start_ns, range->from_ns),
                   to_ns = rv_clock_earlier_ns(wait->end_ns, range->to_ns);
    (void)place;
    if (wait->kind == RV_WAIT_FULL_RING && wait->lane < range->n_lanes && to_ns > from_ns)
        range->waited_ns[wait->lane] += to_ns - from_ns;
    return true;
}

/* Those that end in it, and those that end after it. */
static void add_waits(struct in_range *range, struct rv_wait_reader *reader)
{
    struct rv_wait wait;
    rv_wait_place place;
    rv_wait_reader_each(reader, range->from_ns, range->to_ns, add_wait, range);
    for (uint32_t i = 0; i < range->n_lanes; i++)
        if (rv_wait_reader_present(reader, i, range->to_ns, &wait, &place))
            (void)add_wait(range, &wait, place);
}

struct rv_full_rings rv_full_rings_between(struct rv_lanes *lanes, struct rv_waits *waits, uint64_t from_ns,
                                           uint64_t to_ns)
{
    struct in_range range = {.from_ns = from_ns, .to_ns = to_ns, .n_lanes = rv_lanes_n(lanes)};
    struct rv_full_rings sum = {.n_threads = 0};
    struct rv_wait_reader *reader = rv_wait_reader_open(waits, NULL, NULL);
    range.waited_ns = rv_alloc(range.n_lanes + 1, sizeof *range.waited_ns);
    add_waits(&range, reader);
    const bool is_known = !rv_wait_reader_has_missed(reader) && rv_waits_state(waits).gone_ns <= from_ns;
    for (size_t i = 0; i < range.n_lanes && is_known; i++)
        add_thread(&sum, rv_lanes_get(lanes, i), range.waited_ns[i], &range);
    free(range.waited_ns);
    rv_wait_reader_close(reader);
    return sum;
}

const char *rv_full_rings_words(const struct rv_full_rings *full_rings, char out[RV_FULL_RINGS_BYTES])
{
    char waited[32], lasted[32];
    *out = '\0';
    if (full_rings->waited_ns < LEAST_NS || full_rings->waited_ns <= full_rings->lasted_ns / LEAST_SHARE)
        return out;
    rv_units_format_ns(waited, sizeof waited, full_rings->waited_ns);
    rv_units_format_ns(lasted, sizeof lasted, full_rings->lasted_ns);
    (void)snprintf(out, RV_FULL_RINGS_BYTES,
                   "of %s, %zu thread%s waited %s until ringviz had read their events: trace fewer calls (-x, "
                   "--max-overhead), or give more room (--ring-events)",
                   lasted, full_rings->n_threads, rv_units_word(full_rings->n_threads, "", "s"), waited);
    return out;
}

void rv_full_rings_add_json(struct rv_text_buffer *text, const struct rv_full_rings *full_rings)
{
    if (full_rings->n_threads)
        rv_text_buffer_format(text,
                              ",\"full_rings\":{\"threads\":%zu,\"waited_ns\":%" PRIu64 ",\"lasted_ns\":%" PRIu64 "}",
                              full_rings->n_threads, full_rings->waited_ns, full_rings->lasted_ns);
}
