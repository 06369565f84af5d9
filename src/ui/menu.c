#include "ui/menu.h"

#include <math.h>

#define WIDTH 350.0f
#define KEYS_WIDTH 118.0f
#define HEAD 30.0f
#define ROW_GAP 4.0f /* of ImGui, between rows */
#define FOOT 14.0f

static struct rv_imgui_area place(const struct rv_ui *ui, const float at[2], size_t n_rows)
{
    const float width = fminf(WIDTH, rv_ui_width(ui));
    const float height = HEAD + FOOT + (float)n_rows * (RV_ACTION_ROW_HEIGHT + ROW_GAP);
    return (struct rv_imgui_area){fmaxf(fminf(at[0], rv_ui_width(ui) - width), 0.0f),
                                  fmaxf(fminf(at[1], rv_ui_height(ui) - height), 0.0f), width,
                                  fminf(height, rv_ui_height(ui))};
}

const struct rv_action_row *rv_menu_show(struct rv_ui *ui, const struct rv_menu *shown, struct rv_menu_state *state)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    const struct rv_action_row *chosen = NULL;
    char title[256];
    const float keys_width = rv_ui_width(ui) < WIDTH ? 0.0f : KEYS_WIDTH;
    if (!state->is_there)
        rv_imgui_mouse_at(state->at);
    state->is_there = true;
    rv_imgui_panel_begin("menu", place(ui, state->at, shown->n_rows), RV_IMGUI_PANEL_FIRST | RV_IMGUI_PANEL_SCROLLS);
    rv_ui_fit_name(RV_IMGUI_FONT_BOLD, shown->title, rv_imgui_room(), title, sizeof title);
    rv_imgui_text(RV_IMGUI_FONT_BOLD, style->text_strong, title);
    for (size_t i = 0; i < shown->n_rows; i++)
        if (rv_action_row_show(style, &shown->rows[i], keys_width, false))
            chosen = &shown->rows[i];
    rv_imgui_panel_end();
    return chosen;
}
