#include "ui/waits_table.h"

#include <math.h>
#include <stdio.h>

#include "ui/table_cells.h"
#include "ui/word_match.h"

#define HEAD_HEIGHT 34.0f
#define GAP 12.0f
#define ROW_HEIGHT 20.0f
#define TEXT_HEIGHT 15.0f
#define MOST_ROWS 8       /* in sight */
#define HEIGHT_SHARE 0.4f /* of the picture, that it takes at most */
#define NAME_SHARE 0.22f  /* of its width */
#define NUMBER_WIDTH 70.0f
#define FIND_WIDTH 220.0f
#define CLOSE_WIDTH 52.0f
#define ALL_WIDTH 700.0f /* least width for all columns */

/* A name that leads somewhere. */
static void show_link(const struct rv_ui_style *style, const char *id, const char *name, enum rv_action action,
                      const struct rv_waits_table_row *row, struct rv_ui_acts *acts)
{
    struct rv_imgui_area area;
    rv_imgui_table_cell();
    rv_imgui_touch(id, 0.0f, TEXT_HEIGHT, &area);
    if (*name && rv_imgui_is_clicked(0))
        rv_ui_act(acts, &(struct rv_act){.action = action, .idx = row->idx});
    rv_imgui_draw_text((float[2]){area.x, area.y}, RV_IMGUI_FONT_TEXT,
                       rv_imgui_is_hovered() ? style->accent
                       : row->is_warning     ? style->text_warning
                                             : style->text_strong,
                       *name ? name : "(not known)");
    if (rv_imgui_is_hovered())
        rv_imgui_tooltip(name);
}

static void show_row(const struct rv_ui_style *style, const struct rv_waits_table_row *row, bool is_narrow,
                     struct rv_ui_acts *acts)
{
    rv_imgui_push_id(row->idx);
    rv_imgui_table_row();
    show_link(style, "object", row->object, RV_ACTION_SHOW_WAIT, row, acts);
    rv_table_cell_ns(style, row->total_ns);
    if (!is_narrow) {
        rv_table_cell_ns(style, row->idle_ns);
        rv_table_cell_count(style, row->n_waits);
        rv_table_cell_ns(style, row->p99_ns);
        rv_table_cell_ns(style, row->longest_ns);
        show_link(style, "waiter", row->waiter, RV_ACTION_SHOW_WAIT, row, acts);
    }
    show_link(style, "holder", row->holder, RV_ACTION_SHOW_HOLDER, row, acts);
    rv_imgui_pop_id();
}

static void show_rows(const struct rv_ui_style *style, const struct rv_waits_table *shown, const float size[2],
                      struct rv_ui_acts *acts)
{
    const bool is_narrow = size[0] < ALL_WIDTH;
    const struct rv_imgui_column object = {.title = "waited for", .width = floorf(NAME_SHARE * size[0])},
                                 total = {.title = "total", .width = NUMBER_WIDTH},
                                 idle = {.title = "idle", .width = NUMBER_WIDTH},
                                 waits = {.title = "waits", .width = NUMBER_WIDTH},
                                 p99 = {.title = "p99", .width = NUMBER_WIDTH},
                                 longest = {.title = "longest", .width = NUMBER_WIDTH},
                                 waiter = {.title = "who waited longest", .width = floorf(NAME_SHARE * size[0])},
                                 holder = {.title = "who kept them waiting"};
    const struct rv_imgui_column all[] = {object, total, idle, waits, p99, longest, waiter, holder},
                                 few[] = {object, total, holder};
    int from, to;
    if (!rv_imgui_table_begin(is_narrow ? "few rows" : "rows", is_narrow ? few : all, is_narrow ? 3 : 8, size[1]))
        return;
    rv_imgui_table_rows((int)shown->n_rows, &from, &to);
    for (int i = from; i < to; i++) {
        struct rv_waits_table_row row;
        shown->row(shown->context, (size_t)i, &row);
        show_row(style, &row, is_narrow, acts);
    }
    rv_imgui_table_end();
}

bool rv_waits_table_is_found(const struct rv_waits_table_state *state, const struct rv_waits_table_row *row)
{
    return rv_word_match(state->find, (const char *const[]){row->object, row->waiter, row->holder}, 3);
}

void rv_waits_table_show(struct rv_ui *ui, const struct rv_waits_table *shown, struct rv_waits_table_state *state,
                         struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    const float most = fminf(MOST_ROWS, fmaxf(floorf(HEIGHT_SHARE * rv_ui_height(ui) / ROW_HEIGHT) - 2.0f, 2.0f));
    const float height = ROW_HEIGHT * (1.0f + most);
    const struct rv_imgui_area area = rv_ui_dock(ui, RV_UI_BOTTOM, HEAD_HEIGHT + height + GAP);
    const char *title = shown->has_missed ? "Waits (incomplete)" : "Waits";
    const float find_x = rv_imgui_text_width(RV_IMGUI_FONT_BOLD, title) + 3.0f * GAP;
    rv_imgui_panel_begin("waits", area, 0);
    rv_imgui_text(RV_IMGUI_FONT_BOLD, style->text_strong, title);
    rv_imgui_at(find_x, 5.0f);
    (void)rv_imgui_input("##find", "find an object or a function",
                         fminf(FIND_WIDTH, area.width - CLOSE_WIDTH - 2.0f * GAP - find_x), state->find,
                         sizeof state->find, false);
    rv_imgui_at(area.width - CLOSE_WIDTH - GAP, 7.0f);
    if (rv_imgui_button("Close", CLOSE_WIDTH, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_WAITS});
    rv_imgui_at(GAP, HEAD_HEIGHT);
    if (*shown->notice)
        rv_imgui_text_wrapped(RV_IMGUI_FONT_TEXT, style->text, shown->notice);
    else
        show_rows(style, shown, (const float[2]){area.width, height}, acts);
    rv_imgui_panel_end();
}
