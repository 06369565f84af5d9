#include <criterion/criterion.h>

#include "viewer/color_legend.h"

TestSuite(color_legend, .timeout = 60);

static void describe(const struct rv_box_colors *colors, const struct rv_view *view, struct rv_legend *legend)
{
    struct rv_color_legend kept = {.measured = NULL};
    rv_color_legend_describe(&kept, &(struct rv_color_legend_params){.colors = colors, .view = view}, legend);
    rv_color_legend_fini(&kept);
}

Test(color_legend, has_room_for_all_that_lies_over_the_calls)
{
    struct rv_arc_item items[RV_ARC_KIND_COUNT] = {{.strength = 1.0f}};
    const struct rv_arc_list arcs = {.items = items, .n = RV_ARC_KIND_COUNT, .n_left = 39};
    struct rv_box_colors *colors = rv_box_colors_create();
    struct rv_legend legend = {.n_rows = 0};
    for (int i = 0; i < RV_ARC_KIND_COUNT; i++)
        items[i].arc.kind = (enum rv_arc_kind)i;
    describe(colors, &(struct rv_view){.is_flattened = true}, &legend);
    const size_t n_before = legend.n_states;
    struct rv_view_lane lane = {.object = 1};
    struct rv_lane_note note = {.kind = RV_NOTE_BLOCKED};
    rv_color_legend_add_lines(
        &arcs, 1, &(struct rv_view){.lanes = &lane, .n_lanes = 1, .notes = &note, .n_notes = 1, .has_path = true},
        rv_theme_get(RV_COLOR_DARK), &legend);
    cr_assert_eq(legend.n_states, n_before + RV_ARC_KIND_COUNT + 6);
    cr_assert_str_eq(legend.states[n_before + RV_ARC_KIND_COUNT].name, "6 of 45 arcs drawn");
    cr_assert_str_eq(legend.states[legend.n_states - 1].name, "critical path");
    rv_box_colors_destroy(colors);
}

Test(color_legend, lambdas_are_shown_by_their_places)
{
    enum { N = 3 };
    static const char *const PACKAGES[N] = {"a::f()::{lambda(int)#1}", "a::f()::{lambda(int)#2}",
                                            "std::handler<a::f()::{lambda(int)#1}>"};
    static const char *const SHOWN[N] = {"f.cc:7", "f.cc:8", "std::handler<a::f()::{lambda(int)#1}>"};
    struct rv_subroutines *subroutines = rv_subroutines_create();
    struct rv_box boxes[N];
    struct rv_view_lane lane = {.n_boxes = N, .n_members = 1};
    const struct rv_view view = {.to_ns = 1000, .lanes = &lane, .n_lanes = 1, .boxes = boxes, .n_boxes = N};
    for (uint32_t i = 0; i < N; i++) {
        rv_subroutines_define(subroutines, i + 1, PACKAGES[i], "operator()", "/src/f.cc", 7 + i);
        boxes[i] = (struct rv_box){
            .start_ns = 20 * i, .duration_ns = N - i, .id = i + 1, .count = 1, .coverage = RV_BOX_EXACT};
    }
    struct rv_box_colors *colors = rv_box_colors_create();
    struct rv_legend legend = {.n_rows = 0};
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    describe(colors, &view, &legend);
    cr_assert_eq(legend.n_rows, N);
    for (size_t i = 0; i < N; i++)
        cr_assert_str_eq(legend.rows[i].name, SHOWN[i]);
    rv_box_colors_destroy(colors);
    rv_subroutines_destroy(subroutines);
}

/* A row shows what is before "::" or ".", such as "db"; the whole name if it has one name only; else the common
 * beginning of its names. */
Test(color_legend, names_without_packages_are_shown_by_what_they_have_in_common)
{
    static const char *const NAMES[] = {"db::scan", "db::sort", "recurse",    "clock_nanosleep",
                                        "read_all", "read_one", "posix.stat", "posix.open"};
    enum { N = sizeof NAMES / sizeof *NAMES };
    struct rv_subroutines *subroutines = rv_subroutines_create();
    struct rv_box boxes[N];
    struct rv_view_lane lane = {.n_boxes = N, .n_members = 1};
    const struct rv_view view = {.to_ns = 1000, .lanes = &lane, .n_lanes = 1, .boxes = boxes, .n_boxes = N};
    for (uint32_t i = 0; i < N; i++) {
        rv_subroutines_define(subroutines, i + 1, "", NAMES[i], "", 0);
        boxes[i] = (struct rv_box){
            .start_ns = 20 * i, .duration_ns = N - i, .id = i + 1, .count = 1, .coverage = RV_BOX_EXACT};
    }
    struct rv_box_colors *colors = rv_box_colors_create();
    struct rv_legend legend = {.n_rows = 0};
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    describe(colors, &view, &legend);
    static const char *const SHOWN[] = {"db", "read…", "recurse", "clock_nanosleep", "posix"};
    cr_assert_eq(legend.n_rows, sizeof SHOWN / sizeof *SHOWN);
    for (size_t i = 0; i < legend.n_rows; i++)
        cr_assert_str_eq(legend.rows[i].name, SHOWN[i]);
    cr_assert_str_eq(legend.rows[0].only, "name:^db");
    cr_assert_str_eq(legend.title, "Names");
    rv_subroutines_define(subroutines, N + 1, "shop", "sell", "", 0);
    boxes[1].id = N + 1;
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    describe(colors, &view, &legend);
    cr_assert_str_eq(legend.title, "Packages");
    rv_box_colors_destroy(colors);
    rv_subroutines_destroy(subroutines);
}

enum { N_ORDERED = 3 };

/* The legend of three subroutines with these shares of the own time, in per cent. */
static void describe_shares(struct rv_color_legend *kept, const uint64_t percents[N_ORDERED], bool is_moving,
                            struct rv_legend *legend, bool keeps_rows)
{
    static const char *const NAMES[N_ORDERED] = {"read", "parse", "write"};
    struct rv_subroutines *subroutines = rv_subroutines_create();
    struct rv_box_colors *colors = rv_box_colors_create();
    static uint64_t version;
    struct rv_stats_row rows[N_ORDERED];
    for (uint32_t i = 0; i < N_ORDERED; i++) {
        rv_subroutines_define(subroutines, i + 1, NAMES[i], NAMES[i], "", 0);
        rows[i] = (struct rv_stats_row){.id = i + 1, .self_ns = percents[i]};
    }
    const struct rv_view view = {.to_ns = 1000};
    const struct rv_color_legend_params params = {.colors = colors,
                                                  .view = &view,
                                                  .times = {rows, N_ORDERED, ++version, true},
                                                  .subroutines = subroutines,
                                                  .is_moving = is_moving};
    if (keeps_rows)
        rv_color_legend_describe_shares(kept, &params, legend);
    else
        rv_color_legend_describe(kept, &params, legend);
    rv_box_colors_destroy(colors);
    rv_subroutines_destroy(subroutines);
}

static void expect_order(const struct rv_legend *legend, const char *initials)
{
    cr_assert_eq(legend->n_rows, N_ORDERED);
    for (size_t i = 0; i < N_ORDERED; i++)
        cr_expect_eq(legend->rows[i].name[0], initials[i], "row %zu is %s, not %c", i, legend->rows[i].name,
                     initials[i]);
}

Test(color_legend, rows_change_places_for_clear_reasons_while_the_picture_moves)
{
    struct rv_color_legend kept = {.measured = NULL};
    struct rv_legend legend = {.n_rows = 0};
    describe_shares(&kept, (uint64_t[]){50, 30, 20}, true, &legend, false);
    expect_order(&legend, "rpw");
    describe_shares(&kept, (uint64_t[]){38, 42, 20}, true, &legend, false);
    expect_order(&legend, "rpw");
    cr_expect_float_eq(legend.rows[1].share, 0.42, 1e-9, "its share is as it is");
    describe_shares(&kept, (uint64_t[]){30, 10, 60}, true, &legend, false);
    expect_order(&legend, "wrp");
    describe_shares(&kept, (uint64_t[]){36, 30, 34}, true, &legend, false);
    expect_order(&legend, "wrp");
    describe_shares(&kept, (uint64_t[]){36, 30, 34}, false, &legend, false);
    expect_order(&legend, "rwp");
    rv_color_legend_fini(&kept);
}

Test(color_legend, rows_stay_while_they_filter_and_shares_are_of_what_is_shown)
{
    struct rv_color_legend kept = {.measured = NULL};
    struct rv_legend legend = {.n_rows = 0};
    describe_shares(&kept, (uint64_t[]){50, 30, 20}, false, &legend, false);
    describe_shares(&kept, (uint64_t[]){0, 25, 75}, false, &legend, true);
    expect_order(&legend, "rpw");
    cr_expect_lt(legend.rows[0].share, 0.0, "it has none");
    cr_expect_float_eq(legend.rows[1].share, 0.25, 1e-9);
    cr_expect_float_eq(legend.rows[2].share, 0.75, 1e-9);
    rv_color_legend_fini(&kept);
}
