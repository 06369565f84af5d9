#include "model/moments.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { MOST_CALLS = 60, MOST_MOMENTS = 40 };

/* The oracle looks at every call: the deepest one that began before the moment and ended no earlier. */
static uint32_t innermost(const struct rv_span *spans, size_t n_spans, const struct rv_lane_frame *open, size_t n_open,
                          uint64_t at_ns)
{
    uint32_t id = 0;
    int64_t depth = -1;
    for (size_t i = 0; i < n_open; i++)
        if (open[i].start_ns < at_ns && (int64_t)open[i].depth > depth) {
            depth = open[i].depth;
            id = open[i].id;
        }
    for (size_t i = 0; i < n_spans; i++)
        if (spans[i].start < at_ns && at_ns <= spans[i].end && (int64_t)spans[i].depth > depth &&
            !(spans[i].flags & RV_SPAN_ORPHAN)) {
            depth = spans[i].depth;
            id = spans[i].id;
        }
    return id;
}

struct capture {
    struct rv_span spans[MOST_CALLS];
    struct rv_lane_frame open[MOST_CALLS];
    struct rv_moment moments[MOST_MOMENTS];
    size_t n_spans, n_open, n_moments;
};

/* Random calls, returns and moments, each at a time of its own. */
static void fill(struct capture *capture, unsigned seed)
{
    *capture = (struct capture){0};
    uint64_t now_ns = 1;
    for (uint32_t step = 0; capture->n_spans + capture->n_open < MOST_CALLS; step++) {
        now_ns += 1 + (uint64_t)(rand_r(&seed) % 3);
        int what = rand_r(&seed) % 3;
        if (what == 0) {
            capture->open[capture->n_open] = (struct rv_lane_frame){now_ns, 1 + step % 7, (uint32_t)capture->n_open};
            capture->n_open++;
        } else if (what == 1 && capture->n_open) {
            const struct rv_lane_frame *top = &capture->open[--capture->n_open];
            capture->spans[capture->n_spans++] = (struct rv_span){.start = top->start_ns,
                                                                  .end = now_ns,
                                                                  .id = top->id,
                                                                  .depth = top->depth,
                                                                  .flags = step % 11 ? 0 : RV_SPAN_ORPHAN};
        } else if (what == 2 && capture->n_moments < MOST_MOMENTS) {
            capture->moments[capture->n_moments++] = (struct rv_moment){.at_ns = now_ns};
        }
    }
}

Test(model_moments, a_moment_belongs_to_the_innermost_call, .timeout = 60)
{
    for (unsigned seed = 1; seed <= 3000; seed++) {
        struct capture capture;
        size_t scratch[MOST_MOMENTS];
        fill(&capture, seed);
        rv_moments_find_calls(capture.moments, capture.n_moments, capture.spans, capture.n_spans, capture.open,
                              capture.n_open, scratch);
        for (size_t i = 0; i < capture.n_moments; i++)
            cr_assert_eq(
                capture.moments[i].call,
                innermost(capture.spans, capture.n_spans, capture.open, capture.n_open, capture.moments[i].at_ns),
                "seed %u, moment %zu", seed, i);
    }
}

Test(model_moments, a_step_at_the_begin_of_a_call_belongs_to_it, .timeout = 60)
{
    const struct rv_span spans[] = {{.start = 10, .end = 20, .id = 2, .depth = 1}, {.start = 5, .end = 30, .id = 1}};
    struct rv_moment moments[] = {{.at_ns = 10, .kind = RV_MOMENT_RELEASE},
                                  {.at_ns = 10, .kind = RV_MOMENT_STEP},
                                  {.at_ns = 30, .kind = RV_MOMENT_STEP},
                                  {.at_ns = 40, .kind = RV_MOMENT_STEP}};
    const uint32_t calls[] = {1, 2, 1, 3};
    const struct rv_lane_frame open = {.start_ns = 40, .id = 3};
    size_t scratch[4];
    rv_moments_find_calls(moments, 4, spans, 2, &open, 1, scratch);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(moments[i].call, calls[i]);
}
