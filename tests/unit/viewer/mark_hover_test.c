#include "viewer/mark_hover.h"

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

TestSuite(mark_hover, .init = setup, .fini = teardown, .timeout = 60);

static void tell(struct rv_mark_hover *hover, struct rv_tooltip *tooltip)
{
    const struct rv_scene_marks marks = {0, 0, UINT64_MAX};
    const struct rv_scene_frame frame = {.view = &view, .subroutines = subroutines, .scale = 2.0};
    cr_assert(rv_mark_hover_move(hover, &view, &marks, (float[]){80.0f, 60.0f}));
    rv_mark_tooltip_fill(tooltip, hover, &frame);
}

Test(mark_hover, names_are_listed_with_their_numbers)
{
    struct rv_mark_hover hover = {0};
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

Test(mark_hover, of_many_names_the_rest_is_counted)
{
    struct rv_mark_hover hover = {0};
    struct rv_tooltip tooltip;
    for (uint32_t i = 0; i < N_NOTES; i++)
        notes[i].id = i;
    notes[20].n_more = 4;
    tell(&hover, &tooltip);
    cr_assert_leq(tooltip.n_lines, RV_TOOLTIP_LINES);
    cr_assert_str_eq(tooltip.lines[0].text, "name20 x5");
    cr_assert_str_eq(tooltip.lines[tooltip.n_lines - 3].text, "and 27 more, x27");
}

Test(mark_hover, nothing_is_hovered_where_the_lane_or_its_marks_are_gone)
{
    struct rv_mark_hover hover = {0};
    const float at_px[2] = {1.0f, 1.0f};
    cr_assert_not(rv_mark_hover_move(&hover, &view, &(struct rv_scene_marks){1, 0, UINT64_MAX}, at_px));
    cr_assert_not(rv_mark_hover_move(&hover, &view, &(struct rv_scene_marks){0, 1, 999}, at_px));
    cr_assert_not(hover.is_on);
    cr_assert(rv_mark_hover_move(&hover, &view, &(struct rv_scene_marks){0, 0, 2000}, at_px));
    cr_assert(hover.is_on && hover.names.n_marks == 3);
    cr_assert_not(rv_mark_hover_move(&hover, &view, &(struct rv_scene_marks){0, 0, 2000}, at_px), "the same marks");
    cr_assert(rv_mark_hover_move(&hover, &view, NULL, at_px));
    cr_assert_not(hover.is_on);
}
