#include "model/pixel_cells.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define N_COLUMNS 4000
#define N_ROWS 5
#define FULL 65534u

static uint64_t covered_ns(const struct rv_box *box)
{
    return box->duration_ns * box->coverage / FULL;
}

/* Cells of a lane by time, as a timeline gives them, of two widths. */
static size_t make_cells(struct rv_box *boxes)
{
    size_t n = 0;
    srand(7);
    for (uint64_t column = 0; column < N_COLUMNS; column++)
        for (uint32_t depth = 0; depth < N_ROWS; depth++)
            if (rand() % 3)
                boxes[n++] = (struct rv_box){.start_ns = column << 13,
                                             .duration_ns = UINT64_C(1) << 13,
                                             .id = 1 + (uint32_t)rand() % 3,
                                             .count = (uint32_t)rand() % 9,
                                             .depth = depth,
                                             .coverage = (uint16_t)((unsigned)rand() % (FULL + 1))};
    return n;
}

Test(pixel_cells, joined_cells_cover_what_their_cells_cover, .timeout = 60)
{
    static struct rv_box boxes[N_COLUMNS * N_ROWS];
    static uint64_t covered[N_COLUMNS / 4][N_ROWS], calls[N_COLUMNS / 4][N_ROWS];
    struct rv_pixel_cells cells = {0};
    size_t n = make_cells(boxes);
    for (size_t i = 0; i < n; i++) {
        covered[boxes[i].start_ns >> 15][boxes[i].depth] += covered_ns(&boxes[i]);
        calls[boxes[i].start_ns >> 15][boxes[i].depth] += boxes[i].count;
    }
    size_t n_joined = rv_pixel_cells_join(&cells, boxes, n, UINT64_C(1) << 15);
    cr_assert_lt(n_joined, n / 2);
    for (size_t i = 0; i < n_joined; i++) {
        uint64_t column = boxes[i].start_ns >> 15;
        cr_assert_eq(boxes[i].start_ns, column << 15);
        cr_assert_eq(boxes[i].duration_ns, UINT64_C(1) << 15);
        cr_assert_leq(llabs((long long)covered_ns(&boxes[i]) - (long long)covered[column][boxes[i].depth]), 2);
        cr_assert_eq(boxes[i].count, calls[column][boxes[i].depth]);
        covered[column][boxes[i].depth] = UINT64_MAX / 2; /* no column of a depth comes twice */
    }
    rv_pixel_cells_fini(&cells);
}

Test(pixel_cells, calls_and_wide_cells_stay_as_they_are, .timeout = 60)
{
    struct rv_box boxes[] = {{.start_ns = 5, .duration_ns = 3, .id = 1, .count = 1, .coverage = RV_BOX_EXACT},
                             {.start_ns = 0, .duration_ns = 1 << 15, .id = 2, .count = 4, .coverage = 9},
                             {.start_ns = 1 << 15, .duration_ns = 1 << 15, .id = 2, .count = 4, .coverage = 9}};
    struct rv_pixel_cells cells = {0};
    cr_assert_eq(rv_pixel_cells_join(&cells, boxes, 3, 1 << 15), 3);
    cr_assert_eq(boxes[0].duration_ns, 3);
    cr_assert_eq(boxes[1].coverage, 9);
    cr_assert_eq(boxes[2].start_ns, 1 << 15);
    rv_pixel_cells_fini(&cells);
}

Test(pixel_cells, the_subroutine_with_most_of_the_time_names_the_cell, .timeout = 60)
{
    struct rv_box boxes[] = {{.start_ns = 0, .duration_ns = 1 << 13, .id = 1, .count = 9, .coverage = FULL / 8},
                             {.start_ns = 1 << 13, .duration_ns = 1 << 13, .id = 2, .count = 1, .coverage = FULL / 2},
                             {.start_ns = 2 << 13, .duration_ns = 1 << 13, .id = 1, .count = 9, .coverage = FULL / 8}};
    struct rv_pixel_cells cells = {0};
    cr_assert_eq(rv_pixel_cells_join(&cells, boxes, 3, 1 << 15), 1);
    cr_assert_eq(boxes[0].id, 2);
    cr_assert_eq(boxes[0].count, 19);
    rv_pixel_cells_fini(&cells);
}

Test(pixel_cells, one_hit_makes_the_joined_cell_a_hit, .timeout = 60)
{
    struct rv_box boxes[] = {{.duration_ns = 1 << 13, .coverage = 9, .flags = RV_BOX_DIMMED},
                             {.duration_ns = 1 << 13, .coverage = 9, .flags = RV_BOX_HIT},
                             {.start_ns = 1 << 15, .duration_ns = 1 << 13, .coverage = 9, .flags = RV_BOX_DIMMED},
                             {.start_ns = 5 << 13, .duration_ns = 1 << 13, .coverage = 9, .flags = RV_BOX_DIMMED}};
    struct rv_pixel_cells cells = {0};
    cr_assert_eq(rv_pixel_cells_join(&cells, boxes, 4, 1 << 15), 2);
    cr_assert_eq(boxes[0].flags, RV_BOX_HIT);
    cr_assert_eq(boxes[1].flags, RV_BOX_DIMMED);
    rv_pixel_cells_fini(&cells);
}

Test(pixel_cells, a_call_is_short_below_half_a_cell_and_never_when_it_lasts_for_centuries, .timeout = 60)
{
    const struct rv_box below = {.duration_ns = 31, .coverage = RV_BOX_EXACT},
                        half = {.duration_ns = 32, .coverage = RV_BOX_EXACT},
                        centuries = {.duration_ns = UINT64_C(1) << 63, .coverage = RV_BOX_EXACT};
    cr_assert(rv_pixel_cells_is_short(&below, 64));
    cr_assert(!rv_pixel_cells_is_short(&half, 64));
    cr_assert(!rv_pixel_cells_is_short(&centuries, 64));
    cr_assert(!rv_pixel_cells_is_short(&below, 1));
}
