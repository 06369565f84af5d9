#include "ui/action_row.h"

#define PADDING 8.0f

bool rv_action_row_show(const struct rv_ui_style *style, const struct rv_action_row *row, float keys_width, bool is_lit)
{
    struct rv_imgui_area area;
    char words[256];
    rv_imgui_push_id((uint32_t)row->action);
    rv_imgui_push_id(row->idx);
    rv_imgui_touch("row", 0.0f, RV_ACTION_ROW_HEIGHT, &area);
    if (rv_imgui_is_hovered() || is_lit)
        rv_imgui_draw_box(area, 4.0f, rv_imgui_is_hovered() ? style->plate_pressed : style->plate_hovered);
    if (keys_width > 0.0f)
        rv_imgui_draw_text((float[2]){area.x + PADDING, area.y + 3.0f}, RV_IMGUI_FONT_BOLD, style->accent, row->keys);
    const float indent = keys_width > 0.0f ? keys_width : PADDING;
    rv_ui_fit_text(RV_IMGUI_FONT_TEXT, row->words, area.width - indent - PADDING, words, sizeof words);
    rv_imgui_draw_text((float[2]){area.x + indent, area.y + 3.0f}, RV_IMGUI_FONT_TEXT, style->text_strong, words);
    const bool is_clicked = rv_imgui_is_clicked(0);
    rv_imgui_pop_id();
    rv_imgui_pop_id();
    return is_clicked;
}
