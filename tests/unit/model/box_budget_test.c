#include "model/box_budget.h"

#include <criterion/criterion.h>

static uint64_t count(void *context, uint32_t level)
{
    const uint64_t *n = context;
    return *n >> (2 * level);
}

static uint32_t choose(uint64_t n, uint32_t finest, uint32_t last, size_t budget)
{
    return rv_box_budget_choose_level(&(struct rv_level_choice){finest, 16, last, budget, count, &n});
}

Test(box_budget, the_finest_level_within_the_budget_is_chosen, .timeout = 60)
{
    cr_assert_eq(choose(1000, 0, RV_LEVEL_NONE, 1000), 0);
    cr_assert_eq(choose(1001, 0, RV_LEVEL_NONE, 1000), 1);
    cr_assert_eq(choose(1000, 3, RV_LEVEL_NONE, 1000), 3);
    cr_assert_eq(choose(UINT64_MAX, 0, RV_LEVEL_NONE, 1), 15, "the coarsest where none fits");
}

Test(box_budget, at_the_edge_of_the_budget_the_level_does_not_flicker, .timeout = 60)
{
    uint32_t level = RV_LEVEL_NONE, n_changes = 0, n_without = 0, without = RV_LEVEL_NONE;
    for (unsigned frame = 0; frame < 1000; frame++) {
        uint64_t n = 100000 + (frame * 7919) % 10000 - 5000;
        uint32_t next = choose(n, 0, level, 100000), next_without = choose(n, 0, RV_LEVEL_NONE, 100000);
        n_changes += frame && next != level;
        n_without += frame && next_without != without;
        level = next;
        without = next_without;
    }
    cr_assert_leq(n_changes, 1);
    cr_assert_gt(n_without, 100, "without it, it would");
}

Test(box_budget, a_level_that_no_longer_fits_or_is_too_fine_is_left_at_once, .timeout = 60)
{
    cr_assert_eq(choose(5000, 0, 0, 1000), 2);
    cr_assert_eq(choose(100, 4, 1, 1000), 4);
    cr_assert_eq(choose(900, 0, 1, 1000), 1, "would fit, but hardly");
    cr_assert_eq(choose(800, 0, 1, 1000), 0);
}

Test(box_budget, the_budget_settles_at_the_wanted_frame_time, .timeout = 60)
{
    static const double ns_per_box[] = {50, 400, 4000, 60000};
    for (size_t i = 0; i < sizeof ns_per_box / sizeof *ns_per_box; i++) {
        struct rv_box_budget budget = {.n_boxes = 15000, .least = 2000, .most = 250000, .frame_ns = 50000000};
        for (unsigned frame = 0; frame < 100; frame++)
            rv_box_budget_learn(&budget, budget.n_boxes, (uint64_t)((double)budget.n_boxes * ns_per_box[i]));
        double took = (double)budget.n_boxes * ns_per_box[i];
        if (budget.n_boxes > 2000)
            cr_assert_leq(took, 50000000 * 1.01, "%.0f ns a box: %zu boxes", ns_per_box[i], budget.n_boxes);
        if (budget.n_boxes < 250000 && budget.n_boxes > 2000)
            cr_assert_gt(took, 50000000 * 0.5, "%.0f ns a box: %zu boxes", ns_per_box[i], budget.n_boxes);
        cr_assert(budget.n_boxes >= 2000 && budget.n_boxes <= 250000);
    }
}

Test(box_budget, with_a_fifth_to_spare_it_grows, .timeout = 60)
{
    struct rv_box_budget budget = {.n_boxes = 40000, .least = 2000, .most = 60000, .frame_ns = 80000000};
    rv_box_budget_learn(&budget, 35000, 65000000);
    cr_assert_eq(budget.n_boxes, 40000, "a tenth more could be too many");
    rv_box_budget_learn(&budget, 35000, 60000000);
    cr_assert_gt(budget.n_boxes, 40000);
}

Test(box_budget, slow_frames_that_come_alone_do_not_change_the_budget, .timeout = 60)
{
    struct rv_box_budget budget = {.n_boxes = 20000, .least = 2000, .most = 250000, .frame_ns = 50000000};
    rv_box_budget_learn(&budget, 20000, 5000000000u);
    rv_box_budget_learn(&budget, 20000, 100000000u);
    cr_assert_eq(budget.n_boxes, 20000, "shaders were compiled");
    rv_box_budget_learn(&budget, 10, 1000);
    cr_assert_eq(budget.n_boxes, 20000);
    rv_box_budget_learn(&budget, 20000, 60000000u);
    rv_box_budget_learn(&budget, 20000, 5000000000u);
    cr_assert_eq(budget.n_boxes, 20000, "another view mode");
    rv_box_budget_learn(&budget, 20000, 5000000000u);
    cr_assert_eq(budget.n_boxes, 16666, "the fastest of three tells");
    rv_box_budget_learn(&budget, 16666, 5000000000u);
    cr_assert_eq(budget.n_boxes, 8333);
}

/* Time without a CPU is left out: 20 ms of the asking thread count, and 60 ms of each of two threads that draw. */
Test(box_budget, a_machine_that_is_busy_makes_no_picture_coarser, .timeout = 60)
{
    static const struct {
        struct rv_frame_cost cost;
        uint64_t alone_ns;
    } cases[] = {{{80000000, 20000000, 120000000, 2}, 80000000},
                 {{900000000, 20000000, 120000000, 2}, 80000000},
                 {{70000000, 20000000, 120000000, 2}, 70000000}, /* drawing overlapped the asking */
                 {{900000000, 20000000, 0, 0}, 900000000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_assert_eq(rv_box_budget_alone_ns(&cases[i].cost), cases[i].alone_ns, "case %zu", i);
    struct rv_box_budget budget = {.n_boxes = 40000, .least = 5000, .most = 60000, .frame_ns = 80000000};
    for (unsigned frame = 0; frame < 20; frame++)
        rv_box_budget_learn(&budget, 40000, rv_box_budget_alone_ns(&cases[1].cost));
    cr_assert_eq(budget.n_boxes, 40000);
}
