#include "pieces.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static int read_whole(void *context, const struct rv_lane_calls_wanted *wanted)
{
    const struct pieces *pieces = context;
    for (size_t i = pieces->n; i-- > 0;)
        wanted->take(wanted->context, &pieces->spans[i], 1);
    return 0;
}

static void give(const struct pieces *pieces, uint64_t from_ns, uint64_t to_ns,
                 const struct rv_lane_pieces_wanted *wanted)
{
    struct rv_span *spans = calloc(pieces->n + 1, sizeof *spans);
    size_t n = 0;
    cr_assert_not_null(spans);
    if (pieces->n_given)
        ++*pieces->n_given;
    for (size_t i = 0; i < pieces->n; i++) {
        struct rv_span span = pieces->spans[i];
        if (span.end <= from_ns || span.start > to_ns)
            continue;
        span.flags |= span.end > to_ns ? RV_SPAN_OPEN : 0;
        span.end = span.end > to_ns ? to_ns : span.end;
        spans[n++] = span;
    }
    wanted->take(wanted->context, &(struct rv_span_piece){.from_ns = from_ns, .to_ns = to_ns, .spans = spans, .n = n});
    free(spans);
}

/* Two pieces form a block; a block is read when either piece is wanted. */
static bool is_needed(const struct pieces *pieces, size_t first, size_t end, const struct rv_lane_pieces_wanted *wanted)
{
    const uint64_t from_ns = pieces->cuts_ns[first];
    return !wanted->is_needed || wanted->is_needed(wanted->needed_by, from_ns, from_ns, pieces->cuts_ns[end]);
}

static struct rv_event event_of(enum rv_event_kind kind, uint64_t at_ns, const struct rv_span *span)
{
    return (struct rv_event){.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | at_ns,
                             .id = span->id,
                             .frame = (uint16_t)(UINT16_MAX - 1 + span->depth)};
}

/* All of them, from the last one back: the calls that are begun behind a return are those that are no deeper. Returns their number. */
static size_t make_events(const struct pieces *pieces, struct rv_event *events)
{
    struct rv_span *open = calloc(pieces->n + 1, sizeof *open);
    size_t n_open = 0, n = 2 * pieces->n;
    cr_assert_not_null(open);
    for (size_t i = pieces->n; i-- > 0;) {
        for (; n_open > pieces->spans[i].depth; n_open--)
            events[--n] = event_of(RV_EVENT_CALL, open[n_open - 1].start, &open[n_open - 1]);
        events[--n] = event_of(RV_EVENT_RETURN, pieces->spans[i].end, &pieces->spans[i]);
        open[n_open++] = pieces->spans[i];
    }
    for (; n_open; n_open--)
        events[--n] = event_of(RV_EVENT_CALL, open[n_open - 1].start, &open[n_open - 1]);
    cr_assert_eq(n, 0);
    free(open);
    return 2 * pieces->n;
}

/* Events at the begin are in an earlier block. */
static bool give_events(const struct pieces *pieces, uint64_t from_ns, uint64_t to_ns,
                        const struct rv_lane_pieces_wanted *wanted)
{
    enum { MOST_OPEN = 64 };
    struct rv_event *events = calloc(2 * pieces->n + 1, sizeof *events);
    uint64_t starts_ns[MOST_OPEN];
    uint32_t ids[MOST_OPEN];
    int64_t keys[MOST_OPEN];
    struct rv_event_piece piece = {
        .from_ns = from_ns, .to_ns = to_ns, .open = {.start = starts_ns, .id = ids, .key = keys}, .n_ids = UINT32_MAX};
    cr_assert_not_null(events);
    const size_t n = make_events(pieces, events);
    size_t first = 0;
    for (; first < n && rv_event_ticks(&events[first]) <= from_ns; first++) {
        if (rv_event_kind(&events[first]) == RV_EVENT_CALL) {
            const uint32_t i = piece.open.n_frames++;
            cr_assert_lt(i, MOST_OPEN);
            starts_ns[i] = rv_event_ticks(&events[first]);
            ids[i] = events[first].id;
            keys[i] = (int64_t)UINT16_MAX - 1 + i;
        } else {
            piece.open.n_frames--;
        }
    }
    piece.events = events + first;
    while (first + piece.n < n && rv_event_ticks(&events[first + piece.n]) <= to_ns)
        piece.n++;
    const bool is_taken = wanted->take_events(wanted->context, &piece);
    free(events);
    return is_taken;
}

static void give_blocks(const struct pieces *pieces, const struct rv_lane_pieces_wanted *wanted)
{
    for (size_t i = 0; i + 1 < pieces->n_cuts; i += 2) {
        const size_t end = i + 2 < pieces->n_cuts ? i + 2 : i + 1;
        if (!is_needed(pieces, i, end, wanted))
            continue;
        if (give_events(pieces, pieces->cuts_ns[i], pieces->cuts_ns[end], wanted)) {
            if (pieces->n_given)
                ++*pieces->n_given;
            if (pieces->n_taken)
                ++*pieces->n_taken;
            continue;
        }
        for (size_t k = i; k < end; k++)
            give(pieces, pieces->cuts_ns[k], pieces->cuts_ns[k + 1], wanted);
    }
}

/* Every other piece first: their order does not matter. */
static void give_all(const struct pieces *pieces, const struct rv_lane_pieces_wanted *wanted)
{
    for (size_t first = 0; first < 2; first++)
        for (size_t i = first; i + 1 < pieces->n_cuts; i += 2) {
            const size_t block = i & ~(size_t)1;
            if (is_needed(pieces, block, block + 2 < pieces->n_cuts ? block + 2 : pieces->n_cuts - 1, wanted))
                give(pieces, pieces->cuts_ns[i], pieces->cuts_ns[i + 1], wanted);
        }
}

static bool read_pieces(void *context, const struct rv_lane_pieces_wanted *wanted)
{
    const struct pieces *pieces = context;
    if (pieces->has_events && wanted->take_events)
        give_blocks(pieces, wanted);
    else
        give_all(pieces, wanted);
    return pieces->n_cuts > 0 && !pieces->is_refused;
}

struct rv_lane_calls pieces_calls(const struct pieces *pieces)
{
    return (struct rv_lane_calls){.read = read_whole, .read_pieces = read_pieces, .context = (void *)(uintptr_t)pieces};
}
