#include "ui/settings_panel.h"

#include <stdio.h>

#define WIDTH 330.0f
#define HEIGHT 440.0f
#define LABEL_WIDTH 110.0f
#define N_SCALES 6

static const unsigned PERCENTS[N_SCALES] = {75, 100, 125, 150, 200, 300};

unsigned rv_settings_panel_next_scale(unsigned percent)
{
    size_t i = 0;
    while (i < N_SCALES && PERCENTS[i] <= percent)
        i++;
    return PERCENTS[i % N_SCALES];
}

static void ask(struct rv_ui_acts *acts, enum rv_action action, uint32_t idx)
{
    rv_ui_act(acts, &(struct rv_act){.action = action, .idx = idx});
}

/* A label and a choice next to it. True when changed. */
static bool choose(const struct rv_ui_style *style, const char *label, const char *const *names, int n, int *chosen)
{
    char id[64];
    snprintf(id, sizeof id, "##%s", label);
    rv_imgui_label(label, style->text);
    rv_imgui_same_line(LABEL_WIDTH - rv_imgui_text_width(RV_IMGUI_FONT_TEXT, label));
    return rv_imgui_choice(id, rv_imgui_room(), names, n, chosen);
}

static void show_arcs(const struct rv_ui_style *style, const struct rv_settings_panel *shown, struct rv_ui_acts *acts)
{
    rv_imgui_gap(2.0f);
    rv_imgui_label("Arcs of", style->text);
    for (unsigned i = 0; i < shown->n_arcs; i++) {
        bool is_shown = !(shown->arcs_left_out & 1u << i);
        if (rv_imgui_check(shown->arcs[i], &is_shown))
            ask(acts, RV_ACTION_ARC_KIND, i);
    }
}

void rv_settings_panel_show(struct rv_ui *ui, const struct rv_settings_panel *shown, struct rv_ui_acts *acts)
{
    static const char *const scales[N_SCALES] = {"75 %", "100 %", "125 %", "150 %", "200 %", "300 %"};
    const struct rv_ui_style *style = rv_ui_style(ui);
    const char *themes[RV_COLOR_THEME_COUNT];
    int theme = (int)shown->theme, scheme = (int)shown->scheme, scale = -1;
    bool has_legend = shown->has_legend, has_minimap = shown->has_minimap;
    bool has_lock_lanes = shown->has_lock_lanes;
    for (int i = 0; i < RV_COLOR_THEME_COUNT; i++)
        themes[i] = rv_color_theme_name((enum rv_color_theme)i);
    for (int i = 0; i < N_SCALES; i++)
        scale = PERCENTS[i] == shown->scale_percent ? i : scale;
    rv_imgui_panel_begin("settings", rv_ui_center(ui, WIDTH, HEIGHT), RV_IMGUI_PANEL_FIRST | RV_IMGUI_PANEL_SCROLLS);
    rv_imgui_text(RV_IMGUI_FONT_BOLD, style->text_strong, "Settings");
    rv_imgui_gap(4.0f);
    if (choose(style, "Theme", themes, RV_COLOR_THEME_COUNT, &theme))
        ask(acts, RV_ACTION_THEME, (uint32_t)theme + 1);
    if (choose(style, "Size", scales, N_SCALES, &scale))
        ask(acts, RV_ACTION_SCALE, PERCENTS[scale]);
    if (choose(style, "Colours by", shown->schemes, (int)shown->n_schemes, &scheme))
        ask(acts, RV_ACTION_SCHEME, (uint32_t)scheme + 1);
    if (rv_imgui_check("Legend", &has_legend))
        ask(acts, RV_ACTION_LEGEND, 0);
    if (rv_imgui_check("Minimap", &has_minimap))
        ask(acts, RV_ACTION_MINIMAP, 0);
    if (rv_imgui_check("Lanes of locks", &has_lock_lanes))
        ask(acts, RV_ACTION_LOCK_LANES, 0);
    show_arcs(style, shown, acts);
    rv_imgui_gap(2.0f);
    rv_imgui_text_wrapped(RV_IMGUI_FONT_SMALL, style->text_faint, shown->path ? shown->path : "not saved");
    rv_imgui_panel_end();
}
