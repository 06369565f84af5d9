#include "ui/help.h"

#define COLUMN_WIDTH 470.0f
#define KEYS_WIDTH 136.0f
#define ROW_HEIGHT 20.0f
#define HEAD_HEIGHT 34.0f
#define PADDING 18.0f
#define COLUMNS 2u

static void add_row(const struct rv_ui_style *style, const struct rv_help_row *row, float x, float y)
{
    rv_imgui_draw_text((float[2]){x, y}, RV_IMGUI_FONT_BOLD, style->accent, row->keys);
    rv_imgui_draw_text((float[2]){x + KEYS_WIDTH, y}, RV_IMGUI_FONT_TEXT, style->text_strong, row->words);
}

void rv_help_show(struct rv_ui *ui, const struct rv_help *shown, struct rv_ui_requests *requests)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    size_t per_column = (shown->n_rows + COLUMNS - 1) / COLUMNS;
    float width = (float)COLUMNS * COLUMN_WIDTH + 2.0f * PADDING;
    float height = HEAD_HEIGHT + ROW_HEIGHT * (float)per_column + 2.0f * PADDING;
    struct rv_imgui_area area = rv_ui_center(ui, width, height);
    rv_imgui_panel_begin("help", area, RV_IMGUI_PANEL_FIRST);
    rv_imgui_draw_text((float[2]){area.x + PADDING, area.y + PADDING}, RV_IMGUI_FONT_BOLD, style->text_strong,
                       "Keys and mouse");
    for (size_t i = 0; i < shown->n_rows; i++)
        add_row(style, &shown->rows[i], area.x + PADDING + COLUMN_WIDTH * (float)(i / per_column),
                area.y + PADDING + HEAD_HEIGHT + ROW_HEIGHT * (float)(i % per_column));
    rv_imgui_at(area.width - 72.0f, 12.0f);
    if (rv_imgui_button("Close", 56.0f, false))
        rv_ui_ask(requests, &(struct rv_ui_request){.kind = RV_UI_CLOSE_HELP});
    rv_imgui_panel_end();
}
