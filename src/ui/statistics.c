#include "ui/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/vec.h"
#include "model/color.h"
#include "model/histogram.h"

#define HEIGHT 268.0f
#define HEAD_HEIGHT 30.0f
#define GAP 12.0f
#define TABLE_SHARE 0.56f
#define NUMBER_WIDTH 66.0f
#define SHARE_WIDTH 48.0f
#define BAR_WIDTH 5.0f
#define BARS_HEIGHT 56.0f
#define FLAME_ROW 17.0f
#define FLAME_MIN 2.0f /* points below which a path is not drawn */
#define FLAME_TEXT_MIN 28.0f
#define FLAME_PADDING 4.0f
#define SCROLLBAR_ROOM 12.0f
#define NAME_BYTES 512

struct sorting {
    struct rv_subroutines *subroutines;
    int column;
    bool is_descending;
};

static struct sorting sorting; /* context for qsort; main thread */

void rv_statistics_state_fini(struct rv_statistics_state *state)
{
    free(state->rows);
    free(state->bars);
    *state = (struct rv_statistics_state){0};
}

/* ---- rows ---- */

static const char *name_of(struct rv_subroutines *subroutines, uint32_t id, char out[NAME_BYTES])
{
    struct rv_subroutine subroutine = rv_subroutines_get(subroutines, id);
    return rv_subroutine_full_name(&subroutine, out, NAME_BYTES);
}

static uint64_t number_of(const struct rv_stats_row *row, int column)
{
    switch ((enum rv_statistics_column)column) {
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
    case RV_STATISTICS_NAME:
    case RV_STATISTICS_COLUMNS:
        break;
    }
    return 0;
}

static int by_column(const void *a, const void *b)
{
    const struct rv_stats_row *x = a, *y = b;
    char x_name[NAME_BYTES], y_name[NAME_BYTES];
    uint64_t x_number = number_of(x, sorting.column), y_number = number_of(y, sorting.column);
    int order = x_number < y_number ? -1 : x_number > y_number;
    if (sorting.column == RV_STATISTICS_NAME)
        order = strcmp(name_of(sorting.subroutines, x->id, x_name), name_of(sorting.subroutines, y->id, y_name));
    if (order)
        return sorting.is_descending ? -order : order;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void sort(const struct rv_statistics *shown, struct rv_statistics_state *state)
{
    sorting = (struct sorting){shown->subroutines, state->column, state->is_descending};
    qsort(state->rows, state->n_rows, sizeof *state->rows, by_column);
}

static void take_rows(const struct rv_statistics *shown, struct rv_statistics_state *state)
{
    if (state->version == shown->version)
        return;
    if (state->version == 0) {
        state->column = RV_STATISTICS_SELF;
        state->is_descending = true;
    }
    const struct rv_stats *stats = rv_range_stats(shown->range);
    state->n_rows = rv_stats_rows(stats, NULL, 0);
    state->rows = rv_vec_reserve(state->rows, &state->capacity, state->n_rows, sizeof *state->rows);
    (void)rv_stats_rows(stats, state->rows, state->n_rows);
    sort(shown, state);
    state->version = shown->version;
    state->bars_width = 0.0f;
    state->chosen = state->n_rows ? state->rows[0].id : 0;
}

static void show_number(const struct rv_ui_style *style, const struct rv_stats_row *row, int column, uint64_t self_ns)
{
    char text[32];
    uint64_t number = number_of(row, column);
    if (column == RV_STATISTICS_CALLS)
        (void)snprintf(text, sizeof text, "%" PRIu64, number);
    else if (column == RV_STATISTICS_SHARE)
        (void)snprintf(text, sizeof text, "%.1f %%", self_ns ? 100.0 * (double)number / (double)self_ns : 0.0);
    else
        rv_units_format_ns(text, sizeof text, number);
    rv_imgui_table_cell();
    rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text, text);
}

static void show_row(const struct rv_statistics *shown, struct rv_statistics_state *state, size_t idx,
                     const struct rv_ui_style *style)
{
    const struct rv_stats_row *row = &state->rows[idx];
    char full[NAME_BYTES], name[NAME_BYTES];
    enum rv_imgui_font font = row->id == state->chosen ? RV_IMGUI_FONT_BOLD : RV_IMGUI_FONT_TEXT;
    rv_imgui_table_row();
    rv_imgui_table_cell();
    rv_ui_fit_name(font, name_of(shown->subroutines, row->id, full), rv_imgui_room(), name, sizeof name);
    rv_imgui_text(font, style->text_strong, name);
    if (rv_imgui_is_hovered() && strcmp(name, full) != 0)
        rv_imgui_tooltip(full);
    if (rv_imgui_is_clicked(0))
        state->chosen = row->id;
    for (int column = RV_STATISTICS_CALLS; column < RV_STATISTICS_COLUMNS; column++)
        show_number(style, row, column, rv_range_self_ns(shown->range));
}

static void show_table(const struct rv_statistics *shown, struct rv_statistics_state *state,
                       const struct rv_ui_style *style, float height)
{
    static const struct rv_imgui_column columns[RV_STATISTICS_COLUMNS] = {
        {"subroutine", 0.0f, true, false, false},    {"calls", NUMBER_WIDTH, true, true, false},
        {"total", NUMBER_WIDTH, true, true, false},  {"self", NUMBER_WIDTH, true, true, true},
        {"share", SHARE_WIDTH, true, true, false},   {"min", NUMBER_WIDTH, true, true, false},
        {"median", NUMBER_WIDTH, true, true, false}, {"p99", NUMBER_WIDTH, true, true, false},
        {"max", NUMBER_WIDTH, true, true, false}};
    int column, from, to;
    bool is_descending;
    if (!rv_imgui_table_begin("rows", columns, RV_STATISTICS_COLUMNS, height))
        return;
    if (rv_imgui_table_sort(&column, &is_descending) &&
        (column != state->column || is_descending != state->is_descending)) {
        state->column = column;
        state->is_descending = is_descending;
        sort(shown, state);
    }
    rv_imgui_table_rows((int)state->n_rows, &from, &to);
    for (int i = from; i < to; i++)
        show_row(shown, state, (size_t)i, style);
    rv_imgui_table_end();
}

/* ---- durations of the chosen one: bars of equal factors between the shortest and the longest ---- */

static const struct rv_stats_row *find_row(const struct rv_statistics_state *state)
{
    for (size_t i = 0; i < state->n_rows; i++)
        if (state->rows[i].id == state->chosen)
            return &state->rows[i];
    return NULL;
}

static void draw_bars(const struct rv_histogram *histogram, const struct rv_stats_row *row, struct rv_imgui_area area,
                      uint32_t rgba)
{
    enum { MOST_BARS = 256 };
    uint64_t counts[MOST_BARS], largest = 1, before = 0;
    int n = (int)fminf(area.width / BAR_WIDTH, MOST_BARS);
    double least = log2((double)row->min_ns + 1.0), span = fmax(log2((double)row->max_ns + 1.0) - least, 1e-9);
    for (int i = 0; i < n; i++) {
        uint64_t upto_ns = i + 1 == n ? UINT64_MAX : (uint64_t)(exp2(least + span * (i + 1) / n) - 1.0);
        uint64_t n_upto = rv_histogram_at_most(histogram, upto_ns);
        counts[i] = n_upto - before;
        before = n_upto;
        largest = counts[i] > largest ? counts[i] : largest;
    }
    for (int i = 0; i < n; i++) {
        if (counts[i] == 0)
            continue;
        float height = fmaxf(2.0f, area.height * (float)counts[i] / (float)largest);
        rv_imgui_draw_box((struct rv_imgui_area){area.x + BAR_WIDTH * (float)i, area.y + area.height - height,
                                                 BAR_WIDTH - 1.0f, height},
                          0.0f, rgba);
    }
}

static void show_durations(const struct rv_statistics *shown, const struct rv_statistics_state *state,
                           const struct rv_ui_style *style)
{
    const struct rv_stats_row *row = find_row(state);
    struct rv_imgui_area area;
    char text[NAME_BYTES + 96], name[NAME_BYTES], least[32], most[32];
    if (!row)
        return;
    rv_units_format_ns(least, sizeof least, row->min_ns);
    rv_units_format_ns(most, sizeof most, row->max_ns);
    (void)snprintf(text, sizeof text, "%s to %s  %s", least, most, name_of(shown->subroutines, row->id, name));
    rv_imgui_text(RV_IMGUI_FONT_SMALL, style->text, text);
    rv_imgui_touch("durations", 0.0f, BARS_HEIGHT, &area);
    rv_imgui_draw_box(area, 3.0f, style->plate);
    draw_bars(rv_stats_durations(rv_range_stats(shown->range), row->id), row, area,
              shown->rgba(shown->context, row->id));
}

/* ---- the flame graph: callers above what they called ---- */

struct flame {
    const struct rv_statistics *shown;
    const struct rv_range_node *nodes;
    struct rv_imgui_area area; /* area of all rows, including invisible ones */
    double points_per_ns;
    float mouse[2];
    uint32_t hovered;
};

/* Siblings are sorted by falling total: stop at the first that is too narrow. */
static void add_bars(struct rv_statistics_state *state, const struct rv_range_node *nodes,
                     const struct rv_statistics_bar *caller, uint64_t least_ns)
{
    uint64_t from_ns = caller->from_ns;
    uint32_t row = caller->node ? caller->row + 1 : 0;
    for (uint32_t i = nodes[caller->node].first_child; i && nodes[i].total_ns >= least_ns; i = nodes[i].next) {
        state->bars = rv_vec_reserve(state->bars, &state->bars_capacity, state->n_bars + 1, sizeof *state->bars);
        state->bars[state->n_bars++] = (struct rv_statistics_bar){i, row, from_ns};
        from_ns += nodes[i].total_ns;
    }
}

/* Row by row rather than recursively, for any depth. */
static void make_bars(struct rv_statistics_state *state, const struct rv_range_node *nodes, float width)
{
    uint64_t least_ns = (uint64_t)ceil((double)FLAME_MIN * (double)nodes[0].total_ns / (double)width);
    state->n_bars = 0;
    state->bars_width = width;
    add_bars(state, nodes, &(struct rv_statistics_bar){0}, least_ns);
    for (size_t i = 0; i < state->n_bars; i++) {
        struct rv_statistics_bar caller = state->bars[i];
        add_bars(state, nodes, &caller, least_ns);
    }
}

static uint32_t ink_on(uint32_t rgba)
{
    struct rv_color ink = rv_color_ink(
        (struct rv_color){(uint8_t)(rgba >> 24), (uint8_t)(rgba >> 16 & 0xffu), (uint8_t)(rgba >> 8 & 0xffu)});
    return (uint32_t)ink.r << 24 | (uint32_t)ink.g << 16 | (uint32_t)ink.b << 8 | 0xffu;
}

static void draw_bar(struct flame *flame, const struct rv_statistics_bar *bar)
{
    const struct rv_range_node *node = &flame->nodes[bar->node];
    uint32_t rgba = flame->shown->rgba(flame->shown->context, node->id);
    float x = flame->area.x + (float)((double)bar->from_ns * flame->points_per_ns);
    float y = flame->area.y + FLAME_ROW * (float)bar->row;
    struct rv_imgui_area box = {x, y, (float)((double)node->total_ns * flame->points_per_ns) - 1.0f, FLAME_ROW - 1.0f};
    char full[NAME_BYTES], name[NAME_BYTES];
    rv_imgui_draw_box(box, 2.0f, rgba);
    if (box.width > FLAME_TEXT_MIN) {
        rv_ui_fit_name(RV_IMGUI_FONT_SMALL, name_of(flame->shown->subroutines, node->id, full),
                       box.width - 2.0f * FLAME_PADDING, name, sizeof name);
        rv_imgui_draw_text((float[2]){floorf(x + FLAME_PADDING), y + 1.0f}, RV_IMGUI_FONT_SMALL, ink_on(rgba), name);
    }
    if (flame->mouse[0] >= box.x && flame->mouse[0] < box.x + box.width && flame->mouse[1] >= y &&
        flame->mouse[1] < y + FLAME_ROW)
        flame->hovered = bar->node;
}

static void show_node(const struct flame *flame)
{
    const struct rv_range_node *node = &flame->nodes[flame->hovered];
    char text[NAME_BYTES + 160], name[NAME_BYTES], total[32], self[32];
    rv_units_format_ns(total, sizeof total, node->total_ns);
    rv_units_format_ns(self, sizeof self, node->self_ns);
    (void)snprintf(text, sizeof text, "%s\ntotal %s (%.1f %%), self %s, %" PRIu64 " call%s",
                   name_of(flame->shown->subroutines, node->id, name), total,
                   100.0 * (double)node->total_ns / (double)flame->nodes[0].total_ns, self, node->n_calls,
                   node->n_calls == 1 ? "" : "s");
    rv_imgui_tooltip(text);
}

/* Drawn over the lower edge of the visible part. */
static void show_rows_below(const struct rv_ui_style *style, const struct rv_imgui_area *view, size_t n_below)
{
    char text[48];
    (void)snprintf(text, sizeof text, "%zu more row%s below", n_below, n_below == 1 ? "" : "s");
    float width = rv_imgui_text_width(RV_IMGUI_FONT_SMALL, text) + 2.0f * FLAME_PADDING;
    struct rv_imgui_area plate = {floorf(view->x + view->width - width), floorf(view->y + view->height - FLAME_ROW),
                                  width, FLAME_ROW};
    rv_imgui_draw_box(plate, 3.0f, style->bar);
    rv_imgui_draw_text((float[2]){plate.x + FLAME_PADDING, plate.y + 1.0f}, RV_IMGUI_FONT_SMALL, style->text_strong,
                       text);
}

static void draw_bars_in_sight(struct flame *flame, const struct rv_statistics_state *state,
                               const struct rv_ui_style *style)
{
    float above, height;
    rv_imgui_scrolled(&above, &height);
    size_t n_rows = state->bars[state->n_bars - 1].row + (size_t)1;
    size_t first = (size_t)(above / FLAME_ROW), end = (size_t)((above + height) / FLAME_ROW + 0.5f);
    for (size_t i = 0; i < state->n_bars; i++)
        if (state->bars[i].row >= first && state->bars[i].row <= end)
            draw_bar(flame, &state->bars[i]);
    struct rv_imgui_area view = {flame->area.x, flame->area.y + above, flame->area.width, height};
    if (end < n_rows)
        show_rows_below(style, &view, n_rows - end);
}

static void show_flame(const struct rv_statistics *shown, struct rv_statistics_state *state,
                       const struct rv_ui_style *style, float height)
{
    size_t n;
    struct flame flame = {.shown = shown, .nodes = rv_range_nodes(shown->range, &n)};
    float width = rv_imgui_room() - SCROLLBAR_ROOM;
    if (flame.nodes[0].total_ns == 0 || width <= 0.0f)
        return;
    if (state->bars_width != width)
        make_bars(state, flame.nodes, width);
    if (state->n_bars == 0)
        return;
    rv_imgui_child_begin("flame", 0.0f, height);
    rv_imgui_touch("paths", width, FLAME_ROW * (float)(state->bars[state->n_bars - 1].row + 1), &flame.area);
    flame.points_per_ns = (double)width / (double)flame.nodes[0].total_ns;
    rv_imgui_mouse_at(flame.mouse);
    bool is_hovered = rv_imgui_is_hovered();
    draw_bars_in_sight(&flame, state, style);
    if (is_hovered && flame.hovered)
        show_node(&flame);
    rv_imgui_child_end();
}

/* ---- the whole ---- */

static void show_head(const struct rv_statistics *shown, const struct rv_ui_style *style, struct rv_ui_acts *acts,
                      float width)
{
    char text[160], length[32], from[32];
    rv_units_format_ns(length, sizeof length, shown->to_ns - shown->from_ns);
    rv_units_format_ns(from, sizeof from, shown->from_ns > shown->zero_ns ? shown->from_ns - shown->zero_ns : 0);
    (void)snprintf(text, sizeof text, "%s from +%s", length, from);
    rv_imgui_text(RV_IMGUI_FONT_BOLD, style->text_strong, text);
    rv_imgui_same_line(2.0f * GAP);
    if (!shown->range) {
        (void)snprintf(text, sizeof text, "measuring, %.0f %%", 100.0 * shown->progress);
        rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text, text);
    } else if (shown->message[0]) {
        rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text, shown->message);
    } else if (rv_range_missing_before_ns(shown->range)) {
        rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text_warning, "older calls were evicted and are not counted");
    }
    rv_imgui_at(width - 168.0f, 7.0f);
    if (shown->range && rv_imgui_button("Save as CSV", 98.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_EXPORT_RANGE});
    rv_imgui_at(width - 64.0f, 7.0f);
    if (rv_imgui_button("Close", 52.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_SELECT});
}

void rv_statistics_show(struct rv_ui *ui, const struct rv_statistics *shown, struct rv_statistics_state *state,
                        struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    struct rv_imgui_area area = rv_ui_dock(ui, RV_UI_BOTTOM, HEIGHT);
    float height = HEIGHT - HEAD_HEIGHT - 2.0f * GAP, table_width = floorf(TABLE_SHARE * area.width);
    rv_imgui_panel_begin("statistics", area, 0);
    show_head(shown, style, acts, area.width);
    if (shown->range) {
        take_rows(shown, state);
        rv_imgui_at(GAP, HEAD_HEIGHT + GAP);
        rv_imgui_child_begin("table", table_width, height);
        show_table(shown, state, style, height);
        rv_imgui_child_end();
        rv_imgui_at(2.0f * GAP + table_width, HEAD_HEIGHT + GAP);
        rv_imgui_child_begin("graphs", 0.0f, height);
        show_durations(shown, state, style);
        show_flame(shown, state, style, height - BARS_HEIGHT - 28.0f);
        rv_imgui_child_end();
    }
    rv_imgui_panel_end();
}
