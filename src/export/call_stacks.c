/* Spans come in closing order, so that those around a time come from the innermost outwards. */
#include "export/call_stacks.h"

#include <stdlib.h>

#include "base/vec.h"

struct wanted { /* of one lane, by time */
    struct rv_call_stack **stacks;
    size_t n;
};

static int by_lane_and_time(const void *a, const void *b)
{
    const struct rv_call_stack *x = *(struct rv_call_stack *const *)a, *y = *(struct rv_call_stack *const *)b;
    if (x->lane_idx != y->lane_idx)
        return x->lane_idx < y->lane_idx ? -1 : 1;
    return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

static size_t first_after(const struct wanted *wanted, uint64_t time_ns)
{
    size_t low = 0, high = wanted->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (wanted->stacks[middle]->at_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_span(const struct wanted *wanted, const struct rv_span *span)
{
    if (span->flags & RV_SPAN_ORPHAN)
        return;
    for (size_t i = first_after(wanted, span->start); i < wanted->n && wanted->stacks[i]->at_ns <= span->end; i++) {
        struct rv_call_stack *stack = wanted->stacks[i];
        if (stack->n < RV_CALL_STACK_MOST)
            stack->ids[stack->n] = span->id;
        stack->n++;
    }
}

static int read_lane(const struct rv_spool *spool, const struct wanted *wanted, struct rv_spool_block *block)
{
    const uint32_t lane_idx = wanted->stacks[0]->lane_idx;
    uint64_t number = rv_spool_first_block(spool, lane_idx), last = rv_spool_last_block(spool, lane_idx);
    int error = 0;
    while (number && !error) {
        error = rv_spool_read(spool, number, block);
        for (uint32_t i = 0; !error && i < block->n; i++)
            add_span(wanted, &block->spans[i]);
        number = number == last ? 0 : block->next;
    }
    return error;
}

int rv_call_stacks_read(const struct rv_spool *spool, struct rv_call_stack *stacks, size_t n)
{
    struct rv_call_stack **sorted = rv_alloc(n + 1, sizeof(struct rv_call_stack *));
    struct rv_spool_block *block = rv_alloc(1, sizeof *block);
    int error = 0;
    for (size_t i = 0; i < n; i++)
        sorted[i] = &stacks[i];
    qsort(sorted, n, sizeof(struct rv_call_stack *), by_lane_and_time);
    for (size_t first = 0, end = 0; first < n && !error; first = end) {
        while (end < n && sorted[end]->lane_idx == sorted[first]->lane_idx)
            end++;
        error = read_lane(spool, &(struct wanted){sorted + first, end - first}, block);
    }
    free(block);
    free(sorted);
    return error;
}
