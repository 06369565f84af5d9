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
static bool is_needed(const struct pieces *pieces, size_t piece, const struct rv_lane_pieces_wanted *wanted)
{
    const size_t first = piece & ~(size_t)1, end = first + 2 < pieces->n_cuts ? first + 2 : pieces->n_cuts - 1;
    return !wanted->is_needed || wanted->is_needed(wanted->needed_by, pieces->cuts_ns[first], pieces->cuts_ns[end]);
}

/* Every other piece first: their order does not matter. */
static bool read_pieces(void *context, const struct rv_lane_pieces_wanted *wanted)
{
    const struct pieces *pieces = context;
    for (size_t first = 0; first < 2; first++)
        for (size_t i = first; i + 1 < pieces->n_cuts; i += 2)
            if (is_needed(pieces, i, wanted))
                give(pieces, pieces->cuts_ns[i], pieces->cuts_ns[i + 1], wanted);
    return pieces->n_cuts > 0 && !pieces->is_refused;
}

struct rv_lane_calls pieces_calls(const struct pieces *pieces)
{
    return (struct rv_lane_calls){.read = read_whole, .read_pieces = read_pieces, .context = (void *)(uintptr_t)pieces};
}
