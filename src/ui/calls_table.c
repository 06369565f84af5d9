#include "ui/calls_table.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "ui/button_lines.h"
#include "ui/imgui_table.h"
#include "ui/table_cells.h"

#define NUMBER_WIDTH 70.0f
#define THREAD_WIDTH 110.0f
#define BAR_MOST 40.0f /* length of the bar of the longest call */
#define DURATION_WIDTH 112.0f
#define NAME_BYTES 512

enum column { COLUMN_START, COLUMN_DURATION, COLUMN_SELF, COLUMN_THREAD, COLUMN_CALLER, COLUMN_COUNT };

/* With a bar as long as the call, against the longest one. */
static void show_duration(const struct rv_ui_style *style, const struct rv_calls_table *shown,
                          const struct rv_call *call)
{
    uint64_t longest_ns = shown->list->longest_ns;
    float share = longest_ns ? (float)((double)call->duration_ns / (double)longest_ns) : 1.0f;
    struct rv_imgui_area area;
    char text[32];
    rv_imgui_table_cell();
    rv_imgui_touch("bar", BAR_MOST, 13.0f, &area);
    area.width = share * BAR_MOST > 1.0f ? share * BAR_MOST : 1.0f;
    rv_imgui_draw_box(area, 1.0f, shown->rgba);
    rv_imgui_same_line(6.0f);
    rv_units_format_ns(text, sizeof text, call->duration_ns);
    rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text_strong, text);
}

static void show_start(const struct rv_ui_style *style, const struct rv_calls_table *shown, size_t row,
                       struct rv_ui_acts *acts)
{
    size_t place = shown->order ? shown->order[row] : row;
    const struct rv_call *call = &shown->list->calls[place];
    char text[32];
    rv_units_format_ns(text, sizeof text, call->start_ns > shown->zero_ns ? call->start_ns - shown->zero_ns : 0);
    rv_imgui_table_cell();
    rv_imgui_table_touch((uint32_t)row, shown->has_current && shown->current == place);
    if (rv_imgui_is_clicked(0))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_SHOW_CALL, .idx = (uint32_t)row});
    rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text, text);
}

static void show_self(const struct rv_ui_style *style, const struct rv_call *call)
{
    if (call->self_ns == RV_CALL_UNMEASURED)
        rv_table_cell_text(style, "...");
    else
        rv_table_cell_ns(style, call->self_ns);
}

static void show_thread(const struct rv_ui_style *style, const struct rv_calls_table *shown, const struct rv_call *call)
{
    char label[RV_LANE_NAME_BYTES];
    rv_lane_copy_label(rv_lanes_get(shown->lanes, call->lane_idx), label);
    rv_table_cell_text(style, label);
}

static void show_caller(const struct rv_ui_style *style, const struct rv_calls_table *shown, const struct rv_call *call)
{
    char full[NAME_BYTES] = "", name[NAME_BYTES];
    rv_imgui_table_cell();
    if (call->self_ns == RV_CALL_UNMEASURED)
        (void)snprintf(full, sizeof full, "...");
    else if (call->caller != RV_CALL_NO_CALLER)
        (void)rv_subroutines_name_of(shown->subroutines, call->caller, full, sizeof full);
    rv_ui_fit_name(RV_IMGUI_FONT_TEXT, full, rv_imgui_room(), name, sizeof name);
    rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text, name);
}

static void show_row(const struct rv_ui_style *style, const struct rv_calls_table *shown, size_t row,
                     struct rv_ui_acts *acts)
{
    const struct rv_call *call = &shown->list->calls[shown->order ? shown->order[row] : row];
    rv_imgui_push_id((uint32_t)row);
    rv_imgui_table_row();
    show_start(style, shown, row, acts);
    show_duration(style, shown, call);
    show_self(style, call);
    show_thread(style, shown, call);
    show_caller(style, shown, call);
    rv_imgui_pop_id();
}

/* The call that a key has led to may be out of sight. */
static void show_current_row(const struct rv_calls_table *shown, struct rv_calls_table_state *state)
{
    bool is_same = !shown->has_current || (state->had_current && state->current == shown->current);
    state->had_current = shown->has_current;
    state->current = shown->current;
    size_t row = shown->current;
    for (size_t i = 0; shown->order && !is_same && i < shown->list->n; i++)
        if (shown->order[i] == shown->current)
            row = i;
    if (!is_same)
        rv_imgui_table_show_row((int)row);
}

static void show_rows(struct rv_ui *ui, const struct rv_calls_table *shown, struct rv_calls_table_state *state,
                      struct rv_ui_acts *acts, float height)
{
    static const struct rv_imgui_column columns[COLUMN_COUNT] = {
        [COLUMN_START] = {"start", NUMBER_WIDTH, true, false, false, 0},
        [COLUMN_DURATION] = {"duration", DURATION_WIDTH, true, true, true, 0},
        [COLUMN_SELF] = {"self", NUMBER_WIDTH, true, true, false, 0},
        [COLUMN_THREAD] = {"thread", THREAD_WIDTH, true, false, false, 0},
        [COLUMN_CALLER] = {"caller", 0.0f, false, false, false, 0}};
    int column = (int)shown->column, from, to;
    bool is_descending = shown->is_descending;
    if (!rv_imgui_table_begin("calls", columns, COLUMN_COUNT, height))
        return;
    if (rv_imgui_table_sort(&column, &is_descending))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_SORT_CALLS,
                                         .idx = (uint32_t)column + 1,
                                         .amount = is_descending ? 1.0 : 0.0});
    show_current_row(shown, state);
    rv_imgui_table_rows((int)shown->list->n, &from, &to);
    for (int i = from; i < to; i++)
        show_row(rv_ui_style(ui), shown, (size_t)i, acts);
    rv_imgui_table_end();
}

static void show_buttons(struct rv_button_lines *lines, struct rv_ui_acts *acts)
{
    static const struct {
        const char *title;
        enum rv_action action;
    } buttons[] = {
        {"Longest", RV_ACTION_LONGEST_CALL}, {"First", RV_ACTION_FIRST_CALL}, {"<", RV_ACTION_PREVIOUS_CALL},
        {">", RV_ACTION_NEXT_CALL},          {"Back", RV_ACTION_BACK},        {"Save", RV_ACTION_EXPORT_CALLS}};
    for (size_t i = 0; i < sizeof buttons / sizeof *buttons; i++)
        if (rv_button_lines_button(lines, buttons[i].title, false))
            rv_ui_act(acts, &(struct rv_act){.action = buttons[i].action});
}

static void show_count(const struct rv_ui_style *style, const struct rv_calls_table *shown,
                       struct rv_button_lines *lines)
{
    static const char *const orders[] = {[RV_CALL_LIST_LONGEST] = "longest",
                                         [RV_CALL_LIST_SHORTEST] = "shortest",
                                         [RV_CALL_LIST_EARLIEST] = "earliest",
                                         [RV_CALL_LIST_LATEST] = "latest"};
    char text[96];
    const char *order = shown->list ? orders[shown->list->order] : "";
    if (shown->is_listing && shown->list && shown->sampled < 1.0)
        (void)snprintf(text, sizeof text, "of a sample, %.0f %% of all; listing all, %.0f %%", 100.0 * shown->sampled,
                       100.0 * shown->progress);
    else if (shown->is_listing && shown->list && !shown->is_complete)
        (void)snprintf(text, sizeof text, "the %s %zu; listing all, %.0f %%", order, shown->list->n,
                       100.0 * shown->progress);
    else if (shown->is_listing)
        (void)snprintf(text, sizeof text, "listing, %.0f %%", 100.0 * shown->progress);
    else if (!shown->list)
        (void)snprintf(text, sizeof text, "choose a row");
    else if (shown->list->n < shown->list->n_calls)
        (void)snprintf(text, sizeof text, "the %s %zu of %" PRIu64, order, shown->list->n, shown->list->n_calls);
    else
        (void)snprintf(text, sizeof text, "%zu call%s", shown->list->n, rv_units_word(shown->list->n, "", "s"));
    rv_button_lines_label(lines, text, style->text);
}

void rv_calls_table_show(struct rv_ui *ui, const struct rv_calls_table *shown, struct rv_calls_table_state *state,
                         struct rv_ui_acts *acts, float height)
{
    struct rv_button_lines lines = {0};
    show_buttons(&lines, acts);
    show_count(rv_ui_style(ui), shown, &lines);
    if (shown->list && shown->list->n)
        show_rows(ui, shown, state, acts, height - lines.height);
}
