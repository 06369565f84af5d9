#include <criterion/criterion.h>

#include "model/leaf_view.h"

#define EXACT 65535u

static struct rv_box box(uint64_t start_ns, uint64_t end_ns, uint32_t depth, uint32_t id)
{
    return (struct rv_box){.start_ns = start_ns,
                           .duration_ns = end_ns - start_ns,
                           .id = id,
                           .count = 1,
                           .depth = depth,
                           .coverage = EXACT};
}

/* One lane of these boxes. */
static void resolve_for(struct rv_leaf_view *leaves, struct rv_box *boxes, size_t n, uint64_t pixel_ns)
{
    struct rv_view_lane lane = {.n_boxes = (uint32_t)n, .max_depth = 9};
    struct rv_view whole = {.to_ns = 1000, .lanes = &lane, .n_lanes = 1, .boxes = boxes, .n_boxes = n};
    rv_leaf_view_update(leaves, &whole, true, pixel_ns);
}

static void resolve(struct rv_leaf_view *leaves, struct rv_box *boxes, size_t n)
{
    resolve_for(leaves, boxes, n, 0);
}

static void expect(const struct rv_leaf_view *leaves, size_t idx, uint64_t start_ns, uint64_t end_ns, uint32_t source)
{
    cr_assert_lt(idx, leaves->view.n_boxes);
    const struct rv_box *leaf = &leaves->view.boxes[idx];
    cr_assert_eq(leaf->start_ns, start_ns, "%zu starts at %lu", idx, (unsigned long)leaf->start_ns);
    cr_assert_eq(leaf->start_ns + leaf->duration_ns, end_ns, "%zu takes %lu", idx, (unsigned long)leaf->duration_ns);
    cr_assert_eq(leaves->sources[idx], source, "%zu is of %u", idx, leaves->sources[idx]);
    cr_assert_eq(leaf->depth, 0);
}

Test(leaf_view, a_caller_shows_where_it_calls_nothing, .timeout = 60)
{
    struct rv_leaf_view leaves = {0};
    struct rv_box boxes[] = {box(0, 100, 0, 1), box(10, 40, 1, 2), box(20, 30, 2, 3), box(60, 100, 1, 2)};
    resolve(&leaves, boxes, 4);
    cr_assert_eq(leaves.view.n_boxes, 6);
    expect(&leaves, 0, 0, 10, 0);
    expect(&leaves, 1, 10, 20, 1);
    expect(&leaves, 2, 20, 30, 2);
    expect(&leaves, 3, 30, 40, 1);
    expect(&leaves, 4, 40, 60, 0);
    expect(&leaves, 5, 60, 100, 3);
    rv_leaf_view_fini(&leaves);
}

Test(leaf_view, between_calls_nothing_is_shown, .timeout = 60)
{
    struct rv_leaf_view leaves = {0};
    struct rv_box boxes[] = {box(10, 20, 0, 1), box(50, 60, 0, 2)};
    resolve(&leaves, boxes, 2);
    cr_assert_eq(leaves.view.n_boxes, 2);
    expect(&leaves, 0, 10, 20, 0);
    expect(&leaves, 1, 50, 60, 1);
    rv_leaf_view_fini(&leaves);
}

Test(leaf_view, calls_of_one_start_nest_whatever_their_order, .timeout = 60)
{
    struct rv_leaf_view leaves = {0};
    struct rv_box boxes[] = {box(10, 30, 1, 2), box(10, 50, 0, 1)};
    resolve(&leaves, boxes, 2);
    cr_assert_eq(leaves.view.n_boxes, 2);
    expect(&leaves, 0, 10, 30, 0);
    expect(&leaves, 1, 30, 50, 1);
    rv_leaf_view_fini(&leaves);
}

Test(leaf_view, a_deep_cell_covers_what_begins_below_it, .timeout = 60)
{
    struct rv_leaf_view leaves = {0};
    struct rv_box boxes[] = {box(0, 40, 5, 1), box(10, 80, 2, 2)};
    boxes[0].coverage = 40000;
    resolve(&leaves, boxes, 2);
    for (size_t i = 0; i + 1 < leaves.view.n_boxes; i++)
        cr_assert_leq(leaves.view.boxes[i].start_ns + leaves.view.boxes[i].duration_ns,
                      leaves.view.boxes[i + 1].start_ns);
    const struct rv_box *last = &leaves.view.boxes[leaves.view.n_boxes - 1];
    cr_assert_eq(last->start_ns, 40);
    cr_assert_eq(last->start_ns + last->duration_ns, 80);
    cr_assert_eq(leaves.view.boxes[0].coverage, 40000);
    rv_leaf_view_fini(&leaves);
}

/* A hundredth of the time in a callee is no reason to show it instead of what called it. */
Test(leaf_view, a_call_is_not_hidden_by_cells_that_cover_little_of_it, .timeout = 60)
{
    struct rv_leaf_view leaves = {0};
    struct rv_box boxes[] = {box(0, 80, 0, 1), box(0, 32, 1, 2), box(32, 64, 1, 2)};
    boxes[1].coverage = boxes[2].coverage = 600;
    resolve(&leaves, boxes, 3);
    cr_assert_eq(leaves.view.n_boxes, 1);
    expect(&leaves, 0, 0, 80, 0);
    rv_leaf_view_fini(&leaves);
}

/* Busy 9/10 of the time, of which half in a callee and little in what that calls. */
Test(leaf_view, a_row_of_cells_is_as_bright_as_the_lane_was_busy, .timeout = 60)
{
    struct rv_leaf_view leaves = {0};
    struct rv_box boxes[] = {box(0, 32, 0, 1), box(0, 32, 1, 2), box(0, 32, 2, 3)};
    boxes[0].coverage = 59000;
    boxes[1].coverage = 30000;
    boxes[2].coverage = 5000;
    for (uint64_t pixel_ns = 0; pixel_ns <= 64; pixel_ns += 64) {
        resolve_for(&leaves, boxes, 3, pixel_ns);
        cr_assert_eq(leaves.view.n_boxes, 1);
        expect(&leaves, 0, 0, 32, 1);
        cr_assert_eq(leaves.view.boxes[0].coverage, 59000);
    }
    rv_leaf_view_fini(&leaves);
}

/* Whatever the calls, at each time the leaf is the deepest one open. */
Test(leaf_view, at_each_time_the_deepest_open_call_shows, .timeout = 60)
{
    enum { N_BOXES = 400, END_NS = 4000 };
    static struct rv_box boxes[N_BOXES];
    struct rv_leaf_view leaves = {0};
    uint64_t seed = 12345, start_ns = 0;
    for (int i = 0; i < N_BOXES; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        start_ns += seed >> 60;
        boxes[i] = box(start_ns, start_ns + 1 + (seed >> 33 & 127), (uint32_t)i + 1000 * (seed >> 40 & 7), 1);
    }
    resolve(&leaves, boxes, N_BOXES);
    for (uint64_t time_ns = 0; time_ns < END_NS; time_ns++) {
        int64_t deepest = -1, shown = -1;
        for (int i = 0; i < N_BOXES; i++)
            if (boxes[i].start_ns <= time_ns && time_ns - boxes[i].start_ns < boxes[i].duration_ns)
                deepest = boxes[i].depth > deepest ? boxes[i].depth : deepest;
        for (size_t i = 0; i < leaves.view.n_boxes; i++) {
            const struct rv_box *leaf = &leaves.view.boxes[i];
            if (leaf->start_ns <= time_ns && time_ns - leaf->start_ns < leaf->duration_ns) {
                cr_assert_eq(shown, -1, "two at %lu", (unsigned long)time_ns);
                shown = boxes[leaves.sources[i]].depth;
            }
        }
        cr_assert_eq(shown, deepest, "at %lu", (unsigned long)time_ns);
    }
    rv_leaf_view_fini(&leaves);
}

/* Columns of 16 ns for pixels of 11. */
Test(leaf_view, short_parts_of_a_column_become_one_cell, .timeout = 60)
{
    struct rv_leaf_view leaves = {0};
    struct rv_box boxes[] = {box(0, 4, 0, 1),     box(4, 10, 0, 2),   box(11, 14, 0, 1), box(17, 19, 0, 1),
                             box(32, 96, 0, 3),   box(34, 38, 1, 4),  box(40, 42, 1, 4), box(97, 97, 0, 5),
                             box(112, 115, 0, 6), box(115, 117, 0, 7)};
    boxes[3].flags = boxes[8].flags = RV_BOX_DIMMED;
    boxes[9].flags = RV_BOX_HIT | RV_BOX_DIMMED;
    resolve_for(&leaves, boxes, 10, 11);
    cr_assert_eq(leaves.view.n_boxes, 6);
    expect(&leaves, 0, 0, 14, 2); /* seven of one subroutine, six of the other */
    cr_assert_eq(leaves.view.boxes[0].count, 3);
    cr_assert_eq(leaves.view.boxes[0].coverage, 13 * (EXACT - 1) / 14);
    expect(&leaves, 1, 17, 19, 3);
    cr_assert_eq(leaves.view.boxes[1].coverage, EXACT, "what is alone is not folded");
    cr_assert_eq(leaves.view.boxes[1].flags, RV_BOX_DIMMED);
    expect(&leaves, 2, 32, 42, 5);
    cr_assert_eq(leaves.view.boxes[2].count, 3, "the caller begins here, and so do the two that it calls");
    expect(&leaves, 3, 42, 96, 4);
    expect(&leaves, 4, 97, 97, 7);
    expect(&leaves, 5, 112, 117, 8);
    cr_assert_eq(leaves.view.boxes[5].flags, RV_BOX_HIT | RV_BOX_DIMMED);
    rv_leaf_view_fini(&leaves);
}

/* Folding keeps the sum of covered time and the number of calls. */
Test(leaf_view, folding_loses_neither_time_nor_calls, .timeout = 60)
{
    enum { N_BOXES = 2000, COLUMN_NS = 32 };
    static struct rv_box boxes[N_BOXES];
    struct rv_leaf_view leaves = {0}, folded = {0};
    uint64_t seed = 999, start_ns = 0, n_calls[2] = {0};
    double covered_ns[2] = {0};
    for (uint32_t i = 0; i < N_BOXES; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        boxes[i] = box(start_ns, start_ns + (seed >> 33 & 63), 0, 1 + (uint32_t)(seed >> 50 & 3));
        start_ns += (seed >> 33 & 63) + (seed >> 60);
    }
    resolve(&leaves, boxes, N_BOXES);
    resolve_for(&folded, boxes, N_BOXES, COLUMN_NS);
    const struct rv_view *views[2] = {&leaves.view, &folded.view};
    for (int i = 0; i < 2; i++)
        for (size_t j = 0; j < views[i]->n_boxes; j++) {
            const struct rv_box *leaf = &views[i]->boxes[j];
            double share = leaf->coverage == EXACT ? 1.0 : leaf->coverage / (EXACT - 1.0);
            covered_ns[i] += share * (double)leaf->duration_ns;
            n_calls[i] += leaf->count;
        }
    cr_assert_lt(folded.view.n_boxes, leaves.view.n_boxes);
    cr_assert_eq(n_calls[0], N_BOXES);
    cr_assert_eq(n_calls[1], N_BOXES);
    cr_assert_float_eq(covered_ns[1], covered_ns[0], 1e-3 * covered_ns[0]);
    rv_leaf_view_fini(&leaves);
    rv_leaf_view_fini(&folded);
}
