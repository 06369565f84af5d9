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
#define SCROLLBAR_ROOM 12.0f
#define NAME_BYTES 512

void rv_flame_graph_state_fini(struct rv_flame_graph_state *state)
{
    free(state->bars);
    *state = (struct rv_flame_graph_state){0};
}

struct flame {
    const struct rv_flame_graph *shown;
    const struct rv_range_node *nodes;
    struct rv_imgui_area area; /* area of all rows, including invisible ones */
    double points_per_ns;
    float mouse[2];
    uint32_t hovered;
};

/* Siblings are sorted by falling total: stop at the first that is too narrow. */
static void add_bars(struct rv_flame_graph_state *state, const struct rv_range_node *nodes,
                     const struct rv_flame_bar *caller, uint64_t least_ns)
{
    uint64_t from_ns = caller->from_ns;
    uint32_t row = caller->node ? caller->row + 1 : 0;
    for (uint32_t i = nodes[caller->node].first_child; i && nodes[i].total_ns >= least_ns; i = nodes[i].next) {
        state->bars = rv_vec_reserve(state->bars, &state->capacity, state->n_bars + 1, sizeof *state->bars);
        state->bars[state->n_bars++] = (struct rv_flame_bar){i, row, from_ns};
        from_ns += nodes[i].total_ns;
    }
}

/* Row by row rather than recursively, for any depth. */
static void make_bars(struct rv_flame_graph_state *state, const struct rv_range_node *nodes, float width)
{
    uint64_t least_ns = (uint64_t)ceil((double)FLAME_MIN * (double)nodes[0].total_ns / (double)width);
    state->n_bars = 0;
    state->width = width;
    add_bars(state, nodes, &(struct rv_flame_bar){0}, least_ns);
    for (size_t i = 0; i < state->n_bars; i++) {
        struct rv_flame_bar caller = state->bars[i];
        add_bars(state, nodes, &caller, least_ns);
    }
}

static uint32_t ink_on(uint32_t rgba)
{
    struct rv_color ink = rv_color_ink(
        (struct rv_color){(uint8_t)(rgba >> 24), (uint8_t)(rgba >> 16 & 0xffu), (uint8_t)(rgba >> 8 & 0xffu)});
    return (uint32_t)ink.r << 24 | (uint32_t)ink.g << 16 | (uint32_t)ink.b << 8 | 0xffu;
}

static void draw_bar(struct flame *flame, const struct rv_flame_bar *bar)
{
    const struct rv_range_node *node = &flame->nodes[bar->node];
    uint32_t rgba = flame->shown->rgba(flame->shown->context, node->id);
    float x = flame->area.x + (float)((double)bar->from_ns * flame->points_per_ns);
    float y = flame->area.y + FLAME_ROW * (float)bar->row;
    struct rv_imgui_area box = {x, y, (float)((double)node->total_ns * flame->points_per_ns) - 1.0f, FLAME_ROW - 1.0f};
    char full[NAME_BYTES], name[NAME_BYTES];
    rv_imgui_draw_box(box, 2.0f, rgba);
    if (box.width > FLAME_TEXT_MIN) {
        rv_ui_fit_name(RV_IMGUI_FONT_SMALL,
                       rv_subroutines_name_of(flame->shown->subroutines, node->id, full, sizeof full),
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
                   rv_subroutines_name_of(flame->shown->subroutines, node->id, name, sizeof name), total,
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

static void draw_bars_in_sight(struct flame *flame, const struct rv_flame_graph_state *state,
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

void rv_flame_graph_show(struct rv_ui *ui, const struct rv_flame_graph *shown, struct rv_flame_graph_state *state,
                         float height)
{
    struct flame flame = {.shown = shown, .nodes = shown->nodes};
    float width = rv_imgui_room() - SCROLLBAR_ROOM;
    if (flame.nodes[0].total_ns == 0 || width <= 0.0f)
        return;
    if (state->width != width)
        make_bars(state, flame.nodes, width);
    if (state->n_bars == 0)
        return;
    rv_imgui_child_begin("flame", 0.0f, height);
    rv_imgui_touch("paths", width, FLAME_ROW * (float)(state->bars[state->n_bars - 1].row + 1), &flame.area);
    flame.points_per_ns = (double)width / (double)flame.nodes[0].total_ns;
    rv_imgui_mouse_at(flame.mouse);
    bool is_hovered = rv_imgui_is_hovered();
    draw_bars_in_sight(&flame, state, rv_ui_style(ui));
    if (is_hovered && flame.hovered)
        show_node(&flame);
    rv_imgui_child_end();
}
