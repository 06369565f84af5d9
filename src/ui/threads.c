#include "ui/threads.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "model/lane_sort.h"
#include "ui/imgui_table.h"
#include "ui/word_match.h"

#define HEAD_HEIGHT 34.0f
#define GAP 12.0f
#define ROW_HEIGHT 20.0f  /* no less than a row of the table is high */
#define MOST_ROWS 8       /* in sight */
#define HEIGHT_SHARE 0.4f /* of the picture, that it takes at most */
#define NAME_SHARE 0.3f   /* of its width, for names */
#define EVENTS_SHARE 0.15f
#define EVENTS_LEAST 58.0f /* seven digits */
#define BOX 14.0f
#define BOX_INNER 8.0f
#define ARROW_WIDTH 14.0f
#define FIND_WIDTH 220.0f
#define FIND_LEAST 80.0f
#define SORT_WIDTH 150.0f
#define CLOSE_WIDTH 52.0f

enum column { COLUMN_HIDE, COLUMN_PIN, COLUMN_NAME, COLUMN_EVENTS, COLUMN_DEPTH, COLUMN_PROCESS, COLUMN_COUNT };

static void ask(struct rv_ui_acts *acts, enum rv_action action, uint32_t lane_idx)
{
    rv_ui_act(acts, &(struct rv_act){.action = action, .idx = lane_idx + 1});
}

/* A check box as high as a line of text. True when clicked. */
static bool show_box(const struct rv_ui_style *style, const char *id, bool is_on)
{
    struct rv_imgui_area area;
    rv_imgui_table_cell();
    rv_imgui_touch(id, BOX, BOX, &area);
    float rim = 0.5f * (BOX - BOX_INNER);
    struct rv_imgui_area inner = {area.x + rim, area.y + rim, BOX_INNER, BOX_INNER};
    rv_imgui_draw_box(area, 3.0f, rv_imgui_is_hovered() ? style->plate_hovered : style->plate);
    rv_imgui_draw_frame(area, 3.0f, style->text_faint, 1.0f);
    if (is_on)
        rv_imgui_draw_box(inner, 2.0f, style->accent);
    return rv_imgui_is_clicked(0);
}

/* Before the name of the first of several lanes. */
static void show_arrow(const struct rv_ui_style *style, const struct rv_threads_row *row, struct rv_ui_acts *acts)
{
    struct rv_imgui_area area;
    rv_imgui_table_cell();
    rv_imgui_touch("fold", ARROW_WIDTH, BOX, &area);
    if (row->fold == RV_LANE_FOLD_NONE)
        return;
    if (rv_imgui_is_clicked(0))
        ask(acts, RV_ACTION_COLLAPSE_GROUP, row->lane_idx);
    rv_imgui_draw_text((float[2]){area.x, area.y}, RV_IMGUI_FONT_TEXT,
                       rv_imgui_is_hovered() ? style->accent : style->text,
                       row->fold == RV_LANE_FOLD_CLOSED ? "\u25b8" : "\u25be");
}

static bool show_name(const struct rv_ui_style *style, const struct rv_threads_row *row)
{
    char name[sizeof row->name];
    struct rv_imgui_area area;
    rv_imgui_same_line(0.0f);
    rv_ui_fit_name(RV_IMGUI_FONT_TEXT, row->name, rv_imgui_room(), name, sizeof name);
    rv_imgui_touch("name", 0.0f, BOX, &area);
    bool is_clicked = rv_imgui_is_clicked(0);
    uint32_t rgba = row->is_hidden ? style->text_faint : style->text_strong;
    rv_imgui_draw_text((float[2]){area.x, area.y}, RV_IMGUI_FONT_TEXT, rv_imgui_is_hovered() ? style->accent : rgba,
                       name);
    return is_clicked;
}

static void show_number(const struct rv_ui_style *style, uint64_t number)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRIu64, number);
    rv_imgui_table_cell();
    rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text, text);
}

static void show_instrumentation(const struct rv_threads_row *row)
{
    char text[sizeof row->process + sizeof row->traced_by + 16];
    (void)snprintf(text, sizeof text, "%s: traced by %s", row->process, row->traced_by);
    rv_imgui_tooltip(text);
}

static void show_row(const struct rv_ui_style *style, const struct rv_threads_row *row, struct rv_ui_acts *acts)
{
    rv_imgui_push_id(row->lane_idx);
    rv_imgui_table_row();
    if (show_box(style, "hide", row->is_hidden))
        ask(acts, RV_ACTION_HIDE_LANE, row->lane_idx);
    if (show_box(style, "pin", row->is_pinned))
        ask(acts, RV_ACTION_PIN_LANE, row->lane_idx);
    show_arrow(style, row, acts);
    if (show_name(style, row))
        ask(acts, RV_ACTION_SHOW_LANE, row->lane_idx);
    show_number(style, row->n_events);
    show_number(style, row->max_depth);
    rv_imgui_table_cell();
    rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text, row->process);
    if (*row->traced_by && rv_imgui_is_hovered())
        show_instrumentation(row);
    rv_imgui_pop_id();
}

static void show_table(const struct rv_ui_style *style, const struct rv_threads *shown, const float size[2],
                       struct rv_ui_acts *acts)
{
    const struct rv_imgui_column columns[COLUMN_COUNT] = {
        [COLUMN_HIDE] = {.title = "hide", .width = 28.0f},
        [COLUMN_PIN] = {.title = "pin", .width = 28.0f},
        [COLUMN_NAME] = {.title = "thread", .width = fminf(300.0f, NAME_SHARE * size[0])},
        [COLUMN_EVENTS] = {.title = "events", .width = fmaxf(EVENTS_LEAST, fminf(110.0f, EVENTS_SHARE * size[0]))},
        [COLUMN_DEPTH] = {.title = "depth", .width = 60.0f, .left_out = 2},
        [COLUMN_PROCESS] = {.title = "process", .left_out = 1}};
    int from, to;
    if (!rv_imgui_table_begin("rows", columns, COLUMN_COUNT, size[1]))
        return;
    rv_imgui_table_rows((int)shown->n_rows, &from, &to);
    for (int i = from; i < to; i++) {
        struct rv_threads_row row;
        shown->row(shown->context, (size_t)i, &row);
        show_row(style, &row, acts);
    }
    rv_imgui_table_end();
}

/* At the right of the head, without the one that sorts where the field would have no room. Returns their left end. */
static float show_buttons(const struct rv_threads *shown, float width, float find_x, struct rv_ui_acts *acts)
{
    char text[48];
    const float close_x = width - CLOSE_WIDTH - GAP, sort_x = close_x - SORT_WIDTH - GAP;
    rv_imgui_at(close_x, 7.0f);
    if (rv_imgui_button("Close", CLOSE_WIDTH, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_THREADS});
    if (sort_x - GAP - find_x < FIND_LEAST)
        return close_x;
    (void)snprintf(text, sizeof text, "Sort: %s", rv_lane_sort_name(shown->sorted));
    rv_imgui_at(sort_x, 7.0f);
    if (rv_imgui_button(text, SORT_WIDTH, shown->sorted != RV_LANES_AS_THEY_CAME))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_SORT_LANES});
    return sort_x;
}

bool rv_threads_is_found(const struct rv_threads_state *state, const struct rv_threads_row *row)
{
    char tid[16];
    (void)snprintf(tid, sizeof tid, "%" PRIu32, row->tid);
    return rv_word_match(state->find, (const char *const[]){row->name, row->process, tid}, 3);
}

/* As high as the lanes need, whatever is found, so that the field stays under the mouse. */
void rv_threads_show(struct rv_ui *ui, const struct rv_threads *shown, struct rv_threads_state *state,
                     struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    char text[64];
    float most = fminf(MOST_ROWS, fmaxf(floorf(HEIGHT_SHARE * rv_ui_height(ui) / ROW_HEIGHT) - 2.0f, 2.0f));
    float height = ROW_HEIGHT * (1.0f + fminf((float)shown->n_lanes, most));
    struct rv_imgui_area area = rv_ui_dock(ui, RV_UI_BOTTOM, HEAD_HEIGHT + height + GAP);
    rv_imgui_panel_begin("threads", area, 0);
    (void)snprintf(text, sizeof text, "%zu thread%s, %zu hidden", shown->n_lanes,
                   rv_units_word(shown->n_lanes, "", "s"), shown->n_hidden);
    rv_imgui_text(RV_IMGUI_FONT_BOLD, style->text_strong, text);
    const float find_x = fminf(FIND_WIDTH, rv_imgui_text_width(RV_IMGUI_FONT_BOLD, text) + 3.0f * GAP);
    const float find_width = fminf(FIND_WIDTH, show_buttons(shown, area.width, find_x, acts) - GAP - find_x);
    rv_imgui_at(find_x, 5.0f);
    if (find_width >= FIND_LEAST)
        (void)rv_imgui_input("##find", "find a name or a number", find_width, state->find, sizeof state->find, false);
    rv_imgui_at(GAP, HEAD_HEIGHT);
    show_table(style, shown, (const float[2]){area.width, area.height - HEAD_HEIGHT - GAP}, acts);
    rv_imgui_panel_end();
}
