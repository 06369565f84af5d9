#include "export/full_rings.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"

/* Of the threads' time a twentieth, and half a second. */
enum { LEAST_SHARE = 20 };
static const uint64_t LEAST_NS = 500000000;

static uint64_t waited_on(struct rv_lane *lane)
{
    pthread_mutex_lock(&lane->lock);
    const uint64_t waited_ns = lane->full_ring_ns;
    pthread_mutex_unlock(&lane->lock);
    return waited_ns;
}

struct rv_full_rings rv_full_rings_sum(struct rv_lanes *lanes)
{
    struct rv_full_rings sum = {.n_threads = 0};
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        const uint64_t waited_ns = waited_on(lane);
        uint64_t first_ns, last_ns;
        if (!waited_ns || !rv_lane_bounds(lane, &first_ns, &last_ns))
            continue;
        sum.waited_ns += waited_ns;
        sum.lasted_ns += last_ns - first_ns;
        sum.n_threads++;
    }
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
