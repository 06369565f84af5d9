#include "ui/debugger_panel.h"
#include "ui/inspector.h"
#include "ui/ui.h"

#include <criterion/criterion.h>

static const float PICTURE[2] = {640.0f, 360.0f}; /* 1920x1080 at 300 % */

Test(ui, a_panel_in_the_middle_is_between_the_docks, .timeout = 60)
{
    const struct rv_ui_insets docks = {35.0f, 60.0f, 0.0f, 0.0f};
    const struct rv_imgui_area area = rv_ui_center_of(PICTURE, &docks, 35.0f, (float[2]){330.0f, 440.0f});
    cr_assert_eq(area.width, 330.0f);
    cr_assert_eq(area.y, 43.0f);
    cr_assert_eq(area.y + area.height, 360.0f - 60.0f - 8.0f);
}

/* Regression: with a search bar and a list of threads the help had room for one line. */
Test(ui, a_panel_covers_docks_that_leave_too_little_room, .timeout = 60)
{
    const struct rv_ui_insets docks = {107.0f, 166.0f, 0.0f, 250.0f};
    struct rv_imgui_area area = rv_ui_center_of(PICTURE, &docks, 35.0f, (float[2]){900.0f, 700.0f});
    cr_assert_eq(area.y, 43.0f);
    cr_assert_eq(area.height, 360.0f - 35.0f - 16.0f);
    cr_assert_eq(area.width, 640.0f - 250.0f - 16.0f);
    area = rv_ui_center_of(PICTURE, &docks, 35.0f, (float[2]){330.0f, 60.0f}); /* a low one has room */
    cr_assert_geq(area.y, 107.0f);
    cr_assert_leq(area.y + area.height, 360.0f - 166.0f);
}

/* Names of lanes behind a panel could be read through it. */
Test(ui, panels_are_opaque, .timeout = 60)
{
    for (int theme = 0; theme < RV_COLOR_THEME_COUNT; theme++) {
        cr_assert_eq(rv_ui_style_get((enum rv_color_theme)theme)->panel & 0xffu, 0xffu);
        cr_assert_eq(rv_ui_style_get((enum rv_color_theme)theme)->bar & 0xffu, 0xffu);
    }
}

/* Regression: in 1280x720 and 800x600 at 300 % the buttons covered the name, and the panel's head was above the
 * picture. */
Test(ui, the_debugger_fits_into_a_small_picture, .timeout = 60)
{
    static const float pictures[][2] = {{1280.0f, 720.0f}, {640.0f, 360.0f}, {427.0f, 240.0f}, {267.0f, 200.0f}};
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        const struct rv_debugger_panel_shape shape = rv_debugger_panel_shape(true, pictures[i]);
        const float buttons_width = (float)RV_DEBUGGER_PANEL_BUTTONS * shape.button_width;
        cr_assert_leq(shape.height, 0.62f * pictures[i][1]);
        cr_assert_leq(shape.head_height, 0.6f * shape.height, "room for a stack");
        cr_assert_eq(shape.button_width > 0.0f, i > 0, "picture %zu", i);
        cr_assert(i == 0 || (shape.button_width >= 40.0f && buttons_width < pictures[i][0] - 24.0f));
    }
    cr_assert_eq(rv_debugger_panel_shape(true, pictures[0]).height, 248.0f);
}

/* Regression: in 1920x1080 at 200 % the legend left room for two lines of the pinned call. */
Test(ui, the_pinned_call_takes_the_legends_room_where_there_is_little, .timeout = 60)
{
    cr_assert(!rv_inspector_leaves_legend(445.0f, 400.0f));
    cr_assert(!rv_inspector_leaves_legend(580.0f, 490.0f), "beside the list of waits in 1600x900");
    cr_assert(rv_inspector_leaves_legend(780.0f, 490.0f));
}
