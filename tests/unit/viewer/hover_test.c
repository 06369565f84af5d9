/* The tooltip of a box, the pinned call, and the place of its panel. */
#include "viewer/tooltip_rows.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define EXACT 65535u
#define HALF 32767u

static struct rv_box boxes[] = {
    {.start_ns = 1000, .duration_ns = 800, .id = 1, .count = 1, .coverage = EXACT},
    {.start_ns = 1100, .duration_ns = 200, .id = 2, .count = 1, .depth = 1, .coverage = EXACT},
    {.start_ns = 1400, .duration_ns = 200, .id = 3, .count = 17, .depth = 1, .coverage = HALF},
    {.start_ns = 1500, .duration_ns = 50, .id = 4, .count = 1, .depth = 2, .coverage = EXACT},
    {.start_ns = 1900, .duration_ns = 100, .id = 1, .count = 1, .coverage = EXACT, .flags = RV_SPAN_OPEN},
};

static struct rv_view_lane lane = {.lane_idx = 4, .n_boxes = 5, .max_depth = 3, .name = "worker"};

static struct rv_view view_of(uint64_t from_ns, uint64_t to_ns)
{
    return (struct rv_view){
        .from_ns = from_ns, .to_ns = to_ns, .lanes = &lane, .n_lanes = 1, .boxes = boxes, .n_boxes = 5};
}

static struct rv_hover over(const struct rv_view *view, uint32_t box)
{
    struct rv_hover hover = {0};
    cr_assert(rv_hover_move(&hover, view, &(struct rv_pick_hit){box, 0}, (float[2]){100, 100}));
    return hover;
}

static const char *line_of(const struct rv_tooltip *tooltip, const char *label)
{
    for (size_t i = 0; i < tooltip->n_lines; i++)
        if (!strcmp(tooltip->lines[i].label, label))
            return tooltip->lines[i].text;
    return "";
}

static struct rv_tooltip describe(const struct rv_hover *hover)
{
    struct rv_subroutines *subroutines = rv_subroutines_create();
    struct rv_tooltip tooltip;
    rv_subroutines_define(subroutines, 3, "Cells", "most", "cells.c", 7);
    cr_assert(rv_tooltip_rows_fill(hover, &(struct rv_tooltip_rows_about){.subroutines = subroutines}, &tooltip));
    rv_subroutines_destroy(subroutines);
    return tooltip;
}

Test(hover, self_time_excludes_callees_and_cells_make_it_approximate, .timeout = 60)
{
    struct rv_view view = view_of(0, 3000);
    struct rv_hover hover = over(&view, 0);
    cr_assert(hover.has_self && hover.is_self_rough);
    cr_assert(hover.self_ns >= 499 && hover.self_ns <= 501);
    hover = over(&view, 1);
    cr_assert(hover.has_self && !hover.is_self_rough);
    cr_assert_eq(hover.self_ns, 200);
}

Test(hover, a_box_that_reaches_out_of_the_window_has_no_self_time, .timeout = 60)
{
    struct rv_view view = view_of(1200, 3000);
    struct rv_hover hover = over(&view, 0);
    cr_assert_not(hover.has_self);
    struct rv_tooltip tooltip = describe(&hover);
    cr_assert_str_empty(line_of(&tooltip, "self"));
    cr_assert_str_eq(line_of(&tooltip, "duration"), "800 ns");
}

Test(hover, a_call_says_when_its_thread_was_off_the_cpu, .timeout = 60)
{
    struct rv_view view = view_of(0, 3000);
    struct rv_hover hover = over(&view, 1);
    struct rv_subroutines *subroutines = rv_subroutines_create();
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1});
    const uint64_t start_ns = hover.box.start_ns, end_ns = start_ns + hover.box.duration_ns;
    struct rv_tooltip_rows_about about = {.subroutines = subroutines, .lane = lane};
    struct rv_tooltip tooltip;
    cr_assert(rv_tooltip_rows_fill(&hover, &about, &tooltip));
    cr_assert_str_empty(line_of(&tooltip, "on CPU"));
    rv_lane_add_note(lane,
                     &(struct rv_lane_note){.start_ns = start_ns + 40, .end_ns = start_ns + 60, .kind = RV_NOTE_AWAY});
    cr_assert(rv_tooltip_rows_fill(&hover, &about, &tooltip));
    cr_assert_str_empty(line_of(&tooltip, "on CPU"));
    cr_assert_str_eq(line_of(&tooltip, "suspended"), "20 ns");
    lane->notes[0].start_ns = 0;
    lane->notes[0].end_ns = start_ns + 20;
    rv_lane_add_note(lane, &(struct rv_lane_note){
                               .start_ns = start_ns + 20, .end_ns = start_ns + 50, .kind = RV_NOTE_BLOCKED, .id = 3});
    rv_lane_add_note(lane, &(struct rv_lane_note){
                               .start_ns = end_ns - 50, .end_ns = end_ns + 9, .kind = RV_NOTE_PREEMPTED, .id = 1});
    cr_assert(rv_tooltip_rows_fill(&hover, &about, &tooltip));
    char expected[96];
    snprintf(expected, sizeof expected, "%llu ns; blocked 30 ns, runnable 50 ns, left CPU 3, 1",
             (unsigned long long)(end_ns - start_ns - 100));
    cr_assert_str_eq(line_of(&tooltip, "on CPU"), expected);
    cr_assert_str_empty(line_of(&tooltip, "merged"));
    lane->notes[1].n_more = 41;
    lane->notes[1].covered_ns = 30;
    cr_assert(rv_tooltip_rows_fill(&hover, &about, &tooltip));
    cr_assert_str_eq(line_of(&tooltip, "merged"), "42 states in 1 stretch of time: these times are estimates");
    rv_lanes_destroy(lanes);
    rv_subroutines_destroy(subroutines);
}

Test(hover, a_call_says_how_many_objects_it_made, .timeout = 60)
{
    struct rv_view view = view_of(0, 3000);
    struct rv_hover hover = over(&view, 1);
    struct rv_subroutines *subroutines = rv_subroutines_create();
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1});
    const uint64_t start_ns = hover.box.start_ns, end_ns = start_ns + hover.box.duration_ns;
    struct rv_tooltip_rows_about about = {.subroutines = subroutines, .lane = lane};
    struct rv_tooltip tooltip;
    cr_assert(rv_tooltip_rows_fill(&hover, &about, &tooltip));
    cr_assert_str_empty(line_of(&tooltip, "made"));
    rv_made_objects_add(&lane->made, start_ns, 5); /* by its caller */
    rv_made_objects_add(&lane->made, start_ns + 10, 2);
    rv_made_objects_add(&lane->made, end_ns, 1);
    rv_made_objects_add(&lane->made, end_ns + 1, 7);
    cr_assert(rv_tooltip_rows_fill(&hover, &about, &tooltip));
    cr_assert_str_eq(line_of(&tooltip, "made"), "3 objects");
    lane->made.lost_until_ns = start_ns + 1;
    cr_assert(rv_tooltip_rows_fill(&hover, &about, &tooltip));
    cr_assert_str_empty(line_of(&tooltip, "made"));
    rv_lanes_destroy(lanes);
    rv_subroutines_destroy(subroutines);
}

Test(hover, a_cell_says_how_many_calls_it_folds, .timeout = 60)
{
    struct rv_view view = view_of(0, 3000);
    struct rv_hover hover = over(&view, 2);
    struct rv_tooltip tooltip = describe(&hover);
    cr_assert_str_eq(tooltip.title, "Cells::most");
    cr_assert_str_eq(line_of(&tooltip, "source"), "cells.c:7");
    cr_assert_str_eq(line_of(&tooltip, "folded"), "17 calls, mostly of this");
    cr_assert_str_eq(line_of(&tooltip, "covers"), "50 % of 200 ns");
    cr_assert_str_empty(line_of(&tooltip, "self"));
    hover.box.coverage = 20;
    tooltip = describe(&hover);
    cr_assert_str_eq(line_of(&tooltip, "covers"), "0.03 % of 200 ns");
}

Test(hover, an_open_call_is_the_same_when_it_has_ended, .timeout = 60)
{
    struct rv_view view = view_of(0, 3000);
    struct rv_hover hover = {0};
    rv_hover_pin(&hover, &view, &(struct rv_pick_hit){4, 0}, (float[2]){5, 5});
    cr_assert(hover.is_pinned);
    struct rv_tooltip tooltip = describe(&hover);
    cr_assert_str_eq(line_of(&tooltip, "duration"), "100 ns so far");
    struct rv_box ended[] = {{.start_ns = 1900, .duration_ns = 350, .id = 1, .count = 1, .coverage = EXACT}};
    struct rv_view_lane alone = {.lane_idx = 4, .n_boxes = 1};
    struct rv_view later = {.to_ns = 3000, .lanes = &alone, .n_lanes = 1, .boxes = ended, .n_boxes = 1};
    rv_hover_find(&hover, &later);
    cr_assert_eq(hover.box_idx, 0);
    cr_assert_eq(hover.box.duration_ns, 350);
    cr_assert(hover.is_pinned);
}

Test(hover, the_pinned_box_is_kept_when_the_view_lacks_it, .timeout = 60)
{
    struct rv_view view = view_of(0, 3000), empty = {.to_ns = 10};
    struct rv_hover hover = {0};
    rv_hover_pin(&hover, &view, &(struct rv_pick_hit){1, 0}, (float[2]){5, 5});
    rv_hover_find(&hover, &empty);
    cr_assert(hover.is_on && hover.is_pinned);
    cr_assert_eq(hover.box_idx, UINT32_MAX);
    cr_assert_eq(hover.box.start_ns, 1100);
    cr_assert_not(rv_hover_move(&hover, &view, &(struct rv_pick_hit){0, 0}, (float[2]){500, 5}));
    cr_assert_eq(hover.box.id, 2);
    rv_hover_pin(&hover, &view, NULL, (float[2]){5, 5});
    cr_assert_not(hover.is_on || hover.is_pinned);
}

Test(hover, a_second_click_on_the_pinned_box_unpins_it, .timeout = 60)
{
    struct rv_view view = view_of(0, 3000);
    struct rv_hover hover = {0};
    const struct rv_pick_hit hit = {1, 0}, other = {0, 0};
    rv_hover_pin(&hover, &view, &hit, (float[2]){5, 5});
    rv_hover_pin(&hover, &view, &other, (float[2]){5, 5});
    cr_assert(hover.is_pinned);
    cr_assert_eq(hover.box.id, 1);
    rv_hover_pin(&hover, &view, &other, (float[2]){5, 5});
    cr_assert_not(hover.is_pinned);
    cr_assert(hover.is_on);
}

Test(hover, the_focused_window_has_room_on_both_sides, .timeout = 60)
{
    struct rv_view view = view_of(0, 3000);
    struct rv_hover hover = over(&view, 0);
    uint64_t from_ns, to_ns;
    cr_assert(rv_hover_window(&hover, &from_ns, &to_ns));
    cr_assert_eq(from_ns, 920);
    cr_assert_eq(to_ns, 1880);
    cr_assert(rv_hover_clear(&hover));
    cr_assert_not(rv_hover_window(&hover, &from_ns, &to_ns));
    cr_assert_not(rv_hover_clear(&hover));
}

Test(hover, the_panel_is_inside_the_picture_and_not_under_the_cursor, .timeout = 60)
{
    const float size[2] = {300, 150}, picture[2] = {800, 500};
    for (float x = 0; x <= 800; x += 20)
        for (float y = 0; y <= 500; y += 20) {
            float corner[2];
            rv_tooltip_place(size, (float[2]){x, y}, picture, 34, corner);
            cr_assert(corner[0] >= 0 && corner[0] + size[0] <= picture[0]);
            cr_assert(corner[1] >= 34 && corner[1] + size[1] <= picture[1]);
            cr_assert(x < corner[0] || x > corner[0] + size[0] || y < corner[1] || y > corner[1] + size[1]);
        }
}

Test(hover, arguments_and_result_of_a_call_are_rows, .timeout = 60)
{
    struct rv_view view = view_of(0, 3000);
    struct rv_hover hover = over(&view, 1);
    struct rv_subroutines *subroutines = rv_subroutines_create();
    struct rv_lane called = {.lock = PTHREAD_RWLOCK_INITIALIZER};
    struct rv_tooltip tooltip;
    rv_subroutines_define(subroutines, 8, "", "7" RV_ARGUMENTS_SEPARATOR "\"SELECT 1\"", "", 0);
    rv_subroutines_define(subroutines, 9, "", "100" RV_ARGUMENTS_SEPARATOR "1=8", "", 0);
    rv_argument_texts_add(&called.texts, &(struct rv_argument_text){.at_ns = hover.box.start_ns, .id = 8});
    cr_assert(rv_tooltip_rows_fill(&hover, &(struct rv_tooltip_rows_about){.subroutines = subroutines, .lane = &called},
                                   &tooltip));
    cr_assert_str_eq(line_of(&tooltip, "arguments"), "7, \"SELECT 1\"");
    cr_assert_str_eq(line_of(&tooltip, "result"), "");
    rv_argument_texts_add(&called.texts,
                          &(struct rv_argument_text){.at_ns = rv_box_end_ns(&hover.box), .id = 9, .is_result = true});
    cr_assert(rv_tooltip_rows_fill(&hover, &(struct rv_tooltip_rows_about){.subroutines = subroutines, .lane = &called},
                                   &tooltip));
    cr_assert_str_eq(line_of(&tooltip, "arguments"), "8, \"SELECT 1\"");
    cr_assert_str_eq(line_of(&tooltip, "result"), "100");
    rv_argument_texts_fini(&called.texts);
    rv_subroutines_destroy(subroutines);
}

Test(hover, garbage_collected_during_a_call_is_a_row, .timeout = 60)
{
    struct rv_view view = view_of(0, 3000);
    struct rv_hover hover = over(&view, 1);
    struct rv_subroutines *subroutines = rv_subroutines_create();
    struct rv_lane_note note = {
        .kind = RV_NOTE_GC, .start_ns = hover.box.start_ns, .end_ns = hover.box.start_ns + hover.box.duration_ns / 2};
    struct rv_lane lane = {.lock = PTHREAD_RWLOCK_INITIALIZER, .notes = &note, .n_notes = 1};
    struct rv_tooltip tooltip;
    const struct rv_tooltip_rows_about about = {.subroutines = subroutines, .lane = &lane};
    cr_assert(rv_tooltip_rows_fill(&hover, &about, &tooltip));
    cr_assert(strstr(line_of(&tooltip, "collecting"), " of garbage collection, 1 time"));
    note.start_ns = note.end_ns = rv_box_end_ns(&hover.box);
    cr_assert(rv_tooltip_rows_fill(&hover, &about, &tooltip));
    cr_assert_str_eq(line_of(&tooltip, "collecting"), "");
    rv_subroutines_destroy(subroutines);
}
