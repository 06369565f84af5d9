#include "ui/legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "glyphs/clusters.h"

#define PADDING_X 12.0f
#define PADDING_Y 9.0f
#define HEAD_HEIGHT 24.0f
#define ROW_HEIGHT 21.0f
#define LINE_HEIGHT 7.0f
#define SWATCH 12.0f
#define LOW 4.0f /* sample of walls that are low */
#define NAME_X 20.0f
#define BAR_WIDTH 34.0f
#define BAR_HEIGHT 4.0f
#define SHARE_WIDTH 44.0f
#define ALL 0.9995 /* from this share on, print no decimals for lack of room */
#define SCROLL_BAR_WIDTH 9.0f
#define PANEL_PADDING 10.0f /* below what a panel has in it */
#define STRIPE_RGBA 0x0a0e1690u

struct row_place {
    float x, y, width;
    float panel_x, panel_y;
};

static void add_swatch(const struct rv_legend_row *row, float x, float y)
{
    const float height = row->form == RV_LEGEND_LOW ? LOW : SWATCH;
    const struct rv_imgui_area area = {x, y + SWATCH - height, SWATCH, height};
    if (row->form == RV_LEGEND_HOLLOW) {
        rv_imgui_draw_frame(area, 1.0f, row->rgba, 1.5f);
        return;
    }
    rv_imgui_draw_box(area, row->form == RV_LEGEND_LOW ? 1.0f : 3.0f, row->rgba);
    for (int i = 0; row->form == RV_LEGEND_STRIPED && i < 2; i++)
        rv_imgui_draw_box((struct rv_imgui_area){x + 2.0f + 5.0f * (float)i, y, 2.0f, SWATCH}, 0.0f, STRIPE_RGBA);
}

/* One package alone takes the place of another. */
static void drop_others(const struct rv_legend *shown, const struct rv_legend_row *row, struct rv_ui_acts *acts)
{
    for (size_t i = 0; i < shown->n_rows; i++)
        if (&shown->rows[i] != row && shown->rows[i].only_idx >= 0)
            rv_ui_act(acts,
                      &(struct rv_act){.action = RV_ACTION_REMOVE_RULE, .idx = (uint32_t)shown->rows[i].only_idx});
}

/* A rule that is there goes, one that is not comes. */
static void ask_for(const char *rule, int rule_idx, struct rv_ui_acts *acts)
{
    if (rule_idx >= 0)
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_REMOVE_RULE, .idx = (uint32_t)rule_idx});
    else
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_LET, .text = rule});
}

static void take_clicks(const struct rv_ui_style *style, const struct rv_legend *shown, size_t number,
                        struct row_place at, struct rv_ui_acts *acts)
{
    const struct rv_legend_row *row = &shown->rows[number];
    struct rv_imgui_area area;
    if (!row->only[0])
        return;
    rv_imgui_push_id((uint32_t)number);
    rv_imgui_at(at.x - at.panel_x - 5.0f, at.y - at.panel_y - 2.0f);
    rv_imgui_touch("row", at.width + 10.0f, ROW_HEIGHT - 1.0f, &area);
    bool is_right = rv_imgui_is_clicked(1), is_left = rv_imgui_is_clicked(0);
    bool has_rule = row->only_idx >= 0 || row->without_idx >= 0;
    if (rv_imgui_is_hovered() || has_rule)
        rv_imgui_draw_box(area, 4.0f, has_rule ? style->plate_pressed : style->plate_hovered);
    if (is_right || (is_left && rv_imgui_has_shift())) {
        ask_for(row->without, row->without_idx, acts);
    } else if (is_left) {
        drop_others(shown, row, acts);
        ask_for(row->only, row->only_idx, acts);
    }
    rv_imgui_pop_id();
}

/* For a name: a share is behind it, or not. */
static struct rv_short_name_room room_of(const struct row_place *at, bool has_share)
{
    static const enum rv_imgui_font font = RV_IMGUI_FONT_TEXT;
    const float width = at->width - NAME_X - (has_share ? SHARE_WIDTH + BAR_WIDTH + 6.0f : 0.0f);
    return (struct rv_short_name_room){width, rv_imgui_measure, rv_cluster_next, &font};
}

/* Bars are relative to the largest package; the row of all others may be longer. */
static void add_row(const struct rv_ui_style *style, const struct rv_legend_row *row, const char *name,
                    struct row_place at, double largest)
{
    char share[16];
    bool has_share = row->share >= 0.0;
    float share_x = at.x + at.width - SHARE_WIDTH, bar_x = share_x - BAR_WIDTH;
    add_swatch(row, at.x, at.y + 2.0f);
    rv_imgui_draw_text((float[2]){at.x + NAME_X, at.y}, RV_IMGUI_FONT_TEXT, style->text_strong, name);
    if (!has_share)
        return;
    double of_largest = largest > 0.0 ? fmin(row->share / largest, 1.0) : 0.0;
    float bar = fmaxf(1.0f, floorf(BAR_WIDTH * (float)of_largest));
    rv_imgui_draw_box((struct rv_imgui_area){bar_x, at.y + 6.0f, bar, BAR_HEIGHT}, 0.0f, row->rgba);
    snprintf(share, sizeof share, "%.*f%%", row->share < ALL ? 1 : 0, row->share * 100.0);
    float x = at.x + at.width - rv_imgui_text_width(RV_IMGUI_FONT_TEXT, share);
    rv_imgui_draw_text((float[2]){floorf(x), at.y}, RV_IMGUI_FONT_TEXT, style->text, share);
}

bool rv_legend_has_rules(const struct rv_legend *shown)
{
    bool has_one = false;
    for (size_t i = 0; i < shown->n_rows; i++)
        has_one |= (shown->rows[i].only[0] && shown->rows[i].only_idx >= 0) ||
                   (shown->rows[i].without[0] && shown->rows[i].without_idx >= 0);
    return has_one;
}

/* Between packages and states. */
static float line_height(const struct rv_legend *shown)
{
    return shown->n_states && shown->n_rows ? LINE_HEIGHT : 0.0f;
}

float rv_legend_height(const struct rv_legend *shown)
{
    const float rows = ROW_HEIGHT * (float)(shown->n_rows + shown->n_states);
    return 2.0f * PADDING_Y + HEAD_HEIGHT + rows + line_height(shown);
}

void rv_legend_show(struct rv_ui *ui, const struct rv_legend *shown, struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    const float line = line_height(shown);
    struct rv_imgui_area area = rv_ui_dock(ui, RV_UI_RIGHT, rv_legend_height(shown));
    const float bar_width = area.height < floorf(rv_legend_height(shown)) ? SCROLL_BAR_WIDTH : 0.0f;
    struct row_place at = {area.x + PADDING_X, area.y + PADDING_Y, area.width - 2.0f * PADDING_X - bar_width, area.x,
                           area.y};
    float above, height;
    const char *full[RV_LEGEND_ROWS];
    char names[RV_LEGEND_ROWS][RV_LEGEND_FITTED_BYTES], state[RV_LEGEND_FITTED_BYTES];
    const struct rv_short_name_room room = room_of(&at, shown->n_rows && shown->rows[0].share >= 0.0);
    for (size_t i = 0; i < shown->n_rows; i++)
        full[i] = shown->rows[i].name;
    rv_legend_names_fit(full, shown->n_rows, &room, names);
    rv_imgui_panel_begin("legend", area, RV_IMGUI_PANEL_SCROLLS);
    rv_imgui_scrolled(&above, &height);
    at.y -= above;
    at.panel_y -= above;
    rv_imgui_draw_text((float[2]){at.x, at.y}, RV_IMGUI_FONT_BOLD, style->text_strong, shown->title);
    float unit_x = at.x + at.width - rv_imgui_text_width(RV_IMGUI_FONT_SMALL, shown->unit);
    rv_imgui_draw_text((float[2]){floorf(unit_x), at.y + 1.0f}, RV_IMGUI_FONT_SMALL, style->text_faint, shown->unit);
    at.y += HEAD_HEIGHT;
    for (size_t i = 0; i < shown->n_rows; i++, at.y += ROW_HEIGHT) {
        take_clicks(style, shown, i, at, acts);
        add_row(style, &shown->rows[i], names[i], at, shown->rows[0].share);
    }
    if (line > 0.0f)
        rv_imgui_draw_box((struct rv_imgui_area){at.x, at.y, at.width, 1.0f}, 0.0f, style->line);
    at.y += line;
    for (size_t i = 0; i < shown->n_states; i++, at.y += ROW_HEIGHT) {
        const struct rv_short_name_room state_room = room_of(&at, shown->states[i].share >= 0.0);
        rv_legend_names_cut(shown->states[i].name, &state_room, state);
        add_row(style, &shown->states[i], state, at, shown->n_rows ? shown->rows[0].share : 1.0);
    }
    rv_imgui_at(0.0f, rv_legend_height(shown) - PANEL_PADDING);
    rv_imgui_gap(0.0f); /* the content ends here */
    rv_imgui_panel_end();
}
