#include "ui/filter_notice.h"

#include <stdio.h>

#define WIDTH 356.0f
#define HEIGHT 40.0f
#define COUNT_NARROWER 84.0f /* the number of rules is a shorter text */
#define EDGE 10.0f
#define BUTTON_WIDTH 60.0f

void rv_filter_notice_show(struct rv_ui *ui, const struct rv_filter_notice *shown, struct rv_ui_acts *acts)
{
    char text[64] = "Nothing here passes the filter";
    const struct rv_ui_style *style = rv_ui_style(ui);
    struct rv_imgui_area area = rv_ui_center(ui, WIDTH, HEIGHT);
    struct rv_ui_insets insets = rv_ui_insets(ui);
    if (!shown->is_empty) {
        snprintf(text, sizeof text, "Filtered by %zu rule%s", shown->n_rules, shown->n_rules == 1 ? "" : "s");
        area.width -= COUNT_NARROWER;
        area.x = insets.left + EDGE;
        area.y = insets.top + EDGE;
    }
    rv_imgui_panel_begin("filter notice", area, 0);
    rv_imgui_label(text, style->text_strong);
    rv_imgui_same_line(14.0f);
    if (rv_imgui_button("Reset", BUTTON_WIDTH, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_RESET_FILTER});
    rv_imgui_same_line(6.0f);
    if (rv_imgui_button("Edit", BUTTON_WIDTH, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_SEARCH});
    rv_imgui_panel_end();
}
