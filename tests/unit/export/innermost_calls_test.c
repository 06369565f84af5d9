/* The innermost calls of a lane over time, compared with a count of every ns. */
#include "export/innermost_calls.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { END_NS = 400, MOST_CALLS = 300, MOST_DEPTH = 6, PIECE = 7 };

static struct rv_span spans[MOST_CALLS]; /* in closing order */
static size_t n_spans;
static uint32_t innermost[END_NS]; /* of each ns, by the oracle */

static void make_calls(unsigned seed)
{
    struct rv_span open[MOST_DEPTH];
    uint32_t n_open = 0, n_begun = 0;
    srand(seed);
    n_spans = 0;
    for (uint64_t now_ns = 0; now_ns < END_NS; now_ns++) {
        for (int n = rand() % 4; n > 0; n--)
            if (n_open < MOST_DEPTH && n_begun < MOST_CALLS && rand() % 2) {
                open[n_open] = (struct rv_span){.start = now_ns, .id = n_begun++, .depth = n_open};
                n_open++;
            } else if (n_open) {
                spans[n_spans] = open[--n_open];
                spans[n_spans++].end = now_ns;
            }
        innermost[now_ns] = n_open ? open[n_open - 1].id : UINT32_MAX;
    }
    while (n_open) {
        spans[n_spans] = open[--n_open];
        spans[n_spans++].end = END_NS;
    }
}

static int read_spans(void *context, const struct rv_lane_calls_wanted *wanted)
{
    (void)context;
    for (size_t n = n_spans; n > 0;) {
        struct rv_span piece[PIECE];
        size_t n_now = 0;
        while (n > 0 && n_now < PIECE)
            piece[n_now++] = spans[--n];
        wanted->take(wanted->context, piece, n_now);
    }
    return 0;
}

struct seen {
    uint32_t open[MOST_DEPTH];
    size_t n_open, n_calls;
    uint64_t at_ns;
    bool has_begun;
};

static void pass(void *context, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    struct seen *seen = context;
    cr_assert_lt(from_ns, to_ns);
    cr_assert(!seen->has_begun || to_ns == seen->at_ns, "a gap before %lu", (unsigned long)seen->at_ns);
    cr_assert_eq(id, seen->n_open ? seen->open[seen->n_open - 1] : UINT32_MAX);
    for (uint64_t at_ns = from_ns; at_ns < to_ns; at_ns++)
        cr_assert_eq(id, innermost[at_ns], "at %lu: %u, not %u", (unsigned long)at_ns, id, innermost[at_ns]);
    seen->at_ns = from_ns;
    seen->has_begun = true;
}

static void enter(void *context, const struct rv_span *call)
{
    struct seen *seen = context;
    cr_assert_lt(seen->n_open, MOST_DEPTH);
    seen->open[seen->n_open++] = call->id;
    seen->n_calls++;
}

static void leave(void *context, uint32_t id)
{
    struct seen *seen = context;
    cr_assert_gt(seen->n_open, 0);
    cr_assert_eq(seen->open[--seen->n_open], id);
}

Test(innermost_calls, innermost_calls_come_latest_first, .timeout = 60)
{
    const struct rv_lane lane = {.idx = 0};
    const struct rv_lane_calls calls = {.read = read_spans};
    for (unsigned seed = 1; seed <= 500; seed++) {
        struct seen seen = {.n_open = 0};
        make_calls(seed);
        cr_assert_eq(
            rv_innermost_calls_read(&(struct rv_innermost_calls){
                .calls = &calls, .lane = &lane, .pass = pass, .enter = enter, .leave = leave, .context = &seen}),
            0);
        cr_assert(seen.n_open == 0 && seen.at_ns == 0 && seen.n_calls == n_spans, "seed %u", seed);
    }
}
