#include "model/snapshot.h"

#include <stdlib.h>

#include "base/vec.h"
#include "model/span_record.h"
#include "model/timeline_query.h"

/* Begin of the open columns of a level. */
static uint64_t tail_from(uint64_t at_ns, uint32_t level)
{
    uint64_t column = at_ns >> rv_density_shift(level);
    return (column ? column - 1 : 0) << rv_density_shift(level);
}

/* ---- what was open ---- */

static void add_frame(struct rv_snapshot *snapshot, uint64_t start_ns, uint32_t id, uint32_t depth)
{
    snapshot->open =
        rv_vec_reserve(snapshot->open, &snapshot->open_capacity, snapshot->n_open + 1, sizeof *snapshot->open);
    snapshot->open[snapshot->n_open++] = (struct rv_lane_frame){start_ns, id, depth};
}

static void add_later(void *context, const struct rv_box *box)
{
    struct rv_snapshot *snapshot = context;
    snapshot->later =
        rv_vec_reserve(snapshot->later, &snapshot->later_capacity, snapshot->n_later + 1, sizeof *snapshot->later);
    snapshot->later[snapshot->n_later++] = *box;
    if (!(box->flags & RV_SPAN_ORPHAN))
        add_frame(snapshot, box->start_ns, box->id, box->depth);
}

static int by_start(const void *a, const void *b)
{
    const struct rv_lane_frame *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->depth < y->depth ? -1 : x->depth > y->depth;
}

/* ---- what the cells held ---- */

/* Add the exact spans of this level that ended in its open columns by at_ns. */
static void add_spans(struct rv_snapshot *snapshot, const struct rv_timeline *timeline, uint32_t level)
{
    uint64_t from_ns = tail_from(snapshot->at_ns, level);
    for (uint32_t i = 2 * (level - 1); i < 2 * level; i++) {
        const struct rv_chunked_log *log = rv_timeline_log(timeline, i);
        struct rv_chunked_log_at at = rv_chunked_log_find(log, from_ns);
        struct rv_chunked_log_at end = rv_chunked_log_find_after(log, at, rv_clock_after_ns(snapshot->at_ns, 1));
        uint64_t base;
        uint32_t n;
        for (const void *records; (records = rv_chunked_log_walk(log, &at, end, &base, &n));)
            for (uint32_t j = 0; j < n; j++) {
                struct rv_box box = rv_span_record_box(log, records, j, base);
                struct rv_span span = {.start = box.start_ns,
                                       .end = rv_box_end_ns(&box),
                                       .id = box.id,
                                       .depth = box.depth,
                                       .flags = box.flags};
                rv_density_add_back(&snapshot->density, level, &span);
            }
    }
}

/* Rebuild level by level, until a level whose sources were evicted. */
static void remake_cells(struct rv_snapshot *snapshot, const struct rv_timeline *timeline)
{
    rv_density_rewind(&snapshot->density, rv_timeline_density(timeline), snapshot->at_ns);
    for (snapshot->n_levels = 1; snapshot->n_levels < RV_TIMELINE_LEVELS; snapshot->n_levels++) {
        uint32_t level = snapshot->n_levels;
        if (rv_timeline_whole_from_ns(timeline, level - 1) > tail_from(snapshot->at_ns, level))
            return;
        add_spans(snapshot, timeline, level);
    }
}

static bool is_same(const struct rv_snapshot_source *a, const struct rv_snapshot_source *b)
{
    return a->timeline == b->timeline && a->at_ns == b->at_ns && a->n_spans == b->n_spans &&
           a->n_evicted == b->n_evicted && a->n_pages == b->n_pages && a->n_events == b->n_events &&
           a->n_open == b->n_open;
}

void rv_snapshot_update(struct rv_snapshot *snapshot, const struct rv_lane *lane, uint64_t at_ns)
{
    const struct rv_timeline *timeline = lane->timeline;
    struct rv_snapshot_source source = {.timeline = timeline,
                                        .at_ns = at_ns,
                                        .n_spans = rv_timeline_n_spans(timeline),
                                        .n_evicted = rv_timeline_n_evicted(timeline),
                                        .n_pages = rv_timeline_n_pages(timeline),
                                        .n_events = lane->n_events,
                                        .n_open = lane->n_open};
    if (is_same(&snapshot->source, &source))
        return;
    snapshot->source = source;
    snapshot->at_ns = at_ns;
    snapshot->n_open = snapshot->n_later = 0;
    snapshot->is_past = source.n_spans && rv_timeline_last_ns(timeline) > at_ns;
    for (size_t i = 0; i < lane->n_open && lane->open[i].start_ns <= at_ns; i++)
        add_frame(snapshot, lane->open[i].start_ns, lane->open[i].id, lane->open[i].depth);
    if (!snapshot->is_past)
        return;
    rv_timeline_query_across(timeline, at_ns, add_later, snapshot);
    if (snapshot->n_open)
        qsort(snapshot->open, snapshot->n_open, sizeof *snapshot->open, by_start);
    remake_cells(snapshot, timeline);
}

void rv_snapshot_fini(struct rv_snapshot *snapshot)
{
    free(snapshot->open);
    free(snapshot->later);
    rv_density_fini(&snapshot->density);
    *snapshot = (struct rv_snapshot){0};
}

bool rv_snapshot_has_begun(const struct rv_lane *lane, uint64_t at_ns)
{
    uint64_t first_ns = UINT64_MAX;
    if (rv_timeline_n_spans(lane->timeline))
        first_ns = rv_timeline_first_ns(lane->timeline);
    if (lane->n_open && lane->open[0].start_ns < first_ns)
        first_ns = lane->open[0].start_ns;
    if (lane->n_notes && lane->notes[0].start_ns < first_ns)
        first_ns = lane->notes[0].start_ns;
    return first_ns <= at_ns || first_ns == UINT64_MAX;
}

/* ---- queries ---- */

/* The part of the window up to at_ns. */
static void clip(const struct rv_snapshot *snapshot, const uint64_t window_ns[2], uint64_t out[2])
{
    uint64_t end_ns = rv_clock_after_ns(snapshot->at_ns, 1);
    out[0] = window_ns[0];
    out[1] = window_ns[1] < end_ns ? window_ns[1] : end_ns;
}

/* The part of the window whose cells are rebuilt; may be empty. */
static void tail_of(const struct rv_snapshot *snapshot, const uint64_t window_ns[2], uint32_t level, uint64_t out[2])
{
    out[0] = out[1] = window_ns[1];
    if (level == 0 || level >= snapshot->n_levels)
        return;
    uint64_t from_ns = tail_from(snapshot->at_ns, level);
    out[0] = window_ns[0] > from_ns ? window_ns[0] : from_ns;
}

static bool is_exact_at(const struct rv_box *box, uint32_t level)
{
    return level == 0 || box->duration_ns >= UINT64_C(1) << rv_density_shift(level);
}

static bool overlaps(const struct rv_box *box, const uint64_t window_ns[2])
{
    return box->start_ns < window_ns[1] && rv_box_end_ns(box) > window_ns[0];
}

uint64_t rv_snapshot_room(const struct rv_snapshot *snapshot, const struct rv_lane *lane, const uint64_t window_ns[2],
                          uint32_t level)
{
    uint64_t clipped[2], tail[2];
    clip(snapshot, window_ns, clipped);
    uint64_t n = rv_timeline_query_count(lane->timeline, clipped[0], clipped[1], level);
    if (!snapshot->is_past)
        return n;
    tail_of(snapshot, clipped, level, tail);
    return n + (tail[0] < tail[1] ? rv_density_count(&snapshot->density, level, tail[0], tail[1]) : 0);
}

uint64_t rv_snapshot_count(const struct rv_snapshot *snapshot, const struct rv_lane *lane, const uint64_t window_ns[2],
                           uint32_t level)
{
    uint64_t clipped[2], tail[2], n = rv_snapshot_room(snapshot, lane, window_ns, level);
    clip(snapshot, window_ns, clipped);
    if (!snapshot->is_past || clipped[0] >= clipped[1])
        return n;
    for (size_t i = 0; i < snapshot->n_later; i++)
        n -= is_exact_at(&snapshot->later[i], level) && overlaps(&snapshot->later[i], clipped);
    tail_of(snapshot, clipped, level, tail);
    if (tail[0] < tail[1])
        n -= rv_density_count(rv_timeline_density(lane->timeline), level, tail[0], tail[1]);
    return n;
}

size_t rv_snapshot_query(const struct rv_snapshot *snapshot, const struct rv_lane *lane, const uint64_t window_ns[2],
                         uint32_t level, struct rv_box *out, size_t max)
{
    uint64_t clipped[2], tail[2];
    clip(snapshot, window_ns, clipped);
    size_t n = rv_timeline_query_boxes(lane->timeline, clipped[0], clipped[1], level, out, max), n_kept = 0;
    if (!snapshot->is_past)
        return n;
    tail_of(snapshot, clipped, level, tail);
    uint64_t cell_ns = UINT64_C(1) << rv_density_shift(level);
    for (size_t i = 0; i < n; i++) {
        bool is_exact = out[i].coverage == RV_BOX_EXACT;
        bool is_in_tail = tail[0] < tail[1] && rv_box_end_ns(&out[i]) > tail[0] && out[i].duration_ns == cell_ns;
        if (is_exact ? rv_box_end_ns(&out[i]) <= snapshot->at_ns : !is_in_tail)
            out[n_kept++] = out[i];
    }
    if (tail[0] < tail[1])
        n_kept += rv_density_query(&snapshot->density, level, tail[0], tail[1], out + n_kept, max - n_kept);
    return n_kept;
}
