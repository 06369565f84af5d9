/* Random, properly nested spans in closing order, with the open frames known at every moment. */
#ifndef RV_TEST_MODEL_SPANS_H
#define RV_TEST_MODEL_SPANS_H

#include <stdint.h>
#include <stdlib.h>

#include "scan/span.h"

struct spans {
    uint64_t seed, now_ns;
    uint32_t n_ids, most_depth;
    unsigned step_shift_max; /* gaps are below 2^this */
    unsigned same_time_percent;
    uint64_t *start;
    uint32_t *id;
    uint32_t n_open;
};

static inline uint64_t spans_random(struct spans *spans)
{
    uint64_t x = spans->seed;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return spans->seed = x;
}

static inline void spans_init(struct spans *spans, uint64_t seed, uint32_t n_ids, uint32_t most_depth,
                              unsigned step_shift_max)
{
    *spans = (struct spans){.seed = seed * 0x9e3779b97f4a7c15u + 1,
                            .now_ns = 1000000007,
                            .n_ids = n_ids,
                            .most_depth = most_depth,
                            .step_shift_max = step_shift_max,
                            .same_time_percent = 20};
    spans->start = calloc(most_depth, sizeof *spans->start);
    spans->id = calloc(most_depth, sizeof *spans->id);
}

static inline void spans_fini(struct spans *spans)
{
    free(spans->start);
    free(spans->id);
}

/* One event; true when it closed a span. */
static inline int spans_step(struct spans *spans, struct rv_span *out)
{
    if (spans_random(spans) % 100 >= spans->same_time_percent)
        spans->now_ns += spans_random(spans) % (UINT64_C(1) << (spans_random(spans) % spans->step_shift_max + 1));
    int is_call = spans->n_open == 0 || (spans->n_open < spans->most_depth && spans_random(spans) % 2);
    if (is_call) {
        spans->start[spans->n_open] = spans->now_ns;
        spans->id[spans->n_open++] = (uint32_t)(spans_random(spans) % spans->n_ids);
        return 0;
    }
    spans->n_open--;
    *out = (struct rv_span){.start = spans->start[spans->n_open],
                            .end = spans->now_ns,
                            .id = spans->id[spans->n_open],
                            .depth = spans->n_open,
                            .flags = spans_random(spans) % 50 == 0 ? RV_SPAN_CUT : 0};
    return 1;
}

/* n spans. */
static inline void spans_make(struct spans *spans, struct rv_span *out, size_t n)
{
    for (size_t i = 0; i < n;)
        i += (size_t)spans_step(spans, &out[i]);
}

#endif
