#include "ui/go_to.h"

#define WIDTH 330.0f
#define HEIGHT 82.0f
#define BUTTON_WIDTH 44.0f

void rv_go_to_show(struct rv_ui *ui, const struct rv_go_to *shown, struct rv_go_to_state *state,
                   struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    struct rv_imgui_area area = rv_ui_center(ui, WIDTH, HEIGHT);
    rv_imgui_panel_begin("go to", area, RV_IMGUI_PANEL_FIRST);
    rv_imgui_text(RV_IMGUI_FONT_BOLD, style->text_strong, "Go to");
    float width = rv_imgui_room() - BUTTON_WIDTH - 8.0f;
    bool is_entered = rv_imgui_input("##time", "12ms", width, state->text, sizeof state->text, !state->is_there) ==
                      RV_IMGUI_TYPED_ENTERED;
    rv_imgui_same_line(8.0f);
    is_entered |= rv_imgui_button("Go", BUTTON_WIDTH, false);
    rv_imgui_text(RV_IMGUI_FONT_SMALL, shown->is_wrong ? style->text_warning : style->text_faint,
                  shown->is_wrong ? "not a time; examples: 12ms  1.5s  +3ms  -3ms  @start  @end"
                                  : "12ms  1.5s  +3ms  -3ms  @start  @end");
    rv_imgui_panel_end();
    state->is_there = true;
    if (is_entered)
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_GO_TO, .text = state->text});
}
