#include "model/view_parts.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/pixel_cells.h"

#define FULL 65534u
#define COLUMN_NS 64u

static struct rv_box call(uint64_t start_ns, uint64_t end_ns, uint32_t depth, uint32_t id)
{
    return (struct rv_box){.start_ns = start_ns,
                           .duration_ns = end_ns - start_ns,
                           .id = id,
                           .count = 1,
                           .depth = depth,
                           .coverage = RV_BOX_EXACT};
}

static void append(struct rv_view *view, const struct rv_box *boxes, size_t n)
{
    view->unsorted = rv_vec_reserve(view->unsorted, &view->unsorted_capacity, n, sizeof *view->unsorted);
    memcpy(view->unsorted, boxes, n * sizeof *boxes);
    rv_view_parts_append(view, n, COLUMN_NS);
}

Test(view_parts, short_calls_of_a_column_and_depth_become_a_cell, .timeout = 60)
{
    struct rv_box boxes[] = {call(0, 200, 0, 1),   call(0, 20, 1, 2),    call(20, 50, 1, 3),
                             call(21, 31, 2, 4),   call(50, 60, 1, 3),   call(100, 110, 1, 2),
                             call(130, 140, 1, 2), call(150, 180, 1, 3), call(192, 200, 1, 5)};
    const size_t n = sizeof boxes / sizeof *boxes;
    boxes[n - 1].flags = RV_SPAN_OPEN;
    struct rv_view view = {0};
    append(&view, boxes, n);
    cr_assert_eq(view.n_boxes, 6);
    cr_assert_eq(view.n_folded, 5);
    cr_assert_eq(view.boxes[0].duration_ns, 200);
    cr_assert_eq(view.boxes[1].start_ns, 0);
    cr_assert_eq(view.boxes[1].duration_ns, 60);
    cr_assert_eq(view.boxes[1].coverage, FULL);
    cr_assert_eq(view.boxes[1].count, 3);
    cr_assert_eq(view.boxes[1].id, 3);
    cr_assert_eq(view.boxes[2].coverage, RV_BOX_EXACT, "a call that is alone stays one");
    cr_assert_eq(view.boxes[3].coverage, RV_BOX_EXACT);
    cr_assert_eq(view.boxes[4].start_ns, 130);
    cr_assert_eq(view.boxes[4].duration_ns, 50);
    cr_assert_eq(view.boxes[4].coverage, 40 * FULL / 50);
    cr_assert_eq(view.boxes[5].flags, RV_SPAN_OPEN);
    rv_view_fini(&view);
}

Test(view_parts, short_calls_are_added_to_the_cell_of_their_column, .timeout = 60)
{
    struct rv_box boxes[] = {call(0, 64, 3, 1), call(10, 26, 3, 2), call(40, 40, 3, 2)};
    boxes[0].coverage = FULL / 4;
    boxes[0].count = 7;
    boxes[1].flags = RV_BOX_HIT;
    struct rv_view view = {0};
    append(&view, boxes, 3);
    cr_assert_eq(view.n_boxes, 1);
    cr_assert_eq(view.n_folded, 7 + 2);
    cr_assert_eq(view.boxes[0].count, 9);
    cr_assert_eq(view.boxes[0].duration_ns, 64);
    cr_assert(abs((int)view.boxes[0].coverage - (int)FULL / 2) < FULL / 16, "%u", view.boxes[0].coverage);
    cr_assert_eq(view.boxes[0].flags, RV_BOX_HIT);
    rv_view_fini(&view);
}

/* ---- oracle: a short call is added to the last box of its depth, if that box is in the same column ---- */

enum { N_LANES = 200, MOST_BOXES = 2000, N_DEPTHS = 5 };

/* Calls of each depth one after another, depth by depth, some of no time, and cells; a lane uses some depths only. */
static size_t make_boxes(struct rv_box *boxes, unsigned *seed)
{
    size_t n = 0;
    const uint64_t n_a_depth = (uint64_t)rand_r(seed) % (MOST_BOXES / N_DEPTHS);
    for (uint32_t depth = N_DEPTHS; depth-- > 0;) {
        uint64_t at_ns = 1000;
        for (uint64_t i = 0, n_here = rand_r(seed) % 3 ? n_a_depth : 0; i < n_here; i++) {
            const uint64_t length_ns = (uint64_t)rand_r(seed) % 48 * (uint64_t)(rand_r(seed) % 3);
            boxes[n] = call(at_ns, at_ns + length_ns, depth, (uint32_t)rand_r(seed) % 4);
            if (at_ns % COLUMN_NS == 0 && rand_r(seed) % 2) {
                boxes[n].duration_ns = COLUMN_NS;
                boxes[n].coverage = (uint16_t)(rand_r(seed) % (int)FULL);
            }
            at_ns += boxes[n++].duration_ns + (uint64_t)(rand_r(seed) % 8) * (uint64_t)(rand_r(seed) % 8);
        }
    }
    return n;
}

static int compare(const void *a, const void *b)
{
    const struct rv_box *first = *(struct rv_box *const *)a, *second = *(struct rv_box *const *)b;
    if (first->start_ns != second->start_ns)
        return first->start_ns < second->start_ns ? -1 : 1;
    if (first->depth != second->depth)
        return first->depth < second->depth ? -1 : 1;
    return (first > second) - (first < second);
}

static struct rv_box *find_cell(struct rv_box *boxes, size_t n, const struct rv_box *call)
{
    while (n > 0 && boxes[n - 1].depth != call->depth)
        n--;
    struct rv_box *box = n ? &boxes[n - 1] : NULL;
    const bool takes = box && (box->coverage != RV_BOX_EXACT || rv_pixel_cells_is_short(box, COLUMN_NS));
    return takes && box->start_ns / COLUMN_NS == call->start_ns / COLUMN_NS ? box : NULL;
}

static size_t append_plainly(struct rv_box *out, const struct rv_box *boxes, size_t n)
{
    const struct rv_box *sorted[MOST_BOXES];
    size_t n_out = 0;
    for (size_t i = 0; i < n; i++)
        sorted[i] = &boxes[i];
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0; i < n; i++) {
        struct rv_box *cell = rv_pixel_cells_is_short(sorted[i], COLUMN_NS) ? find_cell(out, n_out, sorted[i]) : NULL;
        if (cell)
            (void)rv_pixel_cells_add_call(cell, sorted[i]);
        else
            out[n_out++] = *sorted[i];
    }
    return n_out;
}

Test(view_parts, boxes_of_many_lanes_are_sorted_and_joined_as_by_the_plain_way, .timeout = 60)
{
    static struct rv_box boxes[MOST_BOXES], plain[MOST_BOXES];
    struct rv_view view = {0};
    unsigned seed = 20261129;
    size_t n_joined = 0;
    for (unsigned lane = 0; lane < N_LANES; lane++) {
        const size_t n = make_boxes(boxes, &seed), first = view.n_boxes;
        const size_t n_plain = append_plainly(plain, boxes, n);
        append(&view, boxes, n);
        cr_assert_eq(view.n_boxes - first, n_plain, "lane %u: %zu, %zu", lane, view.n_boxes - first, n_plain);
        for (size_t i = 0; i < n_plain; i++)
            cr_assert_eq(memcmp(&view.boxes[first + i], &plain[i], sizeof *plain), 0, "lane %u: box %zu", lane, i);
        n_joined += n - n_plain;
        if (lane % 7 == 6)
            view.n_boxes = 0; /* the next picture */
    }
    cr_assert_gt(n_joined, N_LANES * 10);
    rv_view_fini(&view);
}
