#include "ui/flame_graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "base/vec.h"
#include "model/color.h"

#define FLAME_ROW 17.0f
#define FLAME_MIN 2.0f /* points below which a path is not drawn */
#define FLAME_TEXT_MIN 28.0f
#define FLAME_PADDING 4.0f
#define CALLERS_IN_SIGHT 2.0f /* of the focus, with itself */
#define SCROLLBAR_ROOM 12.0f
#define NAME_BYTES 512
#define HEAD_HEIGHT 24.0f

void rv_flame_graph_state_fini(struct rv_flame_graph_state *state)
{
    free(state->bars);
    *state = (struct rv_flame_graph_state){0};
}

struct flame {
    const struct rv_flame_graph *shown;
    const struct rv_ui_style *style;
    const struct rv_range_node *nodes;
    struct rv_imgui_area area; /* area of all rows, including invisible ones */
    double points_per_ns;
    float mouse[2];
    uint32_t hovered;
};

static void add_bar(struct rv_flame_graph_state *state, const struct rv_flame_bar *bar)
{
    state->bars = rv_vec_reserve(state->bars, &state->capacity, state->n_bars + 1, sizeof *state->bars);
    state->bars[state->n_bars++] = *bar;
    state->n_rows = bar->row >= state->n_rows ? bar->row + (size_t)1 : state->n_rows;
}

/* Siblings are sorted by falling total: stop at the first that is too narrow. */
static void add_callees(struct rv_flame_graph_state *state, const struct rv_range_node *nodes,
                        const struct rv_flame_bar *caller, uint64_t least_ns)
{
    uint64_t from_ns = caller->from_ns;
    uint32_t row = caller->node ? caller->row + 1 : 0;
    for (uint32_t i = nodes[caller->node].first_child; i && nodes[i].total_ns >= least_ns; i = nodes[i].next) {
        add_bar(state, &(struct rv_flame_bar){i, row, from_ns, nodes[i].total_ns});
        from_ns += nodes[i].total_ns;
    }
}

static uint32_t depth_of(const struct rv_range_node *nodes, uint32_t node)
{
    uint32_t depth = 0;
    for (uint32_t at = node; at; at = nodes[at].parent)
        depth++;
    return depth;
}

/* The focus and its callers, over the full width: rows from the bottom up. Returns the number of callers. */
static size_t add_focus(struct rv_flame_graph_state *state, const struct rv_range_node *nodes)
{
    uint32_t depth = depth_of(nodes, state->focus), row = depth;
    for (uint32_t at = state->focus; at; at = nodes[at].parent)
        add_bar(state, &(struct rv_flame_bar){at, --row, 0, nodes[state->focus].total_ns});
    return depth ? depth - 1 : 0;
}

/* Row by row rather than recursively, for any depth. */
static void make_bars(struct rv_flame_graph_state *state, const struct rv_flame_graph *shown, float width)
{
    const struct rv_range_node *nodes = shown->nodes;
    uint64_t least_ns = (uint64_t)ceil((double)FLAME_MIN * (double)nodes[shown->focus].total_ns / (double)width);
    state->n_bars = state->n_rows = 0;
    state->width = width;
    state->focus = shown->focus;
    state->version = shown->version;
    size_t n_callers = add_focus(state, nodes);
    if (!state->focus)
        add_callees(state, nodes, &(struct rv_flame_bar){0}, least_ns);
    for (size_t i = 0; i < state->n_bars; i++) {
        struct rv_flame_bar caller = state->bars[i];
        if (i == 0 || i > n_callers)
            add_callees(state, nodes, &caller, least_ns);
    }
}

static uint32_t ink_on(uint32_t rgba)
{
    struct rv_color ink = rv_color_ink(
        (struct rv_color){(uint8_t)(rgba >> 24), (uint8_t)(rgba >> 16 & 0xffu), (uint8_t)(rgba >> 8 & 0xffu)});
    return (uint32_t)ink.r << 24 | (uint32_t)ink.g << 16 | (uint32_t)ink.b << 8 | 0xffu;
}

/* What a search has not found is grey. */
static uint32_t color_of(const struct flame *flame, uint32_t id)
{
    const struct rv_flame_graph *shown = flame->shown;
    bool is_found = !shown->found || rv_name_set_has(shown->found, id);
    return is_found ? shown->rgba(shown->context, id) : flame->style->plate_pressed;
}

/* The name stands in the larger part of the two. */
static void draw_name(const struct flame *flame, uint32_t id, struct rv_imgui_area part, uint32_t ink)
{
    char full[NAME_BYTES], name[NAME_BYTES];
    if (part.width <= FLAME_TEXT_MIN)
        return;
    rv_ui_fit_name(RV_IMGUI_FONT_SMALL, rv_subroutines_name_of(flame->shown->subroutines, id, full, sizeof full),
                   part.width - 2.0f * FLAME_PADDING, name, sizeof name);
    rv_imgui_draw_text((float[2]){floorf(part.x + FLAME_PADDING), part.y + 1.0f}, RV_IMGUI_FONT_SMALL, ink, name);
}

/* What was not on the CPU is hollow, at the right. */
static void draw_box(const struct flame *flame, const struct rv_range_node *node, struct rv_imgui_area box)
{
    const uint32_t rgba = color_of(flame, node->id);
    const double share = node->total_ns ? (double)node->off_ns / (double)node->total_ns : 0.0;
    struct rv_imgui_area solid = box, hollow = box;
    hollow.width = (float)(share * (double)box.width);
    hollow.x += solid.width -= hollow.width;
    rv_imgui_draw_box(box, 2.0f, hollow.width > 1.0f ? flame->style->plate : rgba);
    if (hollow.width > 1.0f) {
        rv_imgui_draw_box(solid, 2.0f, rgba);
        rv_imgui_draw_frame(box, 2.0f, rgba, 1.0f);
    }
    if (solid.width >= hollow.width)
        draw_name(flame, node->id, solid, ink_on(rgba));
    else
        draw_name(flame, node->id, hollow, flame->style->text_strong);
}

static void draw_bar(struct flame *flame, const struct rv_flame_bar *bar)
{
    const struct rv_range_node *node = &flame->nodes[bar->node];
    float x = flame->area.x + (float)((double)bar->from_ns * flame->points_per_ns);
    float y = flame->area.y + FLAME_ROW * (float)bar->row;
    struct rv_imgui_area box = {x, y, (float)((double)bar->length_ns * flame->points_per_ns) - 1.0f, FLAME_ROW - 1.0f};
    draw_box(flame, node, box);
    if (flame->shown->has_chosen && node->id == flame->shown->chosen)
        rv_imgui_draw_frame(box, 2.0f, flame->style->text_strong, 1.0f);
    if (flame->mouse[0] >= box.x && flame->mouse[0] < box.x + box.width && flame->mouse[1] >= y &&
        flame->mouse[1] < y + FLAME_ROW)
        flame->hovered = bar->node;
}

static void show_node(const struct flame *flame)
{
    const struct rv_range_node *node = &flame->nodes[flame->hovered];
    char text[NAME_BYTES + 200], name[NAME_BYTES], total[32], self[32], off[32], not_run[64] = "";
    rv_units_format_ns(total, sizeof total, node->total_ns);
    rv_units_format_ns(self, sizeof self, node->self_ns);
    rv_units_format_ns(off, sizeof off, node->off_ns);
    if (node->off_ns)
        (void)snprintf(not_run, sizeof not_run, "\noff the CPU %s (%.1f %%)", off,
                       100.0 * (double)node->off_ns / (double)node->total_ns);
    (void)snprintf(text, sizeof text, "%s\ntotal %s (%.1f %%), self %s, %" PRIu64 " call%s%s",
                   rv_subroutines_name_of(flame->shown->subroutines, node->id, name, sizeof name), total,
                   100.0 * (double)node->total_ns / (double)flame->nodes[0].total_ns, self, node->n_calls,
                   rv_units_word(node->n_calls, "", "s"), not_run);
    rv_imgui_tooltip(text);
}

/* Drawn over the lower edge of the visible part. */
static void show_rows_below(const struct rv_ui_style *style, const struct rv_imgui_area *view, size_t n_below)
{
    char text[48];
    (void)snprintf(text, sizeof text, "%zu more row%s below", n_below, rv_units_word(n_below, "", "s"));
    float width = rv_imgui_text_width(RV_IMGUI_FONT_SMALL, text) + 2.0f * FLAME_PADDING;
    struct rv_imgui_area plate = {floorf(view->x + view->width - width), floorf(view->y + view->height - FLAME_ROW),
                                  width, FLAME_ROW};
    rv_imgui_draw_box(plate, 3.0f, style->bar);
    rv_imgui_draw_text((float[2]){plate.x + FLAME_PADDING, plate.y + 1.0f}, RV_IMGUI_FONT_SMALL, style->text_strong,
                       text);
}

static void draw_bars_in_sight(struct flame *flame, const struct rv_flame_graph_state *state)
{
    float above, height;
    rv_imgui_scrolled(&above, &height);
    size_t first = (size_t)(above / FLAME_ROW), end = (size_t)((above + height) / FLAME_ROW + 0.5f);
    for (size_t i = 0; i < state->n_bars; i++)
        if (state->bars[i].row >= first && state->bars[i].row <= end)
            draw_bar(flame, &state->bars[i]);
    struct rv_imgui_area view = {flame->area.x, flame->area.y + above, flame->area.width, height};
    if (end < state->n_rows)
        show_rows_below(flame->style, &view, state->n_rows - end);
}

/* ---- the focus and the search ---- */

static uint32_t after(const struct rv_range_node *nodes, uint32_t node, uint32_t root)
{
    while (node != root && !nodes[node].next)
        node = nodes[node].parent;
    return node == root ? 0 : nodes[node].next;
}

/* The time in the focus of what the search has found; what is in a found path is not counted again. */
static uint64_t found_ns(const struct rv_flame_graph *shown)
{
    const struct rv_range_node *nodes = shown->nodes;
    uint64_t total_ns = 0;
    uint32_t root = shown->focus, node = root ? root : nodes[0].first_child;
    while (node) {
        bool is_found = rv_name_set_has(shown->found, nodes[node].id);
        total_ns += is_found ? nodes[node].total_ns : 0;
        node = !is_found && nodes[node].first_child ? nodes[node].first_child : after(nodes, node, root);
    }
    return total_ns;
}

static void measure_found(struct rv_flame_graph_state *state, const struct rv_flame_graph *shown)
{
    uint64_t generation = shown->found ? rv_name_set_generation(shown->found) + 1 : 0;
    if (shown->found && (generation != state->generation || state->width == 0.0f))
        state->found_ns = found_ns(shown);
    state->generation = generation;
}

static double share_of(uint64_t part_ns, uint64_t whole_ns)
{
    return whole_ns ? 100.0 * (double)part_ns / (double)whole_ns : 0.0;
}

static void show_focus(const struct rv_flame_graph *shown, const struct rv_ui_style *style, struct rv_ui_acts *acts)
{
    char text[64];
    if (rv_imgui_button("Back", 0.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_UNFOCUS_NODE});
    rv_imgui_same_line(4.0f);
    if (rv_imgui_button("All", 0.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_FOCUS_NODE});
    rv_imgui_same_line(8.0f);
    (void)snprintf(text, sizeof text, "%.1f %% of all",
                   share_of(shown->nodes[shown->focus].total_ns, shown->nodes[0].total_ns));
    rv_imgui_label(text, style->text);
    rv_imgui_same_line(16.0f);
}

/* Returns its height. */
static float show_head(const struct rv_flame_graph *shown, const struct rv_flame_graph_state *state,
                       const struct rv_ui_style *style, struct rv_ui_acts *acts)
{
    char text[64] = "";
    if (!shown->focus && !shown->found)
        return 0.0f;
    if (shown->focus)
        show_focus(shown, style, acts);
    if (shown->found)
        (void)snprintf(text, sizeof text, "found: %.1f %%",
                       share_of(state->found_ns, shown->nodes[shown->focus].total_ns));
    rv_imgui_label(text, style->text_strong);
    return HEAD_HEIGHT;
}

/* ---- the whole ---- */

static void show_bars(const struct rv_flame_graph *shown, const struct rv_flame_graph_state *state,
                      const struct rv_ui_style *style, struct rv_ui_acts *acts)
{
    struct flame flame = {.shown = shown, .style = style, .nodes = shown->nodes};
    rv_imgui_touch("paths", state->width, FLAME_ROW * (float)state->n_rows, &flame.area);
    flame.points_per_ns = (double)state->width / (double)flame.nodes[state->focus].total_ns;
    rv_imgui_mouse_at(flame.mouse);
    bool is_hovered = rv_imgui_is_hovered(), is_clicked = rv_imgui_is_clicked(0);
    draw_bars_in_sight(&flame, state);
    if (is_hovered && flame.hovered)
        show_node(&flame);
    if (is_clicked && flame.hovered)
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_FOCUS_NODE, .idx = flame.hovered});
}

void rv_flame_graph_show(struct rv_ui *ui, const struct rv_flame_graph *shown, struct rv_flame_graph_state *state,
                         struct rv_ui_acts *acts, float height)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    float width = rv_imgui_room() - SCROLLBAR_ROOM;
    if (shown->nodes[shown->focus].total_ns == 0 || width <= 0.0f)
        return;
    bool is_moved = state->focus != shown->focus;
    if (state->version != shown->version || is_moved)
        state->width = 0.0f;
    measure_found(state, shown);
    if (state->width != width)
        make_bars(state, shown, width);
    if (state->n_bars == 0)
        return;
    height -= show_head(shown, state, style, acts);
    rv_imgui_child_begin("flame", 0.0f, height);
    if (is_moved)
        rv_imgui_scroll_to(FLAME_ROW * fmaxf((float)depth_of(shown->nodes, shown->focus) - CALLERS_IN_SIGHT, 0.0f));
    show_bars(shown, state, style, acts);
    rv_imgui_child_end();
}
