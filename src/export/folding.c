/*
 * A call is kept if one of the times is in it: so are then its callers, and the calls that are kept are at all times the
 * outermost ones that are open. All else is between two entries: a call without a time in it is summed up with all of its
 * callees, which nearly all calls are.
 *
 * Calls come latest first, callers before their callees. So a call has all of its time for its own until its callees take
 * theirs from it, and nothing is left to be done where it begins.
 */
#include "export/folding.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/leb128.h"
#include "base/vec.h"
#include "export/folded_parts.h"
#include "export/folded_pieces.h"
#include "export/innermost_calls.h"

struct sum { /* of a subroutine, since the last entry */
    uint64_t own_ns, n, total_ns;
    uint64_t outermost_ns; /* begin of its last outermost call; UINT64_MAX: the piece had none */
    bool is_listed;
};

struct frame { /* an open call */
    uint64_t start_ns;
    uint64_t at_ns; /* its later time was given to callees */
    struct sum *sum;
};

struct rv_folding {
    const uint32_t *as_id;
    uint32_t n_ids;
    struct sum *sums; /* by subroutine; the last one is of time outside of calls */
    uint32_t *listed; /* those that have sums, */
    uint32_t *met;    /* and those that had calls in the piece */
    uint32_t n_listed, n_met;
    struct frame *frames; /* of a call that is summed up, and those within it */
    size_t frames_capacity;
    struct rv_event_folding *events;
    struct rv_folded_parts *parts; /* of them */
    /* of the present piece, whose time is passed backwards */
    const struct rv_span_piece *piece;
    const uint64_t *times_ns; /* those that were not passed */
    size_t n_times;
    uint64_t told_ns, at_ns; /* later time is in entries, was passed */
    size_t n_open, n_kept;   /* calls, and of them those that are kept */
    struct rv_span *kept;
    size_t kept_capacity;
    bool has_begun;
    uint8_t *bytes;
    size_t n_bytes, bytes_capacity;
};

/* ---- entries ---- */

static void reserve(struct rv_folding *folding, size_t n_numbers)
{
    folding->bytes = rv_vec_reserve(folding->bytes, &folding->bytes_capacity,
                                    folding->n_bytes + n_numbers * RV_LEB128_MOST_BYTES, 1);
}

static void put(struct rv_folding *folding, uint64_t value)
{
    folding->n_bytes += rv_leb128_put(folding->bytes + folding->n_bytes, value);
}

static void put_entry(struct rv_folding *folding, enum rv_folded_kind kind, uint32_t of)
{
    put(folding, 4 * (uint64_t)of + kind);
}

static inline uint32_t counted_as(const struct rv_folding *folding, uint32_t id)
{
    return id < folding->n_ids ? folding->as_id[id] : folding->n_ids;
}

static inline struct sum *list(struct rv_folding *folding, uint32_t as)
{
    struct sum *sum = &folding->sums[as];
    if (!sum->is_listed)
        folding->listed[folding->n_listed++] = as;
    sum->is_listed = true;
    return sum;
}

static void clear_listed(struct rv_folding *folding)
{
    for (uint32_t i = 0; i < folding->n_listed; i++) {
        struct sum *sum = &folding->sums[folding->listed[i]];
        sum->own_ns = sum->n = sum->total_ns = 0;
        sum->is_listed = false;
    }
    folding->n_listed = 0;
}

/* Begin at the end of the last call: what is later is nobody's. */
static void begin_at(struct rv_folding *folding, uint64_t at_ns)
{
    if (folding->has_begun)
        return;
    folding->has_begun = true;
    folding->told_ns = folding->at_ns = at_ns;
    reserve(folding, 1);
    put(folding, folding->piece->to_ns - at_ns);
}

static void put_sums(struct rv_folding *folding)
{
    if (folding->told_ns == folding->at_ns)
        return;
    reserve(folding, 2 + 4 * (size_t)folding->n_listed);
    put_entry(folding, RV_FOLDED_SUMS, folding->n_listed);
    put(folding, folding->told_ns - folding->at_ns);
    for (uint32_t i = 0; i < folding->n_listed; i++) {
        const struct sum *sum = &folding->sums[folding->listed[i]];
        put(folding, folding->listed[i]);
        put(folding, sum->own_ns);
        put(folding, sum->n);
        put(folding, sum->total_ns);
    }
    clear_listed(folding);
    folding->told_ns = folding->at_ns;
}

static void put_stretch(struct rv_folding *folding, uint32_t as, uint64_t n_ns)
{
    reserve(folding, 2);
    put_entry(folding, RV_FOLDED_STRETCH, as);
    put(folding, n_ns);
}

static bool has_time_from(struct rv_folding *folding, uint64_t from_ns)
{
    while (folding->n_times && folding->times_ns[folding->n_times - 1] > folding->at_ns)
        folding->n_times--;
    return folding->n_times && folding->times_ns[folding->n_times - 1] >= from_ns;
}

/* Down to from_ns a call was the innermost one. */
static void pass(struct rv_folding *folding, uint32_t as, uint64_t from_ns)
{
    if (from_ns >= folding->at_ns)
        return;
    if (has_time_from(folding, from_ns)) {
        put_sums(folding);
        put_stretch(folding, as, folding->at_ns - from_ns);
        folding->told_ns = from_ns;
    } else {
        struct sum *sum = list(folding, as);
        sum->own_ns += folding->at_ns - from_ns;
        sum->n++;
    }
    folding->at_ns = from_ns;
}

static void put_call(struct rv_folding *folding, enum rv_folded_kind kind, uint32_t as)
{
    put_sums(folding);
    reserve(folding, 1);
    put_entry(folding, kind, as);
}

/* Is a call the outermost one of its subroutine? */
static inline bool note_outermost(struct rv_folding *folding, uint32_t as, uint64_t start_ns, uint64_t end_ns)
{
    struct sum *sum = &folding->sums[as];
    if (end_ns > sum->outermost_ns)
        return false;
    if (sum->outermost_ns == UINT64_MAX)
        folding->met[folding->n_met++] = as;
    sum->outermost_ns = start_ns;
    return true;
}

static uint64_t in_piece(const struct rv_folding *folding, uint64_t at_ns)
{
    return at_ns > folding->piece->from_ns ? at_ns : folding->piece->from_ns;
}

/* ---- any calls ---- */

static void pass_time(void *context, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    struct rv_folding *folding = context;
    begin_at(folding, to_ns);
    pass(folding, counted_as(folding, id), from_ns);
}

static void enter(void *context, const struct rv_span *call)
{
    struct rv_folding *folding = context;
    const uint32_t as = counted_as(folding, call->id);
    const uint64_t start_ns = in_piece(folding, call->start);
    begin_at(folding, call->end);
    const bool is_outermost = note_outermost(folding, as, start_ns, call->end);
    folding->n_open++;
    if (has_time_from(folding, call->start)) {
        put_call(folding, RV_FOLDED_ENTER, as);
        folding->n_kept++;
    } else if (is_outermost && start_ns < call->end) {
        list(folding, as)->total_ns += call->end - start_ns;
    }
}

static void leave(void *context, uint32_t id)
{
    struct rv_folding *folding = context;
    if (folding->n_open-- != folding->n_kept)
        return;
    put_call(folding, RV_FOLDED_LEAVE, counted_as(folding, id));
    folding->n_kept--;
}

static void fold_any(struct rv_folding *folding)
{
    rv_innermost_calls_of_piece(
        &(struct rv_innermost_calls){.pass = pass_time, .enter = enter, .leave = leave, .context = folding},
        folding->piece);
}

/* ---- calls that are a tree, each one level deeper than its caller ---- */

static inline void open_frame(struct rv_folding *folding, size_t level, uint32_t as, uint64_t start_ns, uint64_t end_ns)
{
    struct sum *sum = list(folding, as);
    sum->own_ns += end_ns - start_ns;
    sum->n += end_ns > start_ns;
    if (note_outermost(folding, as, start_ns, end_ns))
        sum->total_ns += end_ns - start_ns;
    if (level == folding->frames_capacity)
        folding->frames =
            rv_vec_reserve(folding->frames, &folding->frames_capacity, level + 1, sizeof *folding->frames);
    folding->frames[level] = (struct frame){start_ns, end_ns, sum};
}

/* A call takes its time from its caller, whose stretch is then before it and behind it. False: it is not within it. */
static inline bool take_from_caller(struct frame *caller, uint64_t start_ns, uint64_t end_ns)
{
    if (end_ns > caller->at_ns || start_ns > end_ns || start_ns < caller->start_ns)
        return false;
    caller->sum->own_ns -= end_ns - start_ns;
    caller->sum->n +=
        (uint64_t)(end_ns < caller->at_ns) + (start_ns > caller->start_ns) - (caller->at_ns > caller->start_ns);
    caller->at_ns = start_ns;
    return true;
}

/* Sum up the last one of n calls and those within it. Returns how many are before it; SIZE_MAX: they are no tree. */
static size_t sum_up(struct rv_folding *folding, const struct rv_span *calls, size_t n)
{
    const uint32_t depth = calls[n - 1].depth;
    const uint64_t from_ns = in_piece(folding, calls[n - 1].start);
    uint32_t top = 0;
    open_frame(folding, 0, counted_as(folding, calls[n - 1].id), from_ns, folding->at_ns);
    while (--n > 0 && calls[n - 1].depth > depth) {
        const struct rv_span *call = &calls[n - 1];
        const uint32_t level = call->depth - depth;
        const uint64_t start_ns = in_piece(folding, call->start);
        if (level > top + 1 || (call->flags & RV_SPAN_ORPHAN) ||
            !take_from_caller(&folding->frames[level - 1], start_ns, call->end))
            return SIZE_MAX;
        open_frame(folding, level, counted_as(folding, call->id), start_ns, call->end);
        top = level;
    }
    folding->at_ns = from_ns;
    return n;
}

static uint32_t innermost_kept(const struct rv_folding *folding)
{
    return folding->n_kept ? counted_as(folding, folding->kept[folding->n_kept - 1].id) : folding->n_ids;
}

static void leave_kept(struct rv_folding *folding)
{
    const uint32_t as = innermost_kept(folding);
    pass(folding, as, in_piece(folding, folding->kept[folding->n_kept - 1].start));
    put_call(folding, RV_FOLDED_LEAVE, as);
    folding->n_kept--;
}

static void enter_kept(struct rv_folding *folding, const struct rv_span *call)
{
    const uint32_t as = counted_as(folding, call->id);
    (void)note_outermost(folding, as, in_piece(folding, call->start), call->end);
    put_call(folding, RV_FOLDED_ENTER, as);
    folding->kept = rv_vec_reserve(folding->kept, &folding->kept_capacity, folding->n_kept + 1, sizeof *folding->kept);
    folding->kept[folding->n_kept++] = *call;
}

/* Is it within the innermost call that is kept, before all that was passed? */
static bool is_within(const struct rv_folding *folding, const struct rv_span *call)
{
    const uint64_t start_ns = in_piece(folding, call->start);
    return !(call->flags & RV_SPAN_ORPHAN) && start_ns <= call->end && call->end <= folding->at_ns &&
           (!folding->n_kept || start_ns >= in_piece(folding, folding->kept[folding->n_kept - 1].start));
}

/* False: the calls are no tree, and nothing that was folded counts. */
static bool fold_tree(struct rv_folding *folding)
{
    const struct rv_span *calls = folding->piece->spans;
    size_t n = folding->piece->n;
    if (!n || calls[n - 1].end > folding->piece->to_ns)
        return false;
    const uint32_t depth = calls[n - 1].depth;
    begin_at(folding, calls[n - 1].end);
    while (n > 0 && n != SIZE_MAX) {
        const struct rv_span *call = &calls[n - 1];
        while (call->depth >= depth && call->depth - depth < folding->n_kept)
            leave_kept(folding);
        if (call->depth < depth || call->depth - depth > folding->n_kept || !is_within(folding, call))
            return false;
        pass(folding, innermost_kept(folding), call->end);
        if (has_time_from(folding, call->start)) {
            enter_kept(folding, call);
            n--;
        } else {
            n = sum_up(folding, calls, n);
        }
    }
    while (folding->n_kept)
        leave_kept(folding);
    pass(folding, folding->n_ids, folding->piece->from_ns);
    return n == 0;
}

/* ---- public ---- */

static void begin(struct rv_folding *folding, const uint64_t *times_ns, size_t n_times)
{
    clear_listed(folding);
    for (uint32_t i = 0; i < folding->n_met; i++)
        folding->sums[folding->met[i]].outermost_ns = UINT64_MAX;
    folding->n_met = 0;
    folding->times_ns = times_ns;
    folding->n_times = n_times;
    folding->n_open = folding->n_kept = folding->n_bytes = 0;
    folding->has_begun = false;
}

const uint8_t *rv_folding_fold(struct rv_folding *folding, const struct rv_span_piece *piece, const uint64_t *times_ns,
                               size_t n_times, size_t *n_bytes)
{
    folding->piece = piece;
    begin(folding, times_ns, n_times);
    if (!fold_tree(folding)) {
        begin(folding, times_ns, n_times);
        fold_any(folding);
    }
    begin_at(folding, piece->to_ns);
    put_sums(folding);
    *n_bytes = folding->n_bytes;
    return folding->bytes;
}

const uint8_t *rv_folding_fold_events(struct rv_folding *folding, const struct rv_event_piece *piece,
                                      const uint64_t *times_ns, size_t n_times, size_t *n_bytes)
{
    const struct rv_event_folding_taker taker = rv_folded_parts_begin(folding->parts);
    return rv_event_folding_fold(folding->events, piece, times_ns, n_times, &taker)
               ? rv_folded_parts_end(folding->parts, n_bytes)
               : NULL;
}

struct rv_folding *rv_folding_create(const uint32_t *as_id, uint32_t n_ids)
{
    struct rv_folding *folding = rv_alloc(1, sizeof *folding);
    folding->as_id = as_id;
    folding->n_ids = n_ids;
    folding->sums = rv_alloc((size_t)n_ids + 1, sizeof *folding->sums);
    folding->listed = rv_alloc((size_t)n_ids + 1, sizeof *folding->listed);
    folding->events = rv_event_folding_create(as_id, n_ids);
    folding->parts = rv_folded_parts_create(n_ids);
    folding->met = rv_alloc((size_t)n_ids + 1, sizeof *folding->met);
    for (uint32_t as = 0; as <= n_ids; as++)
        folding->sums[as].outermost_ns = UINT64_MAX;
    return folding;
}

void rv_folding_destroy(struct rv_folding *folding)
{
    if (!folding)
        return;
    free(folding->sums);
    free(folding->listed);
    rv_event_folding_destroy(folding->events);
    rv_folded_parts_destroy(folding->parts);
    free(folding->met);
    free(folding->frames);
    free(folding->kept);
    free(folding->bytes);
    free(folding);
}
