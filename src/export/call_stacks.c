/* Spans come in closing order, so that those around a time come from the innermost outwards. */
#include "export/call_stacks.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"

struct moment {
    uint64_t at_ns;
    struct rv_call_stack *stack;
};

static int by_lane_and_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->stack->lane_idx != y->stack->lane_idx)
        return x->stack->lane_idx < y->stack->lane_idx ? -1 : 1;
    return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

/* moments: n of its lane */
static void add_span(const struct moment *moments, size_t n, const struct rv_span *span)
{
    if (span->flags & RV_SPAN_ORPHAN)
        return;
    size_t i = rv_bisect_count(moments, n, sizeof *moments, offsetof(struct moment, at_ns), span->start);
    for (; i < n && moments[i].at_ns <= span->end; i++) {
        struct rv_call_stack *stack = moments[i].stack;
        if (stack->n < RV_CALL_STACK_MOST)
            stack->ids[stack->n] = span->id;
        stack->n++;
    }
}

static int read_lane(const struct rv_spool *spool, const struct moment *moments, size_t n, struct rv_spool_block *block)
{
    const uint32_t lane_idx = moments[0].stack->lane_idx;
    uint64_t number = rv_spool_first_block(spool, lane_idx);
    int error = 0;
    for (; number && !error; number = rv_spool_next_block(spool, lane_idx, number, block)) {
        error = rv_spool_read(spool, number, block);
        for (uint32_t i = 0; !error && i < block->n; i++)
            add_span(moments, n, &block->spans[i]);
    }
    return error;
}

int rv_call_stacks_read(const struct rv_spool *spool, struct rv_call_stack *stacks, size_t n)
{
    struct moment *moments = rv_alloc(n + 1, sizeof *moments);
    struct rv_spool_block *block = rv_alloc(1, sizeof *block);
    int error = 0;
    for (size_t i = 0; i < n; i++)
        moments[i] = (struct moment){stacks[i].at_ns, &stacks[i]};
    qsort(moments, n, sizeof *moments, by_lane_and_time);
    for (size_t first = 0, end = 0; first < n && !error; first = end) {
        while (end < n && moments[end].stack->lane_idx == moments[first].stack->lane_idx)
            end++;
        error = read_lane(spool, moments + first, end - first, block);
    }
    free(block);
    free(moments);
    return error;
}
