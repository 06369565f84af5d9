#include "ui/inspector.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "glyphs/clusters.h"
#include "model/short_name.h"

#define HEIGHT 460.0f
#define NUMBERS_HEIGHT 200.0f /* least height below the legend */
#define TITLE_LINES 1.8f      /* lines are not filled to their ends */
#define LABEL_WIDTH 66.0f
#define ROW_HEIGHT 18.0f
#define SWATCH 9.0f
#define NAME_X 16.0f
#define MOST_ROWS 40u
#define NAME_BYTES 512

static void show_line(const struct rv_ui_style *style, const struct rv_inspector_line *line)
{
    rv_imgui_text(RV_IMGUI_FONT_SMALL, style->text_faint, line->label);
    rv_imgui_same_line(fmaxf(LABEL_WIDTH - rv_imgui_text_width(RV_IMGUI_FONT_SMALL, line->label), 4.0f));
    rv_imgui_text_wrapped(RV_IMGUI_FONT_SMALL, style->text_strong, line->text);
}

static void show_buttons(const struct rv_inspector *shown, struct rv_ui_acts *acts)
{
    if (rv_imgui_button("Copy name", 0.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_COPY_NAME});
    rv_imgui_same_line(6.0f);
    if (shown->has_source) {
        if (rv_imgui_button("Edit", 0.0f, false))
            rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_EDIT_SOURCE});
        if (rv_imgui_is_hovered())
            rv_imgui_tooltip("open its line in $EDITOR");
        rv_imgui_same_line(6.0f);
    }
    if (rv_imgui_button("Unpin", 0.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_UNPIN_CALL});
    if (shown->has_waker && rv_imgui_button(RV_ACTION_TITLE_SHOW_WAKER, 0.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_SHOW_WAKER});
    if (shown->has_flow && rv_imgui_button(RV_ACTION_TITLE_SHOW_FLOW, 0.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_SHOW_FLOW});
    if (shown->has_path && rv_imgui_button(RV_ACTION_TITLE_CRITICAL_PATH, 0.0f, shown->is_path_lit))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_CRITICAL_PATH});
}

/* Whether it is traced now is not known here: others change that, too. */
static void show_tracing(const struct rv_ui_style *style, const struct rv_inspector *shown, struct rv_ui_acts *acts)
{
    if (rv_imgui_button("Do not trace", 0.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_UNTRACE});
    if (rv_imgui_is_hovered())
        rv_imgui_tooltip("stop tracing this subroutine: Delete");
    rv_imgui_same_line(6.0f);
    if (rv_imgui_button("Trace again", 0.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_TRACE});
    if (*shown->traced)
        rv_imgui_text_wrapped(RV_IMGUI_FONT_SMALL, style->text_faint, shown->traced);
}

static void show_subroutine(const struct rv_inspector *shown, uint32_t id, uint32_t text_rgba, const char *amount)
{
    struct rv_imgui_area area;
    char name[NAME_BYTES], shown_name[NAME_BYTES];
    struct rv_subroutine subroutine = rv_subroutines_get(shown->subroutines, id);
    float amount_width = rv_imgui_text_width(RV_IMGUI_FONT_SMALL, amount);
    rv_subroutine_full_name(&subroutine, name, sizeof name);
    rv_imgui_touch("##row", 0.0f, ROW_HEIGHT - 5.0f, &area);
    if (rv_imgui_is_hovered())
        rv_imgui_tooltip(name);
    rv_imgui_draw_box((struct rv_imgui_area){area.x, area.y + 3.0f, SWATCH, SWATCH}, 2.0f,
                      shown->rgba(shown->context, id));
    rv_ui_fit_name(RV_IMGUI_FONT_SMALL, name, area.width - amount_width - 6.0f - NAME_X, shown_name, sizeof shown_name);
    rv_imgui_draw_text((float[2]){area.x + NAME_X, area.y}, RV_IMGUI_FONT_SMALL, text_rgba, shown_name);
    rv_imgui_draw_text((float[2]){floorf(area.x + area.width - amount_width), area.y}, RV_IMGUI_FONT_SMALL, text_rgba,
                       amount);
}

static void show_callers(const struct rv_inspector *shown, const struct rv_ui_style *style,
                         const struct rv_range_node *nodes)
{
    uint32_t n = 0;
    rv_imgui_gap(4.0f);
    rv_imgui_text(RV_IMGUI_FONT_BOLD, style->text_strong, nodes[shown->node].parent ? "Called by" : "Outermost");
    for (uint32_t at = nodes[shown->node].parent; at && n < MOST_ROWS; at = nodes[at].parent) {
        rv_imgui_push_id(n++);
        show_subroutine(shown, nodes[at].id, style->text, "");
        rv_imgui_pop_id();
    }
}

static void show_children(const struct rv_inspector *shown, const struct rv_ui_style *style,
                          const struct rv_range_node *nodes)
{
    const struct rv_range_node *call = &nodes[shown->node];
    uint32_t n = MOST_ROWS, end = n + MOST_ROWS;
    char amount[48];
    double whole_ns = call->total_ns ? (double)call->total_ns : 1.0;
    rv_imgui_gap(4.0f);
    rv_imgui_text(RV_IMGUI_FONT_BOLD, style->text_strong, call->first_child ? "Its time" : "Called nothing");
    (void)snprintf(amount, sizeof amount, "self  %.1f %%", 100.0 * (double)call->self_ns / whole_ns);
    rv_imgui_push_id(n++);
    show_subroutine(shown, call->id, style->text_strong, amount);
    rv_imgui_pop_id();
    for (uint32_t at = call->first_child; at && n < end; at = nodes[at].next) {
        (void)snprintf(amount, sizeof amount, "%" PRIu64 "x  %.1f %%", nodes[at].n_calls,
                       100.0 * (double)nodes[at].total_ns / whole_ns);
        rv_imgui_push_id(n++);
        show_subroutine(shown, nodes[at].id, style->text, amount);
        rv_imgui_pop_id();
    }
}

bool rv_inspector_leaves_legend(float room, float legend_height)
{
    return room - legend_height >= NUMBERS_HEIGHT;
}

/* At most two lines of the name; all of it on a touch. */
static void show_title(const struct rv_inspector *shown, const struct rv_ui_style *style)
{
    char title[NAME_BYTES];
    const enum rv_imgui_font font = RV_IMGUI_FONT_BOLD;
    const struct rv_short_name_room room = {TITLE_LINES * rv_imgui_room(), rv_imgui_measure, rv_cluster_next, &font};
    if (!rv_short_name_fit_folded(shown->title, &room, title, sizeof title))
        title[0] = '\0';
    rv_imgui_text_wrapped(font, style->text_strong, title);
    if (rv_imgui_is_hovered() && strcmp(title, shown->title) != 0)
        rv_imgui_tooltip(shown->title);
}

void rv_inspector_show(struct rv_ui *ui, const struct rv_inspector *shown, struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    struct rv_imgui_area area = rv_ui_dock(ui, RV_UI_RIGHT, HEIGHT);
    rv_imgui_panel_begin("inspector", area, RV_IMGUI_PANEL_SCROLLS);
    show_title(shown, style);
    for (size_t i = 0; i < shown->n_lines; i++)
        show_line(style, &shown->lines[i]);
    show_buttons(shown, acts);
    if (shown->traced)
        show_tracing(style, shown, acts);
    if (shown->range && shown->node) {
        size_t n;
        const struct rv_range_node *nodes = rv_range_statistics_nodes(shown->range, &n);
        show_callers(shown, style, nodes);
        show_children(shown, style, nodes);
    }
    rv_imgui_panel_end();
}
