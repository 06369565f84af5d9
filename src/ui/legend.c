#include "ui/legend.h"

#include <math.h>
#include <stdio.h>

#define PADDING_X 12.0f
#define PADDING_Y 9.0f
#define HEAD_HEIGHT 24.0f
#define ROW_HEIGHT 21.0f
#define LINE_HEIGHT 7.0f
#define SWATCH 12.0f
#define NAME_X 20.0f
#define BAR_WIDTH 34.0f
#define BAR_HEIGHT 4.0f
#define SHARE_WIDTH 44.0f
#define STRIPE_RGBA 0x0a0e1690u
#define NAME_ROOM_BYTES (RV_LEGEND_NAME_BYTES + 4u)

struct row_place {
    float x, y, width;
};

/* Shortened from the left: the end of a package's name tells more. */
static void fit_name(const char *name, float width, char out[NAME_ROOM_BYTES])
{
    snprintf(out, NAME_ROOM_BYTES, "%s", name);
    while (*name && rv_imgui_text_width(RV_IMGUI_FONT_TEXT, out) > width) {
        do
            name++;
        while (((unsigned char)*name & 0xC0) == 0x80);
        snprintf(out, NAME_ROOM_BYTES, "…%s", name);
    }
}

static void add_swatch(const struct rv_legend_row *row, float x, float y)
{
    rv_imgui_draw_box((struct rv_imgui_area){x, y, SWATCH, SWATCH}, 3.0f, row->rgba);
    for (int i = 0; row->is_striped && i < 2; i++)
        rv_imgui_draw_box((struct rv_imgui_area){x + 2.0f + 5.0f * (float)i, y, 2.0f, SWATCH}, 0.0f, STRIPE_RGBA);
}

/* The longest bar is the largest share's. */
static void add_row(const struct rv_ui_style *style, const struct rv_legend_row *row, struct row_place at,
                    double largest)
{
    char name[NAME_ROOM_BYTES], share[16];
    bool has_share = row->share >= 0.0;
    float share_x = at.x + at.width - SHARE_WIDTH, bar_x = share_x - BAR_WIDTH;
    fit_name(row->name, (has_share ? bar_x - 6.0f : at.x + at.width) - at.x - NAME_X, name);
    add_swatch(row, at.x, at.y + 2.0f);
    rv_imgui_draw_text((float[2]){at.x + NAME_X, at.y}, RV_IMGUI_FONT_TEXT, style->text_strong, name);
    if (!has_share)
        return;
    float bar = fmaxf(1.0f, floorf(BAR_WIDTH * (float)(largest > 0.0 ? row->share / largest : 0.0)));
    rv_imgui_draw_box((struct rv_imgui_area){bar_x, at.y + 6.0f, bar, BAR_HEIGHT}, 0.0f, row->rgba);
    snprintf(share, sizeof share, "%.1f%%", row->share * 100.0);
    float x = at.x + at.width - rv_imgui_text_width(RV_IMGUI_FONT_TEXT, share);
    rv_imgui_draw_text((float[2]){floorf(x), at.y}, RV_IMGUI_FONT_TEXT, style->text, share);
}

void rv_legend_show(struct rv_ui *ui, const struct rv_legend *shown)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    float line = shown->n_states && shown->n_rows ? LINE_HEIGHT : 0.0f;
    float rows = ROW_HEIGHT * (float)(shown->n_rows + shown->n_states);
    struct rv_imgui_area area = rv_ui_dock(ui, RV_UI_RIGHT, 2.0f * PADDING_Y + HEAD_HEIGHT + rows + line);
    struct row_place at = {area.x + PADDING_X, area.y + PADDING_Y, area.width - 2.0f * PADDING_X};
    rv_imgui_panel_begin("legend", area, 0);
    rv_imgui_draw_text((float[2]){at.x, at.y}, RV_IMGUI_FONT_BOLD, style->text_strong, shown->title);
    float unit_x = at.x + at.width - rv_imgui_text_width(RV_IMGUI_FONT_SMALL, shown->unit);
    rv_imgui_draw_text((float[2]){floorf(unit_x), at.y + 1.0f}, RV_IMGUI_FONT_SMALL, style->text_faint, shown->unit);
    at.y += HEAD_HEIGHT;
    for (size_t i = 0; i < shown->n_rows; i++, at.y += ROW_HEIGHT)
        add_row(style, &shown->rows[i], at, shown->rows[0].share);
    if (line > 0.0f)
        rv_imgui_draw_box((struct rv_imgui_area){at.x, at.y, at.width, 1.0f}, 0.0f, style->line);
    at.y += line;
    for (size_t i = 0; i < shown->n_states; i++, at.y += ROW_HEIGHT)
        add_row(style, &shown->states[i], at, shown->n_rows ? shown->rows[0].share : 1.0);
    rv_imgui_panel_end();
}
