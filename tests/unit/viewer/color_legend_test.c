#include <criterion/criterion.h>

#include "viewer/color_legend.h"

TestSuite(color_legend, .timeout = 60);

Test(color_legend, has_room_for_all_that_lies_over_the_calls)
{
    struct rv_arc_item items[RV_ARC_KIND_COUNT] = {{.strength = 1.0f}};
    const struct rv_arc_list arcs = {.items = items, .n = RV_ARC_KIND_COUNT, .n_left = 39};
    struct rv_box_colors *colors = rv_box_colors_create();
    struct rv_legend legend;
    for (int i = 0; i < RV_ARC_KIND_COUNT; i++)
        items[i].arc.kind = (enum rv_arc_kind)i;
    rv_color_legend_describe(colors, &(struct rv_view){.n_lanes = 0}, &legend);
    const size_t n_before = legend.n_states;
    struct rv_view_lane lane = {.object = 1};
    rv_color_legend_add_lines(&arcs, 1, &(struct rv_view){.lanes = &lane, .n_lanes = 1, .has_path = true},
                              rv_theme_get(RV_COLOR_DARK), &legend);
    cr_assert_eq(legend.n_states, n_before + RV_ARC_KIND_COUNT + 4);
    cr_assert_str_eq(legend.states[n_before + RV_ARC_KIND_COUNT].name, "6 of 45 arcs drawn");
    cr_assert_str_eq(legend.states[legend.n_states - 1].name, "critical path");
    rv_box_colors_destroy(colors);
}
