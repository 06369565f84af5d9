#include "ui/help.h"

#include <math.h>

#define ROW_HEIGHT 18.0f
#define HEAD_HEIGHT 32.0f
#define PADDING 18.0f
#define GAP 14.0f
#define COLUMNS_MAX 2u

struct column { /* of the rows from first to end */
    size_t first, end;
    float keys_width, words_width;
};

static struct column measure(const struct rv_help *shown, size_t first, size_t end)
{
    struct column column = {first, end < shown->n_rows ? end : shown->n_rows, 0.0f, 0.0f};
    for (size_t i = column.first; i < column.end; i++) {
        const struct rv_help_row *row = &shown->rows[i];
        column.keys_width = fmaxf(column.keys_width, rv_imgui_text_width(RV_IMGUI_FONT_BOLD, row->keys));
        column.words_width = fmaxf(column.words_width, rv_imgui_text_width(RV_IMGUI_FONT_SMALL, row->words));
    }
    return column;
}

static void add_column(const struct rv_ui_style *style, const struct rv_help *shown, const struct column *column,
                       float x, float y)
{
    float words_x = floorf(x + column->keys_width + GAP);
    for (size_t i = column->first; i < column->end; i++, y += ROW_HEIGHT) {
        const struct rv_help_row *row = &shown->rows[i];
        rv_imgui_draw_text((float[2]){x, y}, RV_IMGUI_FONT_BOLD, style->accent, row->keys);
        rv_imgui_draw_text((float[2]){words_x, y + 1.0f}, RV_IMGUI_FONT_SMALL, style->text_strong, row->words);
    }
}

/* Returns their width. */
static float make_columns(const struct rv_help *shown, size_t n, struct column columns[COLUMNS_MAX])
{
    size_t per_column = (shown->n_rows + n - 1) / n;
    float width = PADDING;
    for (size_t i = 0; i < n; i++) {
        columns[i] = measure(shown, i * per_column, (i + 1) * per_column);
        width += columns[i].keys_width + GAP + columns[i].words_width + PADDING;
    }
    return ceilf(width);
}

/* Beside each other where there is room, else one below the other. */
void rv_help_show(struct rv_ui *ui, const struct rv_help *shown, struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    struct column columns[COLUMNS_MAX];
    size_t n = COLUMNS_MAX;
    float width = make_columns(shown, n, columns);
    if (rv_ui_center(ui, width, HEAD_HEIGHT).width < width)
        width = make_columns(shown, n = 1, columns);
    float rows_height = ROW_HEIGHT * (float)(columns[0].end - columns[0].first);
    struct rv_imgui_area area = rv_ui_center(ui, width, HEAD_HEIGHT + rows_height + 2.0f * PADDING), rows;
    rv_imgui_panel_begin("help", area, RV_IMGUI_PANEL_FIRST);
    rv_imgui_draw_text((float[2]){area.x + PADDING, area.y + PADDING}, RV_IMGUI_FONT_BOLD, style->text_strong,
                       "Keys and mouse");
    rv_imgui_at(area.width - 72.0f, 12.0f);
    if (rv_imgui_button("Close", 56.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_HELP});
    rv_imgui_at(0.0f, PADDING + HEAD_HEIGHT);
    rv_imgui_child_begin("rows", area.width - 1.0f, area.height - HEAD_HEIGHT - 1.5f * PADDING);
    rv_imgui_touch("all", width - PADDING, rows_height, &rows);
    float x = rows.x + PADDING;
    for (size_t i = 0; i < n; i++) {
        add_column(style, shown, &columns[i], floorf(x), rows.y);
        x += columns[i].keys_width + GAP + columns[i].words_width + PADDING;
    }
    rv_imgui_child_end();
    rv_imgui_panel_end();
}
