/*
 * Each lane has a log of calls for each bucket of durations. The buckets are counted from the longest durations down, each in all
 * lanes and in slices of durations, until there are enough calls.
 */
#include "model/least_listed.h"

#include <string.h>

#include "model/chunked_log.h"
#include "model/span_record.h"

#define N_SLICES 64u
#define MOST_READ (UINT64_C(1) << 20) /* records: some 2 ms */

struct counting {
    const struct rv_range_scope *scope;
    uint64_t n_read;
    uint64_t least_ns, slice_ns; /* of the bucket that is counted */
    uint64_t counts[N_SLICES];
};

/* Of a lane: its pieces follow each other. */
static bool is_first_of_lane(const struct rv_range_piece *pieces, size_t i)
{
    return i == 0 || pieces[i].lane_idx != pieces[i - 1].lane_idx;
}

static void count_call(struct counting *counting, const struct rv_lane *lane, const struct rv_box *box)
{
    const struct rv_range_scope *scope = counting->scope;
    if (rv_range_scope_id(scope, box->id) != scope->calls_of || box->flags & RV_SPAN_ORPHAN ||
        !rv_box_overlaps(box, scope->from_ns, scope->to_ns) ||
        (scope->filter && !rv_filter_passes_box(scope->filter, lane, box)))
        return;
    const uint64_t slice = (box->duration_ns - counting->least_ns) / counting->slice_ns;
    counting->counts[slice < N_SLICES ? slice : N_SLICES - 1]++;
}

/*
 * Count the calls of a chunk from a record on, those that had ended when the range was begun. Returns the ordinal of the next
 * chunk's first record, 0: there is none.
 */
static uint64_t count_chunk(struct counting *counting, const struct rv_lane *lane, const struct rv_chunked_log *log,
                            struct rv_chunked_log_at at, uint64_t end_ns)
{
    const uint64_t ordinal = rv_chunked_log_ordinal(log, at);
    uint64_t base;
    uint32_t n;
    const void *records = rv_chunked_log_walk(log, &at, rv_chunked_log_find(log, end_ns), &base, &n);
    for (uint32_t i = 0; records && i < n; i++) {
        const struct rv_box box = rv_span_record_box(log, records, i, base);
        count_call(counting, lane, &box);
    }
    counting->n_read += records ? n : 0;
    return records ? ordinal + n : 0;
}

static void count_log(struct counting *counting, const struct rv_range_piece *piece, uint32_t log_idx)
{
    struct rv_lane *lane = rv_lanes_get(counting->scope->lanes, piece->lane_idx);
    const struct rv_chunked_log *log = rv_timeline_log(lane->timeline, log_idx);
    const uint64_t end_ns =
        rv_clock_earlier_ns(rv_clock_after_ns(piece->known_ns, 1),
                            rv_clock_after_ns(counting->scope->to_ns, rv_timeline_log_limit(log_idx)));
    uint64_t ordinal = 0;
    do {
        pthread_rwlock_rdlock(&lane->lock);
        const struct rv_chunked_log_at at =
            ordinal ? rv_chunked_log_nth(log, ordinal) : rv_chunked_log_find(log, counting->scope->from_ns);
        ordinal = count_chunk(counting, lane, log, at, end_ns);
        pthread_rwlock_unlock(&lane->lock);
    } while (ordinal && counting->n_read < MOST_READ);
}

/* Durations of bucket b are less than this, those of b + 1 are not. */
static uint64_t limit_of(uint32_t bucket)
{
    return rv_timeline_log_limit(2 * bucket);
}

static void count_bucket(struct counting *counting, const struct rv_range_piece *pieces, size_t n_pieces,
                         uint32_t bucket)
{
    counting->least_ns = bucket ? limit_of(bucket - 1) : 0;
    counting->slice_ns = (limit_of(bucket) - counting->least_ns) / N_SLICES;
    memset(counting->counts, 0, sizeof counting->counts);
    for (size_t i = 0; i < n_pieces; i++)
        for (uint32_t log_idx = 2 * bucket; log_idx < 2 * bucket + 2 && is_first_of_lane(pieces, i); log_idx++)
            count_log(counting, &pieces[i], log_idx);
}

/* Shorter calls are not in all lanes, or their logs have sums. */
static uint32_t first_log(const struct rv_range_scope *scope, const struct rv_range_piece *pieces, size_t n_pieces)
{
    uint32_t first = 0;
    for (size_t i = 0; i < n_pieces; i++) {
        if (!is_first_of_lane(pieces, i))
            continue;
        struct rv_lane *lane = rv_lanes_get(scope->lanes, pieces[i].lane_idx);
        pthread_rwlock_rdlock(&lane->lock);
        const bool is_paged =
            rv_timeline_paged_before_ns(lane->timeline, scope->from_ns, scope->to_ns) > scope->from_ns;
        const uint32_t log_idx = is_paged ? 2 * RV_TIMELINE_REACH : rv_timeline_first_log(lane->timeline);
        pthread_rwlock_unlock(&lane->lock);
        first = log_idx > first ? log_idx : first;
    }
    return first;
}

uint64_t rv_least_listed_ns(const struct rv_range_scope *scope, const struct rv_range_piece *pieces, size_t n_pieces)
{
    struct counting counting = {.scope = scope};
    uint64_t n = 0;
    const uint32_t first_bucket = first_log(scope, pieces, n_pieces) / 2;
    for (uint32_t bucket = RV_TIMELINE_LEVELS; bucket > first_bucket && counting.n_read < MOST_READ;) {
        count_bucket(&counting, pieces, n_pieces, --bucket);
        for (uint32_t slice = N_SLICES; slice-- > 0;) {
            n += counting.counts[slice];
            if (n >= RV_CALL_LIST_MOST)
                return counting.least_ns + slice * counting.slice_ns;
        }
    }
    return 0;
}
