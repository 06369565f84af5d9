#include "render/caller_labels.h"

#include <criterion/criterion.h>

#define N_LEVELS 100u

/* A recursion of which each call is a little shorter, beside a short one at every depth. */
static struct rv_box boxes[2 * N_LEVELS];
static struct rv_view_lane lane = {.n_boxes = 2 * N_LEVELS, .max_depth = N_LEVELS};
static const struct rv_view view = {
    .to_ns = 100000, .lanes = &lane, .n_lanes = 1, .boxes = boxes, .n_boxes = 2 * N_LEVELS};

static void begin(void)
{
    for (uint32_t i = 0; i < N_LEVELS; i++) {
        boxes[i] = (struct rv_box){.start_ns = 100 + i,
                                   .duration_ns = 9000 - 2 * i,
                                   .id = 1 + i,
                                   .depth = i,
                                   .count = 1,
                                   .coverage = RV_BOX_EXACT};
        boxes[N_LEVELS + i] = boxes[i];
        boxes[N_LEVELS + i].start_ns += 20000;
        boxes[N_LEVELS + i].duration_ns /= 2;
        boxes[N_LEVELS + i].id += 500;
    }
}

TestSuite(caller_labels, .init = begin, .timeout = 60);

Test(caller_labels, the_longest_calls_outermost_and_nearest_callers_are_named)
{
    struct rv_callers callers;
    cr_assert(rv_callers_find(&view, &lane, 50, &callers));
    cr_assert(callers.n_outermost == 3 && callers.outermost[0] == 1 && callers.outermost[2] == 3);
    cr_assert(callers.nearest == 50 && callers.nearest_depth == 49);
    cr_assert(rv_callers_find(&view, &lane, 2, &callers));
    cr_assert(callers.n_outermost == 2 && callers.nearest_depth == 1);
    cr_assert_not(rv_callers_find(&view, &lane, N_LEVELS, &callers));
    cr_assert_eq(callers.nearest_depth, UINT32_MAX);
}

Test(caller_labels, a_fold_is_no_caller)
{
    struct rv_callers callers;
    boxes[1].coverage = 100;
    cr_assert(rv_callers_find(&view, &lane, 9, &callers));
    cr_assert_eq(callers.n_outermost, 1);
    cr_assert_eq(callers.nearest_depth, 8);
}
