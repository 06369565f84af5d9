/*
 * Each lane has a log of calls for each bucket of durations. The buckets are read from the longest durations down, or from the
 * shortest up, each in all lanes, until there are enough calls: no other one is as long, or as short. By start, each log is read
 * from its begin or from its end until no other call of it begins as early, or as late. What a call has inside and around it is
 * measured by a walk (model/range_walk.h) through its own time, where that is short.
 */
#include "model/first_calls.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/vec.h"
#include "model/chunked_log.h"
#include "model/range_walk.h"
#include "model/span_record.h"

#define MOST_VISITED 1024u /* calls in the time of one that is measured: some 50 us */
#define PIECE 8192u        /* records under a lane's lock: some 50 us. Others that read the lane take it often */

struct known { /* of a lane, when all began: what comes later is left out */
    uint64_t n_logged[RV_TIMELINE_LOGS];
    uint64_t known_ns, open_end_ns;
    bool passes;
};

struct finding {
    const struct rv_first_calls_params *params;
    struct rv_range_scope scope;
    struct known *known; /* by lane */
    size_t n_lanes;
    uint32_t first_bucket; /* some lane has shorter calls in blocks only */
    struct rv_call_list *list;
};

static bool is_wanted(const struct finding *finding)
{
    return finding->params->is_wanted(finding->params->context);
}

/* ---- calls ---- */

/* Keep a call of the subroutine if it is one of the range. */
static void look_at(struct finding *finding, const struct rv_lane *lane, const struct rv_box *box)
{
    const struct rv_range_scope *scope = &finding->scope;
    if (box->flags & RV_SPAN_ORPHAN || !rv_box_overlaps(box, scope->from_ns, scope->to_ns) ||
        (scope->filter && !rv_filter_passes_box(scope->filter, lane, box)))
        return;
    rv_call_list_keep(finding->list, &(struct rv_call){.start_ns = box->start_ns,
                                                       .duration_ns = box->duration_ns,
                                                       .self_ns = RV_CALL_UNMEASURED,
                                                       .id = box->id,
                                                       .lane_idx = lane->idx,
                                                       .depth = box->depth,
                                                       .caller = RV_CALL_NO_CALLER,
                                                       .flags = box->flags});
}

static bool is_one(const struct finding *finding, uint32_t id)
{
    return rv_range_scope_id(&finding->scope, id) == finding->scope.calls_of;
}

struct records { /* of a log, by their ordinals: those of the range that were there when all began */
    uint64_t from, to;
};

static struct records records_of(const struct finding *finding, const struct rv_lane *lane, uint32_t log_idx)
{
    const struct rv_range_scope *scope = &finding->scope;
    const struct rv_chunked_log *log = rv_timeline_log(lane->timeline, log_idx);
    const uint64_t last_ns = rv_clock_after_ns(scope->to_ns, rv_timeline_log_limit(log_idx));
    const uint64_t n_logged = finding->known[lane->idx].n_logged[log_idx];
    const uint64_t to = rv_chunked_log_ordinal(log, rv_chunked_log_find(log, last_ns));
    return (struct records){rv_chunked_log_ordinal(log, rv_chunked_log_find(log, scope->from_ns)),
                            to < n_logged ? to : n_logged};
}

/* May a call before or behind this record be among the first? By duration, any may. */
static bool may_follow(const struct finding *finding, const struct rv_chunked_log *log, uint32_t log_idx,
                       uint64_t ordinal)
{
    const struct rv_chunked_log_at at = rv_chunked_log_nth(log, ordinal);
    const uint64_t limit_ns = rv_timeline_log_limit(log_idx);
    if (finding->list->order < RV_CALL_LIST_EARLIEST || at.chunk == log->n)
        return true;
    const struct rv_box box = rv_span_record_box_at(log, &at);
    uint64_t start_ns = rv_box_end_ns(&box); /* of one that ends then, at the latest; */
    if (finding->list->order == RV_CALL_LIST_EARLIEST)
        start_ns = start_ns > limit_ns ? start_ns - limit_ns : 0; /* and at the earliest */
    return !rv_call_list_is_beyond(finding->list, start_ns, 0);
}

/* Look at the calls among some records. */
static void look_at_records(struct finding *finding, const struct rv_lane *lane, const struct rv_chunked_log *log,
                            const struct records *some)
{
    struct rv_chunked_log_at at = rv_chunked_log_nth(log, some->from);
    uint64_t ordinal = rv_chunked_log_ordinal(log, at), base; /* older ones may have been dropped */
    const void *records;
    for (uint32_t n;
         ordinal < some->to && (records = rv_chunked_log_walk(log, &at, rv_chunked_log_end(log), &base, &n));
         ordinal += n)
        for (uint32_t i = 0; i < n && ordinal + i < some->to; i++) { /* nearly all are beyond: that is asked first */
            const struct rv_box box = rv_span_record_box(log, records, i, base);
            if (!rv_call_list_is_beyond(finding->list, box.start_ns, box.duration_ns) && is_one(finding, box.id))
                look_at(finding, lane, &box);
        }
}

/* In pieces, so that the lane's lock is never held for long. */
static void look_at_log(struct finding *finding, struct rv_lane *lane, uint32_t log_idx)
{
    const struct rv_chunked_log *log = rv_timeline_log(lane->timeline, log_idx);
    const bool is_backward = finding->list->order == RV_CALL_LIST_LATEST;
    bool has_more = true;
    if (!finding->known[lane->idx].n_logged[log_idx])
        return;
    pthread_rwlock_rdlock(&lane->lock);
    struct records left = records_of(finding, lane, log_idx);
    pthread_rwlock_unlock(&lane->lock);
    while (has_more && left.from < left.to && is_wanted(finding)) {
        struct records some = left;
        if (is_backward)
            left.to = some.from = left.to - left.from > PIECE ? left.to - PIECE : left.from;
        else
            left.from = some.to = left.to - left.from > PIECE ? left.from + PIECE : left.to;
        pthread_rwlock_rdlock(&lane->lock);
        look_at_records(finding, lane, log, &some);
        has_more = may_follow(finding, log, log_idx, is_backward ? some.from : some.to - 1);
        pthread_rwlock_unlock(&lane->lock);
    }
}

static void look_at_bucket(struct finding *finding, uint32_t bucket)
{
    for (size_t i = 0; i < finding->n_lanes; i++)
        for (uint32_t log_idx = 2 * bucket; log_idx < 2 * bucket + 2 && finding->known[i].passes; log_idx++)
            look_at_log(finding, rv_lanes_get(finding->scope.lanes, i), log_idx);
}

/* ---- what lanes have at first ---- */

static void look_at_open(struct finding *finding, const struct rv_lane *lane)
{
    const struct known *known = &finding->known[lane->idx];
    for (size_t i = 0; i < lane->n_open && known->passes; i++) {
        const struct rv_box box = rv_lane_frame_box(&lane->open[i], known->open_end_ns);
        if (is_one(finding, box.id))
            look_at(finding, lane, &box);
    }
}

/* The first log that has all of its calls. */
static uint32_t first_log(const struct rv_timeline *timeline, const struct rv_range_scope *scope)
{
    const bool is_paged = rv_timeline_paged_before_ns(timeline, scope->from_ns, scope->to_ns) > scope->from_ns;
    return is_paged ? 2 * RV_TIMELINE_REACH : rv_timeline_first_log(timeline);
}

static void begin_lane(struct finding *finding, struct rv_lane *lane, uint64_t newest_ns)
{
    struct known *known = &finding->known[lane->idx];
    pthread_rwlock_rdlock(&lane->lock);
    const struct rv_timeline *timeline = lane->timeline;
    known->known_ns = rv_lane_known_ns(lane);
    known->open_end_ns = rv_lane_open_end_ns(lane, newest_ns);
    known->passes = rv_filter_passes_thread(finding->scope.filter, lane->name);
    for (uint32_t i = 0; i < RV_TIMELINE_LOGS; i++) {
        const struct rv_chunked_log *log = rv_timeline_log(timeline, i);
        known->n_logged[i] = rv_chunked_log_ordinal(log, rv_chunked_log_end(log));
    }
    const uint32_t bucket = first_log(timeline, &finding->scope) / 2;
    finding->first_bucket = bucket > finding->first_bucket ? bucket : finding->first_bucket;
    look_at_open(finding, lane);
    pthread_rwlock_unlock(&lane->lock);
}

static void begin(struct finding *finding)
{
    const struct rv_range_statistics_params *range = finding->params->range;
    struct rv_range_scope *scope = &finding->scope;
    *scope = (struct rv_range_scope){.from_ns = range->from_ns,
                                     .to_ns = range->to_ns,
                                     .lanes = range->lanes,
                                     .filter = range->filter,
                                     .lists_calls = true};
    (void)rv_filter_update(range->filter, range->subroutines, SIZE_MAX);
    scope->as_id = rv_subroutines_take_namesakes(range->subroutines, &scope->n_as_ids);
    scope->calls_of = rv_range_scope_id(scope, range->calls_of);
    finding->n_lanes = rv_lanes_n(range->lanes);
    finding->known = rv_alloc(finding->n_lanes, sizeof *finding->known);
    const uint64_t newest_ns = rv_lanes_newest_ns(range->lanes);
    for (size_t i = 0; i < finding->n_lanes; i++)
        begin_lane(finding, rv_lanes_get(range->lanes, i), newest_ns);
}

/* ---- what is inside and around a call ---- */

/* One that takes no time may begin with the next one, and be as deep. */
static bool is_same(const struct rv_call *a, const struct rv_call *b)
{
    return a->start_ns == b->start_ns && a->duration_ns == b->duration_ns && a->depth == b->depth;
}

static void measure(const struct finding *finding, struct rv_range_walk *walk, struct rv_call *call)
{
    const struct known *known = &finding->known[call->lane_idx];
    struct rv_range_piece piece = {.from_ns = rv_clock_later_ns(call->start_ns, finding->scope.from_ns),
                                   .to_ns = rv_clock_earlier_ns(rv_call_end_ns(call), finding->scope.to_ns),
                                   .known_ns = known->known_ns,
                                   .open_end_ns = known->open_end_ns,
                                   .lane_idx = call->lane_idx};
    piece.to_ns += piece.to_ns == piece.from_ns;
    struct rv_range_part part = {.pieces = &piece, .n_pieces = 1};
    rv_range_walk_begin(walk, &part);
    (void)rv_range_walk_step(walk, MOST_VISITED);
    const bool is_over = rv_range_walk_is_over(walk);
    for (size_t i = 0; is_over && i < part.calls.n; i++)
        if (is_same(&part.calls.calls[i], call))
            *call = part.calls.calls[i];
    if (!is_over) {
        rv_range_walk_fini(walk);
        *walk = (struct rv_range_walk){.scope = &finding->scope};
    }
    rv_range_part_fini(&part);
}

static void measure_first(const struct finding *finding)
{
    struct rv_range_walk walk = {.scope = &finding->scope};
    for (size_t i = 0; i < finding->list->n && i < RV_FIRST_CALLS_MEASURED && is_wanted(finding); i++)
        measure(finding, &walk, &finding->list->calls[i]);
    rv_range_walk_fini(&walk);
}

/* ---- */

/* Leave the calls of the buckets that were read in all lanes: others may come before the rest. */
static void leave_known(struct rv_call_list *list, uint64_t least_ns, uint64_t most_ns)
{
    size_t n = list->n;
    while (n > 0 && (list->calls[n - 1].duration_ns < least_ns || list->calls[n - 1].duration_ns >= most_ns))
        n--;
    rv_call_list_leave(list, n);
}

/* Durations of bucket b are less than this, those of b + 1 are not. */
static uint64_t limit_of(uint32_t bucket)
{
    return rv_timeline_log_limit(2 * bucket);
}

static bool wants_more(const struct finding *finding)
{
    return finding->list->n < RV_FIRST_CALLS_MOST && is_wanted(finding);
}

static void find_longest(struct finding *finding)
{
    uint32_t bucket = RV_TIMELINE_LEVELS;
    while (bucket > finding->first_bucket && wants_more(finding))
        look_at_bucket(finding, --bucket);
    rv_call_list_finish(finding->list);
    leave_known(finding->list, bucket ? limit_of(bucket - 1) : 0, UINT64_MAX);
}

static void find_shortest(struct finding *finding)
{
    uint32_t bucket = 0;
    while (bucket < RV_TIMELINE_LEVELS && wants_more(finding))
        look_at_bucket(finding, bucket++);
    rv_call_list_finish(finding->list);
    leave_known(finding->list, 0, bucket < RV_TIMELINE_LEVELS ? limit_of(bucket - 1) : UINT64_MAX);
}

static void find_by_start(struct finding *finding)
{
    for (uint32_t bucket = 0; bucket < RV_TIMELINE_LEVELS && is_wanted(finding); bucket++)
        look_at_bucket(finding, bucket);
    rv_call_list_finish(finding->list);
}

static void find(struct finding *finding)
{
    switch (finding->list->order) {
    case RV_CALL_LIST_LONGEST:
        find_longest(finding);
        break;
    case RV_CALL_LIST_SHORTEST:
        find_shortest(finding);
        break;
    case RV_CALL_LIST_EARLIEST:
    case RV_CALL_LIST_LATEST:
        find_by_start(finding);
        break;
    }
}

void rv_first_calls_find(struct rv_call_list *list, const struct rv_first_calls_params *params)
{
    struct finding finding = {.params = params, .list = list};
    if (params->range->time != RV_TIME_WALL) /* lanes have no calls by other times */
        return;
    list->most = RV_FIRST_CALLS_MOST;
    list->order = params->range->list_order;
    begin(&finding);
    if (list->order == RV_CALL_LIST_LONGEST || finding.first_bucket == 0)
        find(&finding);
    else
        rv_call_list_fini(list);
    measure_first(&finding);
    free(finding.scope.as_id);
    free(finding.known);
}
