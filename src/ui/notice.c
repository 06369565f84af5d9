#include "ui/notice.h"

#define HEIGHT 40.0f
#define EDGE 10.0f
#define PADDING 14.0f
#define BUTTON_WIDTH 60.0f

static float width_of(const struct rv_notice *shown)
{
    float width = rv_imgui_text_width(RV_IMGUI_FONT_TEXT, shown->text) + 2.0f * PADDING;
    for (unsigned i = 0; i < RV_NOTICE_MOST_BUTTONS && shown->buttons[i].label; i++)
        width += BUTTON_WIDTH + PADDING;
    return width;
}

void rv_notice_show(struct rv_ui *ui, const struct rv_notice *shown, struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    const struct rv_ui_insets insets = rv_ui_insets(ui);
    struct rv_imgui_area area = rv_ui_center(ui, width_of(shown), HEIGHT);
    if (!shown->is_centered) {
        area.x = insets.left + EDGE;
        area.y = insets.top + EDGE + (float)shown->row * (HEIGHT + EDGE);
    }
    rv_imgui_panel_begin(shown->name, area, 0);
    rv_imgui_label(shown->text, shown->is_warning ? style->text_warning : style->text_strong);
    for (unsigned i = 0; i < RV_NOTICE_MOST_BUTTONS && shown->buttons[i].label; i++) {
        rv_imgui_same_line(i ? 6.0f : PADDING);
        if (rv_imgui_button(shown->buttons[i].label, BUTTON_WIDTH, false))
            rv_ui_act(acts, &(struct rv_act){.action = shown->buttons[i].action});
    }
    rv_imgui_panel_end();
}
