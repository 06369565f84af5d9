#include "ui/notice.h"

#include <math.h>

#define HEIGHT 40.0f
#define EDGE 10.0f
#define PADDING 14.0f
#define BUTTON_WIDTH 60.0f
#define WRAPPED_WIDTH 560.0f
#define LINE_HEIGHT 15.0f
#define BELOW_LINES 46.0f /* buttons and padding */
#define RAGGED 1.1f       /* lines have more room than text */

/* Of all but the text. */
static float width_beside(const struct rv_notice *shown)
{
    float width = 2.0f * PADDING;
    for (unsigned i = 0; i < RV_NOTICE_MOST_BUTTONS && shown->buttons[i].label; i++)
        width += BUTTON_WIDTH + PADDING;
    return width;
}

/* Of all; that of others is HEIGHT. */
static float wrapped_height(const struct rv_notice *shown, float width)
{
    const float room = fmaxf(width - 2.0f * PADDING, LINE_HEIGHT);
    const float n_lines = ceilf(RAGGED * rv_imgui_text_width(RV_IMGUI_FONT_TEXT, shown->text) / room);
    return n_lines * LINE_HEIGHT + BELOW_LINES;
}

void rv_notice_show(struct rv_ui *ui, const struct rv_notice *shown, struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    const struct rv_ui_insets insets = rv_ui_insets(ui);
    const float beside = width_beside(shown), wanted = rv_imgui_text_width(RV_IMGUI_FONT_TEXT, shown->text) + beside;
    struct rv_imgui_area area = rv_ui_center(ui, shown->is_wrapped ? WRAPPED_WIDTH : ceilf(wanted), HEIGHT);
    const uint32_t rgba = shown->is_warning ? style->text_warning : style->text_strong;
    char text[256];
    if (shown->is_wrapped)
        area.height = wrapped_height(shown, area.width);
    if (shown->is_below) {
        area.y = rv_ui_height(ui) - insets.bottom - EDGE - HEIGHT;
    } else if (!shown->is_centered) {
        area.x = insets.left + EDGE;
        area.y = insets.top + EDGE + (float)shown->row * (HEIGHT + EDGE);
    }
    rv_imgui_panel_begin(shown->name, area, 0);
    if (shown->is_wrapped) {
        rv_imgui_text_wrapped(RV_IMGUI_FONT_TEXT, rgba, shown->text);
    } else {
        rv_ui_fit_text(RV_IMGUI_FONT_TEXT, shown->text, area.width - beside, text, sizeof text);
        rv_imgui_label(text, rgba);
    }
    for (unsigned i = 0; i < RV_NOTICE_MOST_BUTTONS && shown->buttons[i].label; i++) {
        if (i || !shown->is_wrapped)
            rv_imgui_same_line(i ? 6.0f : PADDING);
        if (rv_imgui_button(shown->buttons[i].label, BUTTON_WIDTH, false))
            rv_ui_act(acts, &(struct rv_act){.action = shown->buttons[i].action});
    }
    rv_imgui_panel_end();
}
