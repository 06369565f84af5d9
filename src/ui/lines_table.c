#include "ui/lines_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ui/imgui_table.h"
#include "ui/table_cells.h"

#define PLACE_WIDTH 130.0f
#define LINE_WIDTH 46.0f
#define NUMBER_WIDTH 62.0f
#define ROW 15.0f
#define TEXT_BYTES 256
#define BAR_SHARE 0.55f /* of the column: the line with most own time */

enum column { COLUMN_PLACE, COLUMN_HITS, COLUMN_TOTAL, COLUMN_SELF, COLUMN_TEXT, COLUMN_COUNT };

/* "file.pl:12", or the line alone. */
static void name_place(const struct rv_lines_table *shown, const struct rv_line_table_row *row, char out[TEXT_BYTES])
{
    const char *slash = strrchr(row->file, '/');
    if (shown->is_of_one)
        (void)snprintf(out, TEXT_BYTES, "%" PRIu32, row->line);
    else
        (void)snprintf(out, TEXT_BYTES, "%.200s:%" PRIu32, *row->file ? slash ? slash + 1 : row->file : "?", row->line);
}

static void show_numbers(const struct rv_ui_style *style, const struct rv_line_table_row *row)
{
    for (int i = COLUMN_HITS; i <= COLUMN_SELF && !row->sums.n_hits; i++)
        rv_table_cell_text(style, "");
    if (!row->sums.n_hits)
        return;
    rv_table_cell_count(style, row->sums.n_hits);
    rv_table_cell_ns(style, row->sums.total_ns);
    rv_table_cell_ns(style, row->sums.self_ns);
}

/* Behind the text, a bar as long as its own time. */
static void show_text(struct rv_ui *ui, const struct rv_lines_table *shown, const struct rv_line_table_row *row)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    struct rv_imgui_area area;
    char text[TEXT_BYTES];
    rv_imgui_table_cell();
    rv_imgui_touch("text", 0.0f, ROW, &area);
    const float share = shown->most_ns ? (float)row->sums.self_ns / (float)shown->most_ns : 0.0f;
    if (row->sums.self_ns)
        rv_imgui_draw_box((struct rv_imgui_area){area.x, area.y, share * BAR_SHARE * area.width, area.height}, 2.0f,
                          (style->accent & 0xffffff00u) | 0x40u);
    rv_imgui_draw_text((float[2]){area.x, area.y}, RV_IMGUI_FONT_TEXT,
                       row->sums.n_hits ? style->text_strong : style->text,
                       shown->text(shown->context, row, text, sizeof text));
}

static void show_row(struct rv_ui *ui, const struct rv_lines_table *shown, size_t idx, struct rv_ui_acts *acts)
{
    const struct rv_line_table_row *row = &shown->rows[idx];
    char full[TEXT_BYTES], place[TEXT_BYTES];
    rv_imgui_push_id((uint32_t)idx);
    rv_imgui_table_row();
    rv_imgui_table_cell();
    name_place(shown, row, full);
    rv_ui_fit_name(RV_IMGUI_FONT_TEXT, full, rv_imgui_room(), place, sizeof place);
    rv_imgui_table_touch((uint32_t)idx, false);
    if (rv_imgui_is_clicked(0) && row->subroutine && !shown->is_of_one)
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_CHOOSE_ROW, .idx = row->subroutine});
    rv_imgui_text(RV_IMGUI_FONT_TEXT, rv_ui_style(ui)->text, place);
    if (rv_imgui_is_hovered())
        rv_imgui_tooltip(row->file);
    show_numbers(rv_ui_style(ui), row);
    show_text(ui, shown, row);
    rv_imgui_pop_id();
}

void rv_lines_table_show(struct rv_ui *ui, const struct rv_lines_table *shown, struct rv_ui_acts *acts, float height)
{
    const struct rv_imgui_column columns[COLUMN_COUNT] = {
        [COLUMN_PLACE] = {.title = "line", .width = shown->is_of_one ? LINE_WIDTH : PLACE_WIDTH},
        [COLUMN_HITS] = {.title = "hits", .width = NUMBER_WIDTH, .left_out = 1},
        [COLUMN_TOTAL] = {.title = "total", .width = NUMBER_WIDTH, .left_out = 1},
        [COLUMN_SELF] = {.title = "self", .width = NUMBER_WIDTH},
        [COLUMN_TEXT] = {.title = ""}};
    int from, to;
    if (*shown->notice) {
        rv_imgui_text_wrapped(RV_IMGUI_FONT_TEXT, rv_ui_style(ui)->text, shown->notice);
        return;
    }
    if (!rv_imgui_table_begin(shown->is_of_one ? "source" : "lines", columns, COLUMN_COUNT, height))
        return;
    rv_imgui_table_rows((int)shown->n_rows, &from, &to);
    for (int i = from; i < to; i++)
        show_row(ui, shown, (size_t)i, acts);
    rv_imgui_table_end();
}
