#include "ui/waits_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "ui/imgui_table.h"
#include "ui/table_cells.h"
#include "ui/word_match.h"

#define HEAD_HEIGHT 34.0f
#define GAP 12.0f
#define ROW_HEIGHT 20.0f
#define TEXT_HEIGHT 15.0f
#define MOST_ROWS 8       /* in sight */
#define HEIGHT_SHARE 0.4f /* of the picture, that it takes at most */
#define NUMBER_WIDTH 70.0f
#define MARGINS 10.0f /* of a cell */
#define FIND_WIDTH 220.0f
#define CLOSE_WIDTH 52.0f
#define ARCS_WIDTH 52.0f
#define ALL_WIDTH 700.0f /* least width for all columns */
#define MOST_COLUMNS 8
#define NOT_KNOWN "(not known)"

static void fit(const struct rv_waits_table_name *name, float width, char *out, size_t out_bytes)
{
    size_t n_before = name->n_before;
    (void)snprintf(out, out_bytes, "%.*s", (int)n_before, name->text);
    const float before = rv_imgui_text_width(RV_IMGUI_FONT_TEXT, out);
    if (before > 0.5f * width)
        n_before = 0;
    rv_ui_fit_name(RV_IMGUI_FONT_TEXT, name->text + n_before, n_before ? width - before : width, out + n_before,
                   out_bytes - n_before);
}

/* A name that leads somewhere; without one, words instead. */
static void show_link(const struct rv_ui_style *style, const char *id, const struct rv_waits_table_name *name,
                      const char *words, enum rv_action action, const struct rv_waits_table_row *row,
                      struct rv_ui_acts *acts)
{
    struct rv_imgui_area area;
    struct rv_waits_table_name shown = *name;
    char fitted[sizeof shown.text];
    if (!*name->text)
        (void)snprintf(shown.text, sizeof shown.text, "%s", words);
    rv_imgui_table_cell();
    rv_imgui_touch(id, 0.0f, TEXT_HEIGHT, &area);
    if (*name->text && rv_imgui_is_clicked(0))
        rv_ui_act(acts, &(struct rv_act){.action = action, .idx = row->idx});
    fit(&shown, area.width, fitted, sizeof fitted);
    rv_imgui_draw_text((float[2]){area.x, area.y}, RV_IMGUI_FONT_TEXT,
                       !*name->text            ? style->text
                       : rv_imgui_is_hovered() ? style->accent
                       : row->is_warning       ? style->text_warning
                                               : style->text_strong,
                       fitted);
    if (*name->text && rv_imgui_is_hovered())
        rv_imgui_tooltip(name->text);
}

struct columns { /* of one form of the list, from the left */
    enum rv_waits_column keys[MOST_COLUMNS];
    struct rv_imgui_column columns[MOST_COLUMNS];
    int n;
};

static void add_column(struct columns *columns, enum rv_waits_column key, const char *title, float width)
{
    const bool is_number = key != RV_WAITS_OBJECT && key != RV_WAITS_WAITER && key != RV_WAITS_HOLDER;
    columns->keys[columns->n] = key;
    columns->columns[columns->n++] = (struct rv_imgui_column){.title = title,
                                                              .width = width,
                                                              .is_sortable = is_number || key == RV_WAITS_OBJECT,
                                                              .is_descending_first = is_number,
                                                              .is_sorted_first = key == RV_WAITS_OBJECT};
}

/* Of columns of names beside so many of numbers. */
static float name_width(float width, int n_numbers, int n_names)
{
    return floorf((width - (NUMBER_WIDTH + MARGINS) * (float)n_numbers) / (float)n_names - MARGINS);
}

static struct columns columns_of_objects(float width)
{
    const bool is_narrow = width < ALL_WIDTH;
    const float name = is_narrow ? name_width(width, 1, 2) : name_width(width, 5, 3);
    struct columns columns = {.n = 0};
    add_column(&columns, RV_WAITS_OBJECT, "waited for", name);
    add_column(&columns, RV_WAITS_TOTAL, "total", NUMBER_WIDTH);
    if (!is_narrow) {
        add_column(&columns, RV_WAITS_IDLE, "idle", NUMBER_WIDTH);
        add_column(&columns, RV_WAITS_COUNT, "waits", NUMBER_WIDTH);
        add_column(&columns, RV_WAITS_P99, "p99", NUMBER_WIDTH);
        add_column(&columns, RV_WAITS_LONGEST, "longest", NUMBER_WIDTH);
        add_column(&columns, RV_WAITS_WAITER, "who waited longest", name);
    }
    add_column(&columns, RV_WAITS_HOLDER, "who kept them waiting", 0.0f);
    return columns;
}

static struct columns columns_of_arcs(float width)
{
    const bool is_narrow = width < ALL_WIDTH;
    const float name = name_width(width, is_narrow ? 1 : 4, 3);
    struct columns columns = {.n = 0};
    add_column(&columns, RV_WAITS_OBJECT, "waited for", name);
    add_column(&columns, RV_WAITS_TOTAL, "total", NUMBER_WIDTH);
    if (!is_narrow) {
        add_column(&columns, RV_WAITS_COUNT, "waits", NUMBER_WIDTH);
        add_column(&columns, RV_WAITS_LONGEST, "longest", NUMBER_WIDTH);
        add_column(&columns, RV_WAITS_END, "ended at", NUMBER_WIDTH);
    }
    add_column(&columns, RV_WAITS_HOLDER, "from: who ended them", name);
    add_column(&columns, RV_WAITS_WAITER, "to: who waited", 0.0f);
    return columns;
}

const char *rv_waits_table_holder(const struct rv_waits_table_row *row, char *out)
{
    if (*row->holder.text || row->n_timed_out == 0)
        return *row->holder.text ? row->holder.text : NOT_KNOWN;
    if (row->n_timed_out == row->n_waits)
        return "(timed out)";
    (void)snprintf(out, sizeof row->holder.text, "(%" PRIu64 " timed out)", row->n_timed_out);
    return out;
}

uint64_t rv_waits_table_number(const struct rv_waits_table_row *row, enum rv_waits_column column)
{
    switch (column) {
    case RV_WAITS_TOTAL:
        return row->total_ns;
    case RV_WAITS_IDLE:
        return row->idle_ns;
    case RV_WAITS_COUNT:
        return row->n_waits;
    case RV_WAITS_P99:
        return row->p99_ns;
    case RV_WAITS_LONGEST:
        return row->longest_ns;
    case RV_WAITS_END:
        return row->end_ns;
    case RV_WAITS_OBJECT:
    case RV_WAITS_WAITER:
    case RV_WAITS_HOLDER:
        return 0;
    }
    rv_unreachable();
}

static void show_cell(const struct rv_ui_style *style, const struct rv_waits_table_row *row,
                      enum rv_waits_column column, struct rv_ui_acts *acts)
{
    char holder[sizeof row->holder.text];
    if (column == RV_WAITS_OBJECT)
        show_link(style, "object", &row->object, "", RV_ACTION_SHOW_WAIT, row, acts);
    else if (column == RV_WAITS_WAITER)
        show_link(style, "waiter", &row->waiter, NOT_KNOWN, RV_ACTION_SHOW_WAIT, row, acts);
    else if (column == RV_WAITS_HOLDER)
        show_link(style, "holder", &row->holder, rv_waits_table_holder(row, holder), RV_ACTION_SHOW_HOLDER, row, acts);
    else if (column == RV_WAITS_COUNT)
        rv_table_cell_count(style, row->n_waits);
    else
        rv_table_cell_ns(style, rv_waits_table_number(row, column));
}

static void take_order(struct rv_waits_table_state *state, const struct columns *columns)
{
    int column = 0;
    while (column < columns->n && columns->keys[column] != state->column)
        column++;
    if (column == columns->n) { /* another form has it */
        column = 0;
        state->is_descending = false;
    }
    (void)rv_imgui_table_sort(&column, &state->is_descending);
    state->column = columns->keys[column];
}

static void show_rows(const struct rv_ui_style *style, const struct rv_waits_table *shown,
                      struct rv_waits_table_state *state, const float size[2], struct rv_ui_acts *acts)
{
    const struct columns columns = shown->of_arcs ? columns_of_arcs(size[0]) : columns_of_objects(size[0]);
    char id[32];
    int from, to;
    (void)snprintf(id, sizeof id, "%s %d", shown->of_arcs ? "arcs" : "objects", columns.n);
    if (!rv_imgui_table_begin(id, columns.columns, columns.n, size[1]))
        return;
    take_order(state, &columns);
    rv_imgui_table_rows((int)shown->n_rows, &from, &to);
    for (int i = from; i < to; i++) {
        struct rv_waits_table_row row;
        shown->row(shown->context, (size_t)i, &row);
        rv_imgui_push_id(row.idx);
        rv_imgui_table_row();
        if (row.is_chosen)
            rv_imgui_table_choose_row();
        for (int column = 0; column < columns.n; column++)
            show_cell(style, &row, columns.keys[column], acts);
        rv_imgui_pop_id();
    }
    rv_imgui_table_end();
}

bool rv_waits_table_is_found(const struct rv_waits_table_state *state, const struct rv_waits_table_row *row)
{
    char holder[sizeof row->holder.text];
    return rv_word_match(
        state->find, (const char *const[]){row->object.text, row->waiter.text, rv_waits_table_holder(row, holder)}, 3);
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
                         fminf(FIND_WIDTH, area.width - ARCS_WIDTH - CLOSE_WIDTH - 3.0f * GAP - find_x), state->find,
                         sizeof state->find, false);
    rv_imgui_at(area.width - ARCS_WIDTH - CLOSE_WIDTH - 2.0f * GAP, 7.0f);
    if (rv_imgui_button("Arcs", ARCS_WIDTH, shown->of_arcs))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_LIST_ARCS});
    rv_imgui_at(area.width - CLOSE_WIDTH - GAP, 7.0f);
    if (rv_imgui_button("Close", CLOSE_WIDTH, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_WAITS});
    rv_imgui_at(GAP, HEAD_HEIGHT);
    if (*shown->notice)
        rv_imgui_text_wrapped(RV_IMGUI_FONT_TEXT, style->text, shown->notice);
    else
        show_rows(style, shown, state, (const float[2]){area.width, area.height - HEAD_HEIGHT - GAP}, acts);
    rv_imgui_panel_end();
}
