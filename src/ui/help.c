#include "ui/help.h"

#include <math.h>
#include <string.h>

#include "ui/word_match.h"

#define ROW_HEIGHT 18.0f
#define HEAD_HEIGHT 32.0f
#define PADDING 18.0f
#define GAP 14.0f
#define FIND_WIDTH 200.0f
#define COLUMNS_MAX 2u

struct lines {
    const struct rv_help *shown;
    uint16_t items[RV_HELP_LINES_MAX];
    size_t n;
};

struct column { /* of the lines from first to end */
    size_t first, end;
    float keys_width, words_width;
};

size_t rv_help_lines(const struct rv_help *shown, const char *find, uint16_t out[RV_HELP_LINES_MAX])
{
    const char *section = "";
    size_t n = 0;
    for (uint16_t i = 0; i < shown->n_rows && n + 2 <= RV_HELP_LINES_MAX; i++) {
        const struct rv_help_row *row = &shown->rows[i];
        if (!rv_word_match(find, (const char *const[]){row->keys, row->words, row->section}, 3))
            continue;
        if (strcmp(section, row->section) != 0)
            out[n++] = i | RV_HELP_TITLE;
        out[n++] = i;
        section = row->section;
    }
    return n;
}

static const struct rv_help_row *row_of(const struct lines *lines, size_t line)
{
    return &lines->shown->rows[lines->items[line] & ~RV_HELP_TITLE];
}

static struct column measure(const struct lines *lines, size_t first, size_t end)
{
    struct column column = {first, end < lines->n ? end : lines->n, 0.0f, 0.0f};
    for (size_t i = column.first; i < column.end; i++) {
        const struct rv_help_row *row = row_of(lines, i);
        column.keys_width = fmaxf(column.keys_width, rv_imgui_text_width(RV_IMGUI_FONT_BOLD, row->keys));
        column.words_width = fmaxf(column.words_width, rv_imgui_text_width(RV_IMGUI_FONT_SMALL, row->words));
    }
    return column;
}

static void add_column(const struct rv_ui_style *style, const struct lines *lines, const struct column *column, float x,
                       float y)
{
    float words_x = floorf(x + column->keys_width + GAP);
    for (size_t i = column->first; i < column->end; i++, y += ROW_HEIGHT) {
        const struct rv_help_row *row = row_of(lines, i);
        if (lines->items[i] & RV_HELP_TITLE) {
            rv_imgui_draw_text((float[2]){x, y}, RV_IMGUI_FONT_BOLD, style->text_strong, row->section);
            continue;
        }
        rv_imgui_draw_text((float[2]){x, y}, RV_IMGUI_FONT_BOLD, style->accent, row->keys);
        rv_imgui_draw_text((float[2]){words_x, y + 1.0f}, RV_IMGUI_FONT_SMALL, style->text, row->words);
    }
}

/* Returns their width. */
static float make_columns(const struct lines *lines, size_t n, struct column columns[COLUMNS_MAX])
{
    size_t per_column = (lines->n + n - 1) / n;
    float width = PADDING;
    for (size_t i = 0; i < n; i++) {
        columns[i] = measure(lines, i * per_column, (i + 1) * per_column);
        width += columns[i].keys_width + GAP + columns[i].words_width + PADDING;
    }
    return ceilf(width);
}

/* Where not even one column fits: keys, and below them what they do. */
static void show_narrow(const struct rv_ui_style *style, const struct lines *lines, struct rv_imgui_area area)
{
    rv_imgui_at(PADDING, PADDING + HEAD_HEIGHT);
    rv_imgui_child_begin("narrow", area.width - 1.5f * PADDING, area.height - HEAD_HEIGHT - 1.5f * PADDING);
    for (size_t i = 0; i < lines->n; i++) {
        const struct rv_help_row *row = row_of(lines, i);
        const bool is_title = lines->items[i] & RV_HELP_TITLE;
        rv_imgui_text(RV_IMGUI_FONT_BOLD, is_title ? style->text_strong : style->accent,
                      is_title ? row->section : row->keys);
        if (!is_title)
            rv_imgui_text_wrapped(RV_IMGUI_FONT_SMALL, style->text, row->words);
    }
    rv_imgui_child_end();
}

static void show_lines(const struct rv_ui_style *style, const struct lines *lines, size_t n_columns, float width,
                       struct rv_imgui_area area)
{
    struct column columns[COLUMNS_MAX];
    struct rv_imgui_area rows;
    (void)make_columns(lines, n_columns, columns);
    rv_imgui_at(0.0f, PADDING + HEAD_HEIGHT);
    rv_imgui_child_begin("rows", area.width - 1.0f, area.height - HEAD_HEIGHT - 1.5f * PADDING);
    rv_imgui_touch("all", width - PADDING, fmaxf(ROW_HEIGHT * (float)(columns[0].end - columns[0].first), 1.0f), &rows);
    float x = rows.x + PADDING;
    for (size_t i = 0; i < n_columns; i++) {
        add_column(style, lines, &columns[i], floorf(x), rows.y);
        x += columns[i].keys_width + GAP + columns[i].words_width + PADDING;
    }
    if (!lines->n)
        rv_imgui_draw_text((float[2]){rows.x + PADDING, rows.y}, RV_IMGUI_FONT_TEXT, style->text_faint,
                           "no key or gesture has these words");
    rv_imgui_child_end();
}

/* As large as all lines need, whatever is found; columns are beside each other where there is room, else below. */
void rv_help_show(struct rv_ui *ui, const struct rv_help *shown, struct rv_help_state *state, struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    struct column columns[COLUMNS_MAX];
    struct lines lines = {.shown = shown};
    size_t n_columns = COLUMNS_MAX;
    lines.n = rv_help_lines(shown, "", lines.items);
    float width = make_columns(&lines, n_columns, columns);
    if (rv_ui_center(ui, width, HEAD_HEIGHT).width < width)
        width = make_columns(&lines, n_columns = 1, columns);
    float rows_height = ROW_HEIGHT * (float)(columns[0].end - columns[0].first);
    struct rv_imgui_area area = rv_ui_center(ui, width, HEAD_HEIGHT + rows_height + 2.0f * PADDING);
    rv_imgui_panel_begin("help", area, RV_IMGUI_PANEL_FIRST);
    const bool is_narrow = area.width < width;
    const float find_width = fminf(FIND_WIDTH, area.width - 80.0f - PADDING);
    if (!is_narrow)
        rv_imgui_draw_text((float[2]){area.x + PADDING, area.y + PADDING}, RV_IMGUI_FONT_BOLD, style->text_strong,
                           "Keys and mouse");
    rv_imgui_at(area.width - 80.0f - find_width, 12.0f);
    (void)rv_imgui_input("##find", "find", find_width, state->find, sizeof state->find, false);
    rv_imgui_at(area.width - 72.0f, 12.0f);
    if (rv_imgui_button("Close", 56.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_HELP});
    lines.n = rv_help_lines(shown, state->find, lines.items);
    if (is_narrow)
        show_narrow(style, &lines, area);
    else
        show_lines(style, &lines, n_columns, width, area);
    rv_imgui_panel_end();
}
