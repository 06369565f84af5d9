#include "ui/minimap_panel.h"

#include <math.h>

#define TOP 5.0f
#define BOTTOM 9.0f
#define WINDOW_WIDTH_MIN 4.0f

static double share_of(const struct rv_minimap_panel *shown, uint64_t ns)
{
    double from = (double)shown->first_ns;
    return ((double)ns - from) / ((double)shown->last_ns - from);
}

/* The window in the strip: clamped to a visible width and to the strip. */
static struct rv_imgui_area window_area(const struct rv_minimap_panel *shown, struct rv_imgui_area strip)
{
    float x0 = strip.x + strip.width * (float)fmin(fmax(share_of(shown, shown->from_ns), 0.0), 1.0);
    float x1 = strip.x + strip.width * (float)fmin(fmax(share_of(shown, shown->to_ns), 0.0), 1.0);
    float lack = fmaxf(WINDOW_WIDTH_MIN - (x1 - x0), 0.0f);
    x0 = fmaxf(x0 - 0.5f * lack, strip.x - 1.0f);
    x1 = fminf(x1 + 0.5f * lack, strip.x + strip.width + 1.0f);
    return (struct rv_imgui_area){floorf(x0), strip.y - 2.0f, ceilf(x1 - x0), strip.height + 4.0f};
}

/* The window's middle goes where the mouse is. */
static void ask_for_window(const struct rv_minimap_panel *shown, struct rv_imgui_area strip, struct rv_ui_acts *acts)
{
    float mouse[2];
    rv_imgui_mouse_at(mouse);
    double share = fmin(fmax((double)((mouse[0] - strip.x) / strip.width), 0.0), 1.0);
    uint64_t middle_ns = shown->first_ns + (uint64_t)(share * (double)(shown->last_ns - shown->first_ns));
    uint64_t width_ns = shown->to_ns - shown->from_ns, from_ns = middle_ns - width_ns / 2;
    if (middle_ns < width_ns / 2)
        from_ns = 0;
    if (from_ns != shown->from_ns)
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_SHOW, .from_ns = from_ns, .to_ns = from_ns + width_ns});
}

static void add_marks(const struct rv_minimap_panel *shown, struct rv_imgui_area strip, uint32_t rgba)
{
    for (size_t i = 0; i < shown->n_marks; i++) {
        double share = share_of(shown, shown->marks_ns[i]);
        if (share < 0.0 || share > 1.0)
            continue;
        float x = floorf(strip.x + strip.width * (float)share);
        rv_imgui_draw_box((struct rv_imgui_area){x - 1.0f, strip.y - 4.0f, 3.0f, 4.0f}, 0.0f, rgba);
        rv_imgui_draw_box((struct rv_imgui_area){x, strip.y, 1.0f, strip.height}, 0.0f, rgba);
    }
}

static void add_playhead(const struct rv_minimap_panel *shown, struct rv_imgui_area strip, uint32_t rgba)
{
    double share = shown->timebar && shown->timebar->is_on ? share_of(shown, shown->timebar->at_ns) : -1.0;
    if (share >= 0.0 && share <= 1.0)
        rv_imgui_draw_box(
            (struct rv_imgui_area){floorf(strip.x + strip.width * (float)share), strip.y, 1.0f, strip.height}, 0.0f,
            rgba);
}

/* Parts with hits glow at the bottom of the strip, in proportion to their number. */
static void add_hits(const struct rv_minimap_panel *shown, struct rv_imgui_area strip, uint32_t rgba)
{
    uint32_t most = 1;
    float width = shown->n_hits ? strip.width / (float)shown->n_hits : 0.0f;
    for (size_t i = 0; i < shown->n_hits; i++)
        most = shown->hits[i] > most ? shown->hits[i] : most;
    for (size_t i = 0; i < shown->n_hits; i++) {
        if (shown->hits[i] == 0)
            continue;
        float share = (float)(log2((double)shown->hits[i] + 1.0) / log2((double)most + 1.0));
        float height = 3.0f + floorf(7.0f * share), x = floorf(strip.x + width * (float)i);
        rv_imgui_draw_box((struct rv_imgui_area){x, strip.y + strip.height - height, fmaxf(width, 2.0f), height}, 0.0f,
                          rgba);
    }
}

void rv_minimap_panel_show(struct rv_ui *ui, const struct rv_minimap_panel *shown, struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    struct rv_imgui_area area = rv_ui_dock(ui, RV_UI_BOTTOM, TOP + RV_MINIMAP_PANEL_HEIGHT + BOTTOM), strip;
    rv_imgui_panel_begin("minimap", area, RV_IMGUI_PANEL_BARE);
    bool has_timebar = shown->timebar;
    float height = rv_minimap_panel_height(has_timebar);
    rv_imgui_at(rv_minimap_panel_sides(has_timebar) - RV_MINIMAP_PANEL_EDGE, TOP + RV_MINIMAP_PANEL_HEIGHT - height);
    rv_imgui_touch("strip", area.width - rv_minimap_panel_sides(has_timebar), height, &strip);
    struct rv_imgui_area back = {strip.x - 4.0f, strip.y - 3.0f, strip.width + 8.0f, strip.height + 6.0f};
    rv_imgui_draw_box(back, 3.0f, style->bar);
    if (shown->last_ns > shown->first_ns) {
        struct rv_imgui_area window = window_area(shown, strip);
        rv_imgui_draw_pixels(rv_ui_imgui(ui), strip, &shown->pixels);
        rv_imgui_draw_box(window, 0.0f, style->glass);
        rv_imgui_draw_frame(window, 0.0f, style->accent, 1.0f);
        add_hits(shown, strip, style->accent);
        add_marks(shown, strip, style->text_strong);
        add_playhead(shown, strip, style->accent);
        if (rv_imgui_is_held())
            ask_for_window(shown, strip, acts);
    }
    if (has_timebar)
        rv_timebar_show(style, shown->timebar, &(struct rv_timebar_place){area, strip}, acts);
    rv_imgui_panel_end();
}
