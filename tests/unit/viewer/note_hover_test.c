#include "viewer/note_hover.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { N_NOTES = 40 };
static struct rv_lane_note notes[N_NOTES];
static struct rv_view_lane lane = {.n_notes = N_NOTES, .name = "worker"};
static const struct rv_view view = {.lanes = &lane, .n_lanes = 1, .notes = notes, .n_notes = N_NOTES};
static struct rv_subroutines *subroutines;

static void setup(void)
{
    subroutines = rv_subroutines_create();
    for (uint32_t id = 0; id < N_NOTES; id++) {
        char name[32];
        snprintf(name, sizeof name, "name%u", id);
        rv_subroutines_define(subroutines, id, "", name, "", 0);
        notes[id] = (struct rv_lane_note){.start_ns = 1000 * id, .end_ns = 1000 * id, .kind = RV_NOTE_MARK, .id = 3};
    }
}

static void teardown(void)
{
    rv_subroutines_destroy(subroutines);
}

TestSuite(note_hover, .init = setup, .fini = teardown, .timeout = 60);

static void tell(struct rv_note_hover *hover, struct rv_tooltip *tooltip)
{
    const struct rv_scene_notes marks = {RV_NOTE_FORM_MARK, 0, 0, UINT64_MAX, false};
    const struct rv_scene_frame frame = {.view = &view, .subroutines = subroutines, .scale = 2.0};
    cr_assert(rv_note_hover_move(hover, &view, &marks, (float[]){80.0f, 60.0f}));
    rv_note_tooltip_fill(tooltip, hover, &frame);
}

Test(note_hover, names_are_listed_with_their_numbers)
{
    struct rv_note_hover hover = {0};
    struct rv_tooltip tooltip;
    notes[5].id = 8;
    notes[6].id = RV_NOTE_SEVERAL;
    notes[6].n_more = 9;
    tell(&hover, &tooltip);
    cr_assert_str_eq(tooltip.title, "49 marks");
    cr_assert_float_eq(tooltip.at[0], 40.0f, 1e-6f);
    cr_assert_eq(tooltip.n_lines, 5);
    cr_assert_str_eq(tooltip.lines[0].label, "names");
    cr_assert_str_eq(tooltip.lines[0].text, "name3 x38");
    cr_assert_str_eq(tooltip.lines[1].text, "name8 x1");
    cr_assert_str_eq(tooltip.lines[2].text, "(names are not kept) x10");
    cr_assert_str_eq(tooltip.lines[4].text, "worker");
}

Test(note_hover, of_many_names_the_rest_is_counted)
{
    struct rv_note_hover hover = {0};
    struct rv_tooltip tooltip;
    for (uint32_t i = 0; i < N_NOTES; i++)
        notes[i].id = i;
    notes[20].n_more = 4;
    tell(&hover, &tooltip);
    cr_assert_leq(tooltip.n_lines, RV_TOOLTIP_LINES);
    cr_assert_str_eq(tooltip.lines[0].text, "name20 x5");
    cr_assert_str_eq(tooltip.lines[tooltip.n_lines - 3].text, "and 27 more, x27");
}

Test(note_hover, a_collection_has_its_kind_duration_thread_and_share_of_the_window)
{
    static const struct rv_lane_note collections[] = {
        {.start_ns = 1000, .end_ns = 3000, .kind = RV_NOTE_GC},
        {.start_ns = 5000, .end_ns = 9000, .kind = RV_NOTE_GC, .n_more = 2, .covered_ns = 1500},
        {.start_ns = 2000, .end_ns = 2000, .kind = RV_NOTE_MARK, .id = 3},
        {.start_ns = 9200, .end_ns = 9700, .kind = RV_NOTE_GC}};
    static const struct rv_box boxes[] = {{.start_ns = 0, .duration_ns = 9000, .id = 1, .count = 1},
                                          {.start_ns = 1100, .duration_ns = 1800, .id = 7, .depth = 1, .count = 1},
                                          {.start_ns = 1200, .duration_ns = 100, .id = 8, .depth = 2, .count = 1}};
    static const struct rv_view_lane lanes[] = {
        {.n_notes = 2, .n_boxes = 3, .name = "collector", .process_name = "app", .n_members = 1},
        {.first_note = 2, .n_notes = 2, .first_box = 3, .name = "other", .process_name = "app", .n_members = 1}};
    static const struct rv_view paused = {.to_ns = 10000,
                                          .lanes = (struct rv_view_lane *)lanes,
                                          .n_lanes = 2,
                                          .boxes = (struct rv_box *)boxes,
                                          .n_boxes = 3,
                                          .notes = (struct rv_lane_note *)collections,
                                          .n_notes = 4};
    const struct rv_scene_frame frame = {.view = &paused, .subroutines = subroutines, .scale = 1.0};
    const float at_px[2] = {1.0f, 1.0f};
    struct rv_note_hover hover = {0};
    struct rv_tooltip tooltip;
    cr_assert(
        rv_note_hover_move(&hover, &paused, &(struct rv_scene_notes){RV_NOTE_FORM_PAUSE, 0, 1000, 3000, true}, at_px));
    rv_note_tooltip_fill(&tooltip, &hover, &frame);
    cr_assert_str_eq(tooltip.title, "GC");
    static const char *const lines[][2] = {
        {"kind", "name7"},  {"duration", "2.00 us"},        {"thread", "collector"},
        {"at", "+1.00 us"}, {"pauses", "2 threads of app"}, {"in view", "5, 4.00 us: 40 % of the time"}};
    cr_assert_eq(tooltip.n_lines, sizeof lines / sizeof *lines);
    for (size_t i = 0; i < tooltip.n_lines; i++) {
        cr_assert_str_eq(tooltip.lines[i].label, lines[i][0]);
        cr_assert_str_eq(tooltip.lines[i].text, lines[i][1], "%s", tooltip.lines[i].text);
    }
    cr_assert_not(
        rv_note_hover_move(&hover, &paused, &(struct rv_scene_notes){RV_NOTE_FORM_PAUSE, 0, 1000, 3000, true}, at_px),
        "the same one");
    cr_assert(
        rv_note_hover_move(&hover, &paused, &(struct rv_scene_notes){RV_NOTE_FORM_PAUSE, 0, 5000, 9000, false}, at_px));
    rv_note_tooltip_fill(&tooltip, &hover, &frame);
    cr_assert_str_eq(tooltip.title, "GC x3", "merged ones are counted");
    cr_assert_str_eq(tooltip.lines[0].text, "1.50 us in all, within 4.00 us", "%s", tooltip.lines[0].text);
    cr_assert(
        rv_note_hover_move(&hover, &paused, &(struct rv_scene_notes){RV_NOTE_FORM_PAUSE, 0, 5001, 9000, false}, at_px));
    cr_assert_not(hover.is_on, "no collection begins then");
}

Test(note_hover, nothing_is_hovered_where_the_lane_or_its_marks_are_gone)
{
    struct rv_note_hover hover = {0};
    const float at_px[2] = {1.0f, 1.0f};
    cr_assert_not(
        rv_note_hover_move(&hover, &view, &(struct rv_scene_notes){RV_NOTE_FORM_MARK, 1, 0, UINT64_MAX, false}, at_px));
    cr_assert_not(
        rv_note_hover_move(&hover, &view, &(struct rv_scene_notes){RV_NOTE_FORM_MARK, 0, 1, 999, false}, at_px));
    cr_assert_not(hover.is_on);
    cr_assert(rv_note_hover_move(&hover, &view, &(struct rv_scene_notes){RV_NOTE_FORM_MARK, 0, 0, 2000, false}, at_px));
    cr_assert(hover.is_on && hover.n == 3);
    cr_assert_not(
        rv_note_hover_move(&hover, &view, &(struct rv_scene_notes){RV_NOTE_FORM_MARK, 0, 0, 2000, false}, at_px),
        "the same marks");
    cr_assert(rv_note_hover_move(&hover, &view, NULL, at_px));
    cr_assert_not(hover.is_on);
}
