#include "query/calls_view.h"

#include <criterion/criterion.h>

#define MS UINT64_C(1000000)

/* Calls of id 1 at depth 1, 10 ms apart; call i lasts (i % 7 + 1) ms, with a callee in its last half and one in that. */
static struct rv_lanes *make_lanes(unsigned n)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = 2, .thread = 3});
    for (unsigned i = 0; i < n; i++) {
        const uint64_t start = 10 * MS * (i + 1), end = start + (i % 7 + 1) * MS, half = (start + end) / 2;
        const struct rv_span spans[] = {{.start = half + 1000, .end = end - 1000, .id = 3, .depth = 3},
                                        {.start = half, .end = end, .id = 2, .depth = 2},
                                        {.start = start, .end = end, .id = 1, .depth = 1},
                                        {.start = end + 1000, .end = end + 2000, .id = 2, .depth = 1}};
        rv_timeline_add(lane->timeline, spans, 4);
    }
    lane->last_ns = rv_timeline_last_ns(lane->timeline);
    return lanes;
}

static struct rv_call_rows *make_rows(unsigned n, bool is_by_time)
{
    struct rv_call_list list = {0};
    for (unsigned i = 0; i < n; i++)
        rv_call_list_add(
            &list,
            &(struct rv_call){.start_ns = 10 * MS * (i + 1), .duration_ns = (i % 7 + 1) * MS, .id = 1, .depth = 1});
    rv_call_list_finish(&list);
    struct rv_call_rows *rows = rv_call_rows_take(&list, 1, is_by_time);
    for (size_t i = 0; i < rows->n; i++)
        rows->items[i].n_levels = 3;
    rv_call_list_fini(&list);
    return rows;
}

Test(calls_view, calls_are_aligned_at_their_start_with_their_callees, .timeout = 60)
{
    struct rv_lanes *lanes = make_lanes(50);
    struct rv_call_rows *rows = make_rows(50, false);
    struct rv_view view = {0};
    rv_calls_view_update(&view, rows, lanes, &(struct rv_view_params){0, 8 * MS, 8000, 1000});
    cr_assert_eq(view.n_lanes, 50);
    cr_assert_eq(view.n_boxes, 150);
    for (size_t i = 0; i < view.n_lanes; i++) {
        const struct rv_view_lane *lane = &view.lanes[i];
        const struct rv_box *boxes = &view.boxes[lane->first_box];
        const uint64_t duration_ns = rows->items[i].call.duration_ns;
        cr_assert_eq(lane->n_boxes, 3);
        for (uint32_t j = 0; j < 3; j++) {
            cr_assert_eq(boxes[j].id, j + 1);
            cr_assert_eq(boxes[j].depth, j);
        }
        cr_assert_eq(boxes[0].start_ns, 0);
        cr_assert_eq(boxes[0].duration_ns, duration_ns);
        cr_assert_eq(boxes[1].start_ns, duration_ns / 2);
        cr_assert_eq(rv_box_end_ns(&boxes[1]), duration_ns);
        cr_assert_eq(lane->n_parts, 1);
        cr_assert_eq(view.parts[lane->first_part].shift_ns, rows->items[i].call.start_ns);
        cr_assert_eq(view.parts[lane->first_part].lane_depth, 1);
        cr_assert_eq(lane->max_depth, 3);
        cr_assert_eq(lane->thread, 3);
    }
    cr_assert_str_eq(view.lanes[0].label, "1  7.00 ms");
    rv_view_fini(&view);
    rv_call_rows_release(rows);
    rv_lanes_destroy(lanes);
}

Test(calls_view, a_part_of_the_time_has_what_is_in_it, .timeout = 60)
{
    struct rv_lanes *lanes = make_lanes(50);
    struct rv_call_rows *rows = make_rows(50, false);
    struct rv_view view = {0};
    rv_calls_view_update(&view, rows, lanes, &(struct rv_view_params){3 * MS, 7 * MS, 8000, 1000});
    for (size_t i = 0; i < view.n_lanes; i++) {
        const uint64_t duration_ns = rows->items[i].call.duration_ns;
        cr_assert_eq(view.lanes[i].n_boxes, duration_ns > 3 * MS ? 3 : 0, "a call of %lu", (unsigned long)duration_ns);
    }
    rv_view_fini(&view);
    rv_call_rows_release(rows);
    rv_lanes_destroy(lanes);
}

Test(calls_view, folds_of_short_callees_stay_within_their_call, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1});
    for (uint64_t at = 0; at < 40 * MS; at += 2000)
        rv_timeline_add(lane->timeline, &(struct rv_span){.start = at, .end = at + 1500, .id = 2, .depth = 1}, 1);
    struct rv_call_list list = {0};
    rv_call_list_add(&list, &(struct rv_call){.start_ns = 10 * MS + 777, .duration_ns = 9 * MS, .id = 1});
    rv_call_list_finish(&list);
    struct rv_call_rows *rows = rv_call_rows_take(&list, 1, false);
    struct rv_view view = {0};
    rv_calls_view_update(&view, rows, lanes, &(struct rv_view_params){0, 10 * MS, 100, 50});
    cr_assert_gt(view.n_boxes, 1);
    cr_assert_leq(view.n_boxes, 100);
    for (size_t i = 0; i < view.n_boxes; i++)
        cr_assert_leq(rv_box_end_ns(&view.boxes[i]), 9 * MS);
    rv_view_fini(&view);
    rv_call_rows_release(rows);
    rv_call_list_fini(&list);
    rv_lanes_destroy(lanes);
}

Test(calls_view, times_off_the_cpu_are_clipped_to_their_call, .timeout = 60)
{
    struct rv_lanes *lanes = make_lanes(1);
    struct rv_call_rows *rows = make_rows(1, true);
    struct rv_lane *lane = rv_lanes_get(lanes, 0);
    const uint64_t start = rows->items[0].call.start_ns;
    const uint64_t times[][2] = {
        {start - 500, start - 100}, {start - 50, start + 100000}, {start + 200000, UINT64_MAX}};
    for (size_t i = 0; i < 3; i++)
        rv_lane_add_note(
            lane, &(struct rv_lane_note){.start_ns = times[i][0], .end_ns = times[i][1], .kind = RV_NOTE_BLOCKED});
    struct rv_view view = {0};
    rv_calls_view_update(&view, rows, lanes, &(struct rv_view_params){0, MS, 8000, 1000});
    cr_assert_eq(view.n_notes, 2);
    cr_assert_eq(view.notes[0].start_ns, 0);
    cr_assert_eq(view.notes[0].end_ns, 100000);
    cr_assert_eq(view.notes[1].start_ns, 200000);
    cr_assert_eq(view.notes[1].end_ns, MS);
    rv_view_fini(&view);
    rv_call_rows_release(rows);
    rv_lanes_destroy(lanes);
}

Test(calls_view, without_calls_it_is_empty, .timeout = 60)
{
    struct rv_lanes *lanes = make_lanes(1);
    struct rv_view view = {0};
    rv_calls_view_update(&view, NULL, lanes, &(struct rv_view_params){0, 1, 100});
    cr_assert_eq(view.n_lanes, 0);
    cr_assert_eq(view.n_boxes, 0);
    rv_view_fini(&view);
    rv_lanes_destroy(lanes);
}
