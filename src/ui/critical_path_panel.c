#include "ui/critical_path_panel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/units.h"

#define HEAD_HEIGHT 176.0f
#define ROW_HEIGHT 34.0f
#define DETAIL_Y 15.0f
#define FOOT_HEIGHT 64.0f
#define BAR_HEIGHT 10.0f
#define SWATCH 9.0f
#define NAME_X 16.0f
#define GAP 6.0f

static const uint32_t KIND_RGBA[RV_CRITICAL_PATH_PANEL_KINDS] = {0x4fb878ff, 0xff5d6cff, 0x93a1bbff};
static const char *const KIND_NAMES[RV_CRITICAL_PATH_PANEL_KINDS] = {"running", "waiting", "runnable"};

static uint64_t total_ns(const struct rv_critical_path_panel *shown)
{
    uint64_t n_ns = 0;
    for (int i = 0; i < RV_CRITICAL_PATH_PANEL_KINDS; i++)
        n_ns += shown->n_ns[i];
    return n_ns;
}

/* The kinds' shares, one behind the other. */
static void show_bar(const struct rv_critical_path_panel *shown)
{
    struct rv_imgui_area area;
    const double all_ns = fmax((double)total_ns(shown), 1.0);
    rv_imgui_touch("##bar", 0.0f, BAR_HEIGHT, &area);
    float x = area.x;
    for (int i = 0; i < RV_CRITICAL_PATH_PANEL_KINDS; i++) {
        const float width = area.width * (float)((double)shown->n_ns[i] / all_ns);
        rv_imgui_draw_box((struct rv_imgui_area){x, area.y, width, BAR_HEIGHT}, 0.0f, KIND_RGBA[i]);
        x += width;
    }
}

static void show_sums(const struct rv_critical_path_panel *shown, const struct rv_ui_style *style)
{
    char total[32], text[96];
    const double all_ns = fmax((double)total_ns(shown), 1.0);
    rv_units_format_ns(total, sizeof total, total_ns(shown));
    (void)snprintf(text, sizeof text, "%s in all", total);
    rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text, text);
    show_bar(shown);
    for (int i = 0; i < RV_CRITICAL_PATH_PANEL_KINDS; i++) {
        rv_units_format_ns(total, sizeof total, shown->n_ns[i]);
        (void)snprintf(text, sizeof text, "%.1f %%  %s %s", 100.0 * (double)shown->n_ns[i] / all_ns, KIND_NAMES[i],
                       total);
        rv_imgui_text(RV_IMGUI_FONT_SMALL, shown->n_ns[i] ? KIND_RGBA[i] : style->text_faint, text);
    }
}

static void show_row(const struct rv_critical_path_panel_row *row, const struct rv_ui_style *style, uint32_t number,
                     struct rv_ui_acts *acts)
{
    char amount[32];
    struct rv_imgui_area area;
    rv_units_format_ns(amount, sizeof amount, row->n_ns);
    const float amount_width = rv_imgui_text_width(RV_IMGUI_FONT_SMALL, amount);
    rv_imgui_push_id(number);
    rv_imgui_touch("##row", 0.0f, ROW_HEIGHT - GAP, &area);
    if (rv_imgui_is_clicked(0))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_SHOW_PATH_PART, .idx = number});
    if (rv_imgui_is_hovered()) {
        rv_imgui_draw_box(area, 4.0f, style->plate_hovered);
        rv_imgui_tooltip(row->name);
    }
    rv_imgui_draw_box((struct rv_imgui_area){area.x, area.y + 3.0f, SWATCH, SWATCH}, 2.0f, KIND_RGBA[row->kind]);
    rv_imgui_clip((struct rv_imgui_area){area.x, area.y, area.width - amount_width - GAP, ROW_HEIGHT});
    rv_imgui_draw_text((float[2]){area.x + NAME_X, area.y}, RV_IMGUI_FONT_SMALL, style->text_strong, row->name);
    rv_imgui_unclip();
    rv_imgui_clip((struct rv_imgui_area){area.x, area.y, area.width, ROW_HEIGHT});
    rv_imgui_draw_text((float[2]){area.x + NAME_X, area.y + DETAIL_Y}, RV_IMGUI_FONT_SMALL, style->text_faint,
                       row->detail);
    rv_imgui_unclip();
    rv_imgui_draw_text((float[2]){floorf(area.x + area.width - amount_width), area.y}, RV_IMGUI_FONT_SMALL,
                       style->text_strong, amount);
    rv_imgui_pop_id();
}

/* What the path does not know; NULL: nothing. */
static const char *warning_of(const struct rv_critical_path_panel *shown)
{
    if (shown->is_old)
        return "No waits are known: the recording's index has none. --repair=OUT.rvz makes it anew, with waits.";
    if (shown->has_no_waits)
        return "No waits are known.";
    if (shown->has_missed)
        return "Some waits could not be read: it may be another path.";
    return shown->is_cut ? "It begins late: waits before were not kept (--memory), or it has too many steps." : NULL;
}

static void show_found(const struct rv_critical_path_panel *shown, const struct rv_ui_style *style,
                       struct rv_ui_acts *acts)
{
    char text[96];
    show_sums(shown, style);
    rv_imgui_gap(2.0f);
    for (size_t i = 0; i < shown->n_rows; i++)
        show_row(&shown->rows[i], style, (uint32_t)i, acts);
    (void)snprintf(text, sizeof text, "and %zu shorter ones", shown->n_left);
    if (shown->n_left)
        rv_imgui_text(RV_IMGUI_FONT_SMALL, style->text_faint, text);
    if (warning_of(shown))
        rv_imgui_text_wrapped(RV_IMGUI_FONT_SMALL, style->text_warning, warning_of(shown));
}

static void show_progress(const struct rv_critical_path_panel *shown, const struct rv_ui_style *style)
{
    char text[48];
    (void)snprintf(text, sizeof text, "looking for it ... %u %%", shown->percent);
    rv_imgui_text(RV_IMGUI_FONT_SMALL, style->text_faint, text);
}

void rv_critical_path_panel_show(struct rv_ui *ui, const struct rv_critical_path_panel *shown, struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    const struct rv_ui_insets docks = rv_ui_insets(ui);
    const float room = rv_ui_height(ui) - docks.top - docks.bottom;
    const float wanted = HEAD_HEIGHT + ROW_HEIGHT * (float)shown->n_rows + (shown->n_left ? 18.0f : 0.0f) +
                         (shown->is_found && warning_of(shown) ? FOOT_HEIGHT : 0.0f);
    const float height = shown->leaves_half ? fminf(wanted, floorf(0.5f * room)) : wanted;
    rv_imgui_panel_begin("critical path", rv_ui_dock(ui, RV_UI_RIGHT, height), RV_IMGUI_PANEL_SCROLLS);
    rv_imgui_text_wrapped(RV_IMGUI_FONT_BOLD, style->text_strong, shown->title);
    if (shown->is_found)
        show_found(shown, style, acts);
    else
        show_progress(shown, style);
    if (rv_imgui_button("Put out", 0.0f, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_CRITICAL_PATH});
    rv_imgui_panel_end();
}
