#include "ui/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/button_lines.h"
#include "ui/imgui_table.h"
#include "ui/table_cells.h"

#define HEIGHT_LEAST 268.0f
#define HEIGHT_SHARE 0.36f /* of the picture */
#define HEIGHT_MOST 0.62f
#define HEAD_HEIGHT 30.0f
#define GAP 12.0f
#define TABLE_SHARE 0.55f
#define NARROW_SHARE 0.45f
#define NUMBER_WIDTH 60.0f
#define SHARE_WIDTH 48.0f
#define BUTTONS_WIDTH 168.0f /* at the right of the head */
#define CLOSE_WIDTH 64.0f
#define TIMES_WIDTH 328.0f /* of the buttons that choose a time, and of one of them */
#define TIME_WIDTH 72.0f
#define BESIDE_WIDTH 520.0f /* least width for the page beside the table */
#define NAMES_LEAST 90.0f   /* width: columns of numbers are left out before */
#define CELL_PADDING 10.0f
#define STACKED_TABLE 110.0f
#define STACKED_PAGE 210.0f
#define NAME_BYTES 512

void rv_statistics_state_fini(struct rv_statistics_state *state)
{
    rv_flame_graph_state_fini(&state->flame);
    *state = (struct rv_statistics_state){0};
}

/* ---- rows ---- */

uint64_t rv_statistics_number(const struct rv_stats_row *row, enum rv_statistics_column column)
{
    switch (column) {
    case RV_STATISTICS_CALLS:
        return row->n_calls;
    case RV_STATISTICS_TOTAL:
        return row->total_ns;
    case RV_STATISTICS_SELF:
    case RV_STATISTICS_SHARE:
        return row->self_ns;
    case RV_STATISTICS_MIN:
        return row->min_ns;
    case RV_STATISTICS_P50:
        return row->p50_ns;
    case RV_STATISTICS_P99:
        return row->p99_ns;
    case RV_STATISTICS_MAX:
        return row->max_ns;
    case RV_STATISTICS_BLOCKED:
        return row->self_times.blocked_ns;
    case RV_STATISTICS_RUNNABLE:
        return row->self_times.runnable_ns;
    case RV_STATISTICS_OBJECTS:
        return row->self_times.n_objects;
    case RV_STATISTICS_NAME:
    case RV_STATISTICS_COLUMNS:
        break;
    }
    return 0;
}

static void show_number(const struct rv_ui_style *style, const struct rv_stats_row *row,
                        enum rv_statistics_column column, uint64_t self_ns)
{
    uint64_t number = rv_statistics_number(row, column);
    if (column == RV_STATISTICS_CALLS || column == RV_STATISTICS_OBJECTS)
        rv_table_cell_count(style, number);
    else if (column == RV_STATISTICS_SHARE)
        rv_table_cell_share(style, number, self_ns);
    else
        rv_table_cell_ns(style, number);
}

/* A click chooses the row, a double click leads to its longest call. */
static void ask_about(struct rv_ui *ui, uint32_t id, struct rv_ui_acts *acts)
{
    rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_CHOOSE_ROW, .idx = id});
    if (rv_ui_is_second_click(ui))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_LONGEST_CALL});
}

static void ask_for_menu(uint32_t id, struct rv_ui_acts *acts)
{
    rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_CHOOSE_ROW, .idx = id});
    rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_MENU, .idx = 1});
}

/* " FILE:LINE" where others have the name, too; and the marks that reports have behind rows. */
static void tell_place(const struct rv_statistics *shown, const struct rv_stats_row *row, char *out, size_t out_bytes)
{
    const struct rv_subroutine subroutine = rv_subroutines_get(shown->subroutines, row->id);
    const char *slash = strrchr(subroutine.file, '/');
    *out = '\0';
    if (*subroutine.file && rv_name_set_has(shown->namesakes, row->id))
        (void)snprintf(out, out_bytes, " %s:%" PRIu32, slash ? slash + 1 : subroutine.file, subroutine.line);
    if (rv_name_set_has(shown->in_part, row->id))
        rv_text_append(out, out_bytes, "  in part", SIZE_MAX);
    if (row->has_doubtful)
        rv_text_append(out, out_bytes, "  doubtful", SIZE_MAX);
}

/* As much of the name as there is room for; all of it on a touch. */
static void show_name(const struct rv_statistics *shown, const struct rv_ui_style *style,
                      const struct rv_stats_row *row, enum rv_imgui_font font)
{
    char full[NAME_BYTES], name[NAME_BYTES], place[NAME_BYTES];
    (void)rv_subroutines_name_of(shown->subroutines, row->id, full, sizeof full);
    tell_place(shown, row, place, sizeof place);
    const float place_width = *place ? rv_imgui_text_width(font, place) : 0.0f;
    rv_ui_fit_name_among(shown->alike, font, full, rv_imgui_room() - place_width, name, sizeof name);
    rv_imgui_text(font, style->text_strong, name);
    if (rv_imgui_is_hovered() && strcmp(name, full) != 0)
        rv_imgui_tooltip(full);
    if (!*place)
        return;
    rv_imgui_same_line(0.0f);
    rv_imgui_text(font, style->text, place);
}

struct columns { /* that are shown */
    struct rv_imgui_column titles[RV_STATISTICS_COLUMNS];
    enum rv_statistics_column which[RV_STATISTICS_COLUMNS];
    int n;
};

static void show_row(struct rv_ui *ui, const struct rv_statistics *shown, const struct columns *columns, size_t idx,
                     struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    const struct rv_stats_row *row = &shown->rows[idx];
    bool is_chosen = row->id == shown->chosen;
    enum rv_imgui_font font = is_chosen ? RV_IMGUI_FONT_BOLD : RV_IMGUI_FONT_TEXT;
    rv_imgui_table_row();
    rv_imgui_table_cell();
    rv_imgui_table_touch(row->id, is_chosen && shown->has_chosen);
    if (rv_imgui_is_clicked(0))
        ask_about(ui, row->id, acts);
    if (rv_imgui_is_clicked(1))
        ask_for_menu(row->id, acts);
    show_name(shown, style, row, font);
    for (int i = 1; i < columns->n; i++)
        show_number(style, row, columns->which[i], shown->self_ns);
}

/* A row that has been chosen by a key may be out of sight. */
static void show_chosen_row(const struct rv_statistics *shown, struct rv_statistics_state *state)
{
    bool is_same = state->had_chosen == shown->has_chosen && state->chosen == shown->chosen;
    state->had_chosen = shown->has_chosen;
    state->chosen = shown->chosen;
    for (size_t i = 0; i < shown->n_rows && shown->has_chosen && !is_same; i++)
        if (shown->rows[i].id == shown->chosen)
            rv_imgui_table_show_row((int)i);
}

/* In the order of enum rv_statistics_column; where there is little room, only those that say most; of times off the CPU and
 * objects only where there are any. */
static const struct {
    struct rv_imgui_column column;
    bool is_in_narrow;
} COLUMNS[RV_STATISTICS_COLUMNS] = {{{"subroutine", 0.0f, true, false, false, 0}, true},
                                    {{"calls", NUMBER_WIDTH, true, true, false, 0}, true},
                                    {{"total", NUMBER_WIDTH, true, true, false, 0}, false},
                                    {{"self", NUMBER_WIDTH, true, true, true, 0}, true},
                                    {{"share", SHARE_WIDTH, true, true, false, 0}, false},
                                    {{"min", NUMBER_WIDTH, true, true, false, 0}, false},
                                    {{"median", NUMBER_WIDTH, true, true, false, 0}, false},
                                    {{"p99", NUMBER_WIDTH, true, true, false, 0}, false},
                                    {{"max", NUMBER_WIDTH, true, true, false, 0}, true},
                                    {{"blocked", NUMBER_WIDTH, true, true, false, 0}, false},
                                    {{"runnable", NUMBER_WIDTH, true, true, false, 0}, false},
                                    {{"objects", NUMBER_WIDTH, true, true, false, 0}, false}};

static struct rv_statistics_known known_of(const struct rv_statistics *shown)
{
    struct rv_statistics_known known = {false, false};
    for (size_t i = 0; i < shown->n_rows; i++) {
        known.switches |= rv_state_times_has_switches(&shown->rows[i].self_times);
        known.objects |= shown->rows[i].self_times.n_objects > 0;
    }
    known.objects &= !shown->range || !rv_range_statistics_lacks_objects(shown->range);
    return known;
}

enum width { LEAST, NARROW, PLAIN, WIDE };

static bool is_in(int column, enum width width, struct rv_statistics_known known)
{
    switch (width) {
    case LEAST: /* names and their own time */
        return column == RV_STATISTICS_NAME || column == RV_STATISTICS_SELF;
    case NARROW:
        return COLUMNS[column].is_in_narrow;
    case PLAIN:
        return column < RV_STATISTICS_BLOCKED;
    case WIDE:
        return column < RV_STATISTICS_BLOCKED || (column == RV_STATISTICS_OBJECTS ? known.objects : known.switches);
    }
    return true;
}

/* The most columns that leave room for the names. */
static enum width choose_width(float room, bool is_narrow, struct rv_statistics_known known)
{
    enum width width = is_narrow ? NARROW : WIDE;
    for (; width > LEAST; width = (enum width)(width - 1)) {
        float numbers = 0.0f;
        for (int i = 1; i < RV_STATISTICS_COLUMNS; i++)
            numbers += is_in(i, width, known) ? COLUMNS[i].column.width + CELL_PADDING : 0.0f;
        if (room >= numbers + NAMES_LEAST)
            break;
    }
    return width;
}

static struct columns choose_columns(enum width width, struct rv_statistics_known known)
{
    struct columns columns = {.n = 0};
    for (int i = 0; i < RV_STATISTICS_COLUMNS; i++) {
        if (!is_in(i, width, known))
            continue;
        columns.titles[columns.n] = COLUMNS[i].column;
        columns.which[columns.n++] = (enum rv_statistics_column)i;
    }
    return columns;
}

bool rv_statistics_has_column(enum rv_statistics_column column, float room, bool is_narrow,
                              struct rv_statistics_known known)
{
    return is_in((int)column, choose_width(room, is_narrow, known), known);
}

static int place_of(const struct columns *columns, enum rv_statistics_column which)
{
    for (int i = 0; i < columns->n; i++)
        if (columns->which[i] == which)
            return i;
    return 0;
}

static void sort_by_click(const struct rv_statistics *shown, const struct columns *columns, struct rv_ui_acts *acts)
{
    int place = place_of(columns, shown->column);
    bool is_descending = shown->is_descending;
    if (rv_imgui_table_sort(&place, &is_descending))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_SORT_ROWS,
                                         .idx = (uint32_t)columns->which[place] + 1,
                                         .amount = is_descending ? 1.0 : 0.0});
}

static void show_table(struct rv_ui *ui, const struct rv_statistics *shown, struct rv_statistics_state *state,
                       struct rv_ui_acts *acts, float height)
{
    const struct rv_statistics_known known = known_of(shown);
    struct columns columns = choose_columns(choose_width(rv_imgui_room(), shown->is_narrow, known), known);
    char name[24]; /* each set of columns is a table of its own, which keeps its order */
    int from, to;
    (void)snprintf(name, sizeof name, "%d columns", columns.n);
    if (!rv_imgui_table_begin(name, columns.titles, columns.n, height))
        return;
    sort_by_click(shown, &columns, acts);
    show_chosen_row(shown, state);
    rv_imgui_table_rows((int)shown->n_rows, &from, &to);
    for (int i = from; i < to; i++)
        show_row(ui, shown, &columns, (size_t)i, acts);
    rv_imgui_table_end();
}

/* ---- pages ---- */

/* The rows of a whole capture are its session's totals, and known before their paths. */
static void show_progress(const struct rv_statistics *shown, const struct rv_ui_style *style)
{
    char text[96];
    const bool are_rows_whole =
        shown->stats && (!shown->range || shown->stats != rv_range_statistics_stats(shown->range));
    if (shown->sampled < 1.0)
        (void)snprintf(text, sizeof text, "%sof a sample, %.0f %% of the calls; measuring all, %.0f %%",
                       are_rows_whole ? "paths " : "", 100.0 * shown->sampled, 100.0 * shown->progress);
    else
        (void)snprintf(text, sizeof text, "measuring%s, %.0f %%", are_rows_whole ? " paths" : "",
                       100.0 * shown->progress);
    rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text, text);
}

static const struct rv_stats_row *find_row(const struct rv_statistics *shown)
{
    for (size_t i = 0; i < shown->n_rows; i++)
        if (shown->rows[i].id == shown->chosen)
            return &shown->rows[i];
    return NULL;
}

static void show_durations(struct rv_ui *ui, const struct rv_statistics *shown, struct rv_statistics_state *state,
                           struct rv_ui_acts *acts)
{
    const struct rv_stats_row *row = find_row(shown);
    char name[NAME_BYTES];
    if (!row)
        return;
    rv_duration_histogram_show(ui,
                               &(struct rv_duration_histogram){
                                   .name = rv_subroutines_name_of(shown->subroutines, row->id, name, sizeof name),
                                   .row = row,
                                   .histogram = rv_stats_durations(shown->stats, row->id),
                                   .brush = shown->brush,
                                   .rgba = shown->rgba(shown->context, row->id),
                                   .is_of_parts = shown->time != RV_TIME_WALL,
                               },
                               &state->durations, acts);
}

static void show_flame(struct rv_ui *ui, const struct rv_statistics *shown, struct rv_statistics_state *state,
                       struct rv_ui_acts *acts, float height)
{
    size_t n;
    struct rv_flame_graph graph = {.nodes = rv_range_statistics_nodes(shown->range, &n),
                                   .version = shown->version,
                                   .focus = shown->focus,
                                   .has_chosen = shown->has_chosen,
                                   .chosen = shown->chosen,
                                   .found = shown->found,
                                   .subroutines = shown->subroutines,
                                   .rgba = shown->rgba,
                                   .context = shown->context};
    rv_flame_graph_show(ui, &graph, &state->flame, acts, height);
}

/* Returns their height. */
static float show_tabs(const struct rv_statistics *shown, struct rv_ui_acts *acts)
{
    static const char *const titles[2][RV_STATISTICS_TABS] = {
        {"Flame graph", "Calls", "Callers, callees", "Top-down", "Bottom-up", "Grouped", "Lines", "Diff"},
        {"Flame", "Calls", "Callers", "Down", "Up", "Groups", "Lines", "Diff"}};
    const uint32_t n_tabs = shown->diff.diff ? RV_STATISTICS_TABS : RV_STATISTICS_DIFF;
    const bool is_short = rv_button_lines_width(titles[0], n_tabs) > rv_imgui_room();
    struct rv_button_lines lines = {0};
    for (uint32_t tab = 0; tab < n_tabs; tab++)
        if (rv_button_lines_button(&lines, titles[is_short][tab], (uint32_t)shown->tab == tab))
            rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_STATISTICS_TAB, .idx = tab + 1});
    return lines.height;
}

/* Flame graph and trees are made of the range's paths, which may come later than the rows. */
static bool lacks_paths(const struct rv_statistics *shown)
{
    return !shown->range && (shown->tab == RV_STATISTICS_FLAME || shown->tab == RV_STATISTICS_SANDWICH ||
                             shown->tab == RV_STATISTICS_TOP_DOWN || shown->tab == RV_STATISTICS_BOTTOM_UP);
}

static void show_sandwich(struct rv_ui *ui, const struct rv_statistics *shown, struct rv_ui_acts *acts, float height)
{
    float half = floorf(0.5f * (height - 4.0f));
    for (int i = 0; i < 2; i++)
        rv_tree_table_show(ui, &shown->trees[i], acts, half);
}

static void show_page(struct rv_ui *ui, const struct rv_statistics *shown, struct rv_statistics_state *state,
                      struct rv_ui_acts *acts, float height)
{
    bool has_durations = shown->tab == RV_STATISTICS_FLAME || shown->tab == RV_STATISTICS_LIST;
    height -= show_tabs(shown, acts);
    if (has_durations) {
        show_durations(ui, shown, state, acts);
        height -= RV_DURATION_HISTOGRAM_HEIGHT;
    }
    if (lacks_paths(shown)) {
        show_progress(shown, rv_ui_style(ui));
        return;
    }
    switch (shown->tab) {
    case RV_STATISTICS_FLAME:
        show_flame(ui, shown, state, acts, height);
        break;
    case RV_STATISTICS_LIST:
        rv_calls_table_show(ui, &shown->calls, &state->calls, acts, height);
        break;
    case RV_STATISTICS_SANDWICH:
        show_sandwich(ui, shown, acts, height);
        break;
    case RV_STATISTICS_TOP_DOWN:
    case RV_STATISTICS_BOTTOM_UP:
        rv_tree_table_show(ui, &shown->trees[0], acts, height);
        break;
    case RV_STATISTICS_GROUPS:
        rv_groups_table_show(ui, &shown->groups, acts, height);
        break;
    case RV_STATISTICS_LINES:
        rv_lines_table_show(ui, &shown->lines, acts, height);
        break;
    case RV_STATISTICS_DIFF:
        rv_diff_table_show(ui, &shown->diff, acts, height);
        break;
    case RV_STATISTICS_TABS:
        break;
    }
}

/* ---- the whole ---- */

static void describe(const struct rv_statistics *shown, char *out, size_t out_bytes)
{
    char length[32], from[32];
    rv_units_format_ns(length, sizeof length, shown->to_ns - shown->from_ns);
    rv_units_format_ns(from, sizeof from, shown->from_ns > shown->zero_ns ? shown->from_ns - shown->zero_ns : 0);
    if (shown->scope == RV_SCOPE_ALL)
        (void)snprintf(out, out_bytes, "%s, the whole capture", length);
    else
        (void)snprintf(out, out_bytes, "%s from +%s", length, from);
}

static void show_news(const struct rv_statistics *shown, const struct rv_ui_style *style)
{
    if (shown->is_measuring)
        show_progress(shown, style);
    else if (shown->range && rv_range_statistics_is_damaged(shown->range))
        rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text_warning, "calls in damaged blocks are not counted");
    else if (shown->range && rv_range_statistics_missing_before_ns(shown->range))
        rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text_warning, "older calls were evicted and are not counted");
}

static void show_scopes(const struct rv_statistics *shown, struct rv_ui_acts *acts)
{
    static const char *const titles[] = {
        [RV_SCOPE_ALL] = "All", [RV_SCOPE_VIEW] = "In view", [RV_SCOPE_SELECTED] = "Selected"};
    for (uint32_t scope = RV_SCOPE_ALL; scope <= RV_SCOPE_SELECTED; scope++) {
        if (scope == RV_SCOPE_SELECTED && !shown->has_selected)
            continue;
        if (rv_imgui_button(titles[scope], 0.0f, (uint32_t)shown->scope == scope))
            rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_STATISTICS_OF, .idx = scope});
        rv_imgui_same_line(4.0f);
    }
}

/* Where not all fit, the chosen one, which leads to the next. */
static void show_times(const struct rv_statistics *shown, const struct rv_ui_style *style, struct rv_ui_acts *acts)
{
    static const char *const titles[RV_TIME_KINDS] = {[RV_TIME_WALL] = "Wall",
                                                      [RV_TIME_ON_CPU] = "On CPU",
                                                      [RV_TIME_OFF_CPU] = "Off CPU",
                                                      [RV_TIME_BLOCKED] = "Blocked",
                                                      [RV_TIME_RUNNABLE] = "Runnable"};
    const float room = rv_imgui_room() - CLOSE_WIDTH;
    const bool has_all = room >= TIMES_WIDTH;
    for (uint32_t time = 0; time < RV_TIME_KINDS && shown->knows_states && room >= TIME_WIDTH; time++) {
        const bool is_chosen = (uint32_t)shown->time == time;
        if (!has_all && !is_chosen)
            continue;
        if (rv_imgui_button(titles[time], 0.0f, is_chosen))
            rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_STATISTICS_TIME, .idx = has_all ? time + 1 : 0});
        rv_imgui_same_line(4.0f);
    }
    if (!shown->knows_states && !shown->is_narrow)
        rv_imgui_label("wall time: states not known", style->text);
}

/* What does not fit is left out, but for the button that closes. */
static void show_head(const struct rv_statistics *shown, const struct rv_ui_style *style, struct rv_ui_acts *acts,
                      float width)
{
    char text[160];
    show_scopes(shown, acts);
    rv_imgui_same_line(GAP);
    show_times(shown, style, acts);
    rv_imgui_same_line(GAP);
    describe(shown, text, sizeof text);
    const float left = width - rv_imgui_room(); /* of the text */
    const bool has_text = left + rv_imgui_text_width(RV_IMGUI_FONT_TEXT, text) + GAP < width - BUTTONS_WIDTH;
    const bool has_file = left < width - BUTTONS_WIDTH;
    if (shown->stats && has_text)
        rv_imgui_label(text, style->text_strong);
    rv_imgui_same_line(2.0f * GAP);
    if (has_text)
        show_news(shown, style);
    rv_imgui_at(width - BUTTONS_WIDTH, 7.0f);
    if (shown->range && has_file && rv_imgui_button("Save as CSV", 98.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_EXPORT_ROWS});
    rv_imgui_at(width - CLOSE_WIDTH, 7.0f);
    if (rv_imgui_button("Close", 52.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_STATISTICS});
}

static void show_beside(struct rv_ui *ui, const struct rv_statistics *shown, struct rv_statistics_state *state,
                        struct rv_ui_acts *acts, const float size[2])
{
    const float table_width = floorf((shown->is_narrow ? NARROW_SHARE : TABLE_SHARE) * size[0]);
    rv_imgui_child_begin("table", table_width, size[1]);
    show_table(ui, shown, state, acts, size[1]);
    rv_imgui_child_end();
    rv_imgui_at(2.0f * GAP + table_width, HEAD_HEIGHT + GAP);
    rv_imgui_child_begin("page", size[0] - table_width - 3.0f * GAP, size[1]);
    show_page(ui, shown, state, acts, size[1]);
    rv_imgui_child_end();
}

/* The page below the table; both scroll. */
static void show_stacked(struct rv_ui *ui, const struct rv_statistics *shown, struct rv_statistics_state *state,
                         struct rv_ui_acts *acts, const float size[2])
{
    rv_imgui_child_begin("both", size[0] - 2.0f * GAP, size[1]);
    show_table(ui, shown, state, acts, STACKED_TABLE);
    rv_imgui_gap(GAP);
    rv_imgui_child_begin("page", 0.0f, STACKED_PAGE);
    show_page(ui, shown, state, acts, STACKED_PAGE);
    rv_imgui_child_end();
    rv_imgui_child_end();
}

void rv_statistics_show(struct rv_ui *ui, const struct rv_statistics *shown, struct rv_statistics_state *state,
                        struct rv_ui_acts *acts)
{
    float most = HEIGHT_MOST * rv_ui_height(ui);
    float whole = floorf(fminf(fmaxf(HEIGHT_LEAST, HEIGHT_SHARE * rv_ui_height(ui)), most));
    struct rv_imgui_area area = rv_ui_dock(ui, RV_UI_BOTTOM, whole);
    const float size[2] = {area.width, area.height - HEAD_HEIGHT - 2.0f * GAP};
    rv_imgui_panel_begin("statistics", area, 0);
    show_head(shown, rv_ui_style(ui), acts, area.width);
    rv_imgui_at(GAP, HEAD_HEIGHT + GAP);
    if (!shown->stats)
        show_progress(shown, rv_ui_style(ui));
    else
        (area.width < BESIDE_WIDTH ? show_stacked : show_beside)(ui, shown, state, acts, size);
    rv_imgui_panel_end();
}
