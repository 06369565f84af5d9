#include "ui/topbar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

#define HEIGHT 34.0f
#define TEXT_Y 9.0f /* top of a line of text */
#define EDGE 14.0f
#define GAP 18.0f
#define TAB_WIDTH 76.0f
#define TAB_STEP 82.0f
#define TAB_STEP_SHORT 36.0f /* of a tab without its name */
#define REST_WIDTH 360.0f    /* least room for the program, its state and the drops */
#define TAB_Y 6.0f
#define BUTTON_PADDING 14.0f
#define BUTTON_GAP 4.0f
#define PILL_HEIGHT 15.0f
#define PROGRAM_BYTES 256
#define PROGRAM_LEAVES 620.0f /* points needed by the other items */
#define PROGRAM_WIDTH_MIN 160.0f

struct bar {
    const struct rv_ui_style *style;
    float x, end; /* position of the next text, and begin of the tabs */
};

/* An item that does not fit is omitted, with all later ones. */
static void add(struct bar *bar, enum rv_imgui_font font, uint32_t rgba, const char *text)
{
    float width = rv_imgui_text_width(font, text);
    if (bar->x + width + GAP > bar->end) {
        bar->end = 0.0f;
        return;
    }
    rv_imgui_draw_text((float[2]){floorf(bar->x), TEXT_Y}, font, rgba, text);
    bar->x += width + GAP;
}

/* Its file without folders, cut at the end if it would leave no room for later items. */
static void add_program(struct bar *bar, const char *program)
{
    char fitting[PROGRAM_BYTES];
    const char *slash = strrchr(program, '/'), *file = slash && slash[1] ? slash + 1 : program;
    const float room = fmaxf(bar->end - bar->x - PROGRAM_LEAVES, PROGRAM_WIDTH_MIN);
    size_t n = rv_text_whole(file, strlen(file), sizeof fitting - sizeof "…");
    (void)snprintf(fitting, sizeof fitting, "%.*s%s", (int)n, file, file[n] ? "…" : "");
    while (n > 1 && rv_imgui_text_width(RV_IMGUI_FONT_TEXT, fitting) > room) {
        n = rv_text_whole(file, strlen(file), n - 1);
        (void)snprintf(fitting, sizeof fitting, "%.*s…", (int)n, file);
    }
    add(bar, RV_IMGUI_FONT_TEXT, bar->style->text, fitting);
}

static void add_pill(struct bar *bar, const struct rv_topbar *shown)
{
    const struct rv_ui_style *style = bar->style;
    static const char *const names[] = {"LIVE", "FROZEN", "ENDED", "PLAYING", "PAUSED"};
    const uint32_t plates[] = {style->live, style->frozen, style->ended, style->live, style->frozen};
    const uint32_t texts[] = {style->live_text, style->frozen_text, style->ended_text, style->live_text,
                              style->frozen_text};
    char text[64], behind[32];
    snprintf(text, sizeof text, "%s", names[shown->state]);
    if (shown->behind_ns) {
        rv_units_format_ns(behind, sizeof behind, shown->behind_ns);
        snprintf(text, sizeof text, "%s  %s behind", names[shown->state], behind);
    }
    float width = rv_imgui_text_width(RV_IMGUI_FONT_SMALL, text) + 28.0f, x = floorf(bar->x);
    if (x + width + GAP > bar->end) {
        bar->end = 0.0f;
        return;
    }
    rv_imgui_draw_box((struct rv_imgui_area){x, 10.0f, width, PILL_HEIGHT}, 7.5f, plates[shown->state]);
    rv_imgui_draw_box((struct rv_imgui_area){x + 8.0f, 14.5f, 6.0f, 6.0f}, 3.0f, texts[shown->state]);
    rv_imgui_draw_text((float[2]){x + 19.0f, 11.0f}, RV_IMGUI_FONT_SMALL, texts[shown->state], text);
    bar->x += width + GAP;
}

static struct rv_topbar_fact *add_fact(struct rv_topbar_facts *facts, enum rv_topbar_ink ink)
{
    struct rv_topbar_fact *fact = &facts->items[facts->n++];
    fact->ink = ink;
    return fact;
}

static void add_losses(const struct rv_topbar *shown, struct rv_topbar_facts *facts)
{
    if (shown->n_dropped)
        (void)snprintf(add_fact(facts, RV_TOPBAR_WARNING)->text, RV_TOPBAR_FACT_BYTES, "drops %" PRIu64,
                       shown->n_dropped);
    if (shown->has_lost_history)
        (void)snprintf(add_fact(facts, RV_TOPBAR_WARNING)->text, RV_TOPBAR_FACT_BYTES, "history lost");
}

void rv_topbar_find_facts(const struct rv_topbar *shown, struct rv_topbar_facts *facts)
{
    char lag[32];
    facts->n = 0;
    if (shown->n_stopped)
        (void)snprintf(add_fact(facts, RV_TOPBAR_STOPPED)->text, RV_TOPBAR_FACT_BYTES, "%" PRIu32 " thread%s stopped",
                       shown->n_stopped, rv_units_word(shown->n_stopped, "", "s"));
    add_losses(shown, facts);
    if (shown->events_per_s >= 0.0)
        rv_units_format_rate(add_fact(facts, RV_TOPBAR_PLAIN)->text, RV_TOPBAR_FACT_BYTES, shown->events_per_s,
                             "events");
    if (!shown->n_dropped)
        (void)snprintf(add_fact(facts, RV_TOPBAR_PLAIN)->text, RV_TOPBAR_FACT_BYTES, "drops 0");
    if (shown->lag_ns >= 0.0) {
        rv_units_format_ns(lag, sizeof lag, (uint64_t)shown->lag_ns);
        (void)snprintf(add_fact(facts, RV_TOPBAR_PLAIN)->text, RV_TOPBAR_FACT_BYTES, "lag %s", lag);
    }
    (void)snprintf(add_fact(facts, RV_TOPBAR_PLAIN)->text, RV_TOPBAR_FACT_BYTES,
                   "%" PRIu64 " bars drawn, %" PRIu64 " folded", shown->n_drawn, shown->n_folded);
    if (shown->cpu_share >= 0.0)
        (void)snprintf(add_fact(facts, RV_TOPBAR_FAINT)->text, RV_TOPBAR_FACT_BYTES, "ringviz %.0f %% CPU",
                       shown->cpu_share * 100.0);
}

static void add_facts(struct bar *bar, const struct rv_topbar *shown)
{
    const struct rv_ui_style *style = bar->style;
    const uint32_t inks[] = {style->accent, style->text_warning, style->text, style->text_faint};
    struct rv_topbar_facts facts;
    rv_topbar_find_facts(shown, &facts);
    for (size_t i = 0; i < facts.n; i++)
        add(bar, facts.items[i].ink == RV_TOPBAR_STOPPED ? RV_IMGUI_FONT_BOLD : RV_IMGUI_FONT_TEXT,
            inks[facts.items[i].ink], facts.items[i].text);
}

/* Where each button ends, with the gap behind it, counted from the begin of the first. */
static void measure_buttons(const struct rv_topbar *shown, float ends[RV_TOPBAR_MOST_BUTTONS])
{
    float end = 0.0f;
    for (uint32_t i = 0; i < shown->n_buttons; i++) {
        end += floorf(rv_imgui_text_width(RV_IMGUI_FONT_TEXT, shown->buttons[i].label) + BUTTON_PADDING) + BUTTON_GAP;
        ends[i] = end;
    }
}

/* How many of the first buttons have this room. */
static uint32_t fitting_buttons(const struct rv_topbar *shown, const float *ends, float room)
{
    uint32_t n = 0;
    while (n < shown->n_buttons && ends[n] <= room)
        n++;
    return n;
}

/* Where tabs with names leave no room for all buttons, they show their numbers alone. */
static float tab_step(const struct rv_topbar *shown, const float *button_ends, float width)
{
    float room = width - 2.0f * EDGE, left = room - TAB_STEP * (float)shown->n_tabs - REST_WIDTH;
    return left >= 0.0f && fitting_buttons(shown, button_ends, left) == shown->n_buttons
               ? TAB_STEP
               : fminf(TAB_STEP_SHORT, floorf(room / (float)shown->n_tabs));
}

static void add_tabs(const struct rv_topbar *shown, float x, float step, struct rv_ui_acts *acts)
{
    const float width = step - (TAB_STEP - TAB_WIDTH);
    const bool has_names = step >= TAB_STEP;
    for (uint32_t i = 0; i < shown->n_tabs; i++) {
        char label[48] = {(char)('1' + i), has_names ? ' ' : '\0'}; /* of its key: there are at most nine */
        rv_text_append(label, sizeof label, has_names ? shown->tabs[i] : "", SIZE_MAX);
        rv_imgui_at(x + step * (float)i, TAB_Y);
        if (rv_imgui_button(label, width, i == shown->chosen))
            rv_ui_act(acts, &(struct rv_act){.action = (enum rv_action)(RV_ACTION_LOOK_3D + i)});
    }
}

static void add_button(const struct rv_topbar_button *button, float x, float width, struct rv_ui_acts *acts)
{
    rv_imgui_at(x, TAB_Y);
    if (rv_imgui_button(button->label, width, button->is_on))
        rv_ui_act(acts, &(struct rv_act){.action = button->action});
}

/*
 * Right-aligned at x, those that leave room for the rest; where some do not, the last one leads to all actions. Returns their
 * begin.
 */
static float add_buttons(const struct rv_topbar *shown, const float *ends, float x, struct rv_ui_acts *acts)
{
    static const struct rv_topbar_button more = {.label = "More", .action = RV_ACTION_COMMANDS};
    const float room = x - BUTTON_GAP - EDGE - REST_WIDTH;
    const bool has_more = fitting_buttons(shown, ends, room) < shown->n_buttons;
    const float more_width =
        has_more ? floorf(rv_imgui_text_width(RV_IMGUI_FONT_TEXT, more.label) + BUTTON_PADDING) : 0.0f;
    const uint32_t n = fitting_buttons(shown, ends, has_more ? room - more_width - BUTTON_GAP : room);
    const float end = n ? ends[n - 1] : 0.0f;
    const float begin = x - end - BUTTON_GAP - (has_more ? more_width + BUTTON_GAP : 0.0f);
    if ((n == 0 && !has_more) || begin < EDGE)
        return x;
    for (uint32_t i = 0; i < n; i++) {
        const float at = i ? ends[i - 1] : 0.0f;
        add_button(&shown->buttons[i], begin + at, ends[i] - at - BUTTON_GAP, acts);
    }
    if (has_more)
        add_button(&more, begin + end, more_width, acts);
    return begin;
}

void rv_topbar_show(struct rv_ui *ui, const struct rv_topbar *shown, struct rv_ui_acts *acts)
{
    struct rv_imgui_area area = rv_ui_dock(ui, RV_UI_TOP, HEIGHT + 1.0f);
    const struct rv_ui_style *style = rv_ui_style(ui);
    float button_ends[RV_TOPBAR_MOST_BUTTONS];
    measure_buttons(shown, button_ends);
    const float step = tab_step(shown, button_ends, area.width);
    const float tabs_x = floorf(area.width) - EDGE - step * (float)shown->n_tabs;
    struct bar bar = {style, EDGE, tabs_x};
    char pid[32];
    rv_imgui_panel_begin("topbar", area, RV_IMGUI_PANEL_BARE);
    rv_imgui_draw_box((struct rv_imgui_area){0.0f, 0.0f, area.width, HEIGHT}, 0.0f, style->bar);
    rv_imgui_draw_box((struct rv_imgui_area){0.0f, HEIGHT, area.width, 1.0f}, 0.0f, style->line);
    bar.end = add_buttons(shown, button_ends, tabs_x, acts);
    add(&bar, RV_IMGUI_FONT_BOLD, style->text_strong, "ringviz");
    add_program(&bar, shown->program);
    snprintf(pid, sizeof pid, "pid %" PRIu32, shown->pid);
    if (shown->pid)
        add(&bar, RV_IMGUI_FONT_TEXT, style->text, pid);
    add_pill(&bar, shown);
    if (shown->is_recording)
        add(&bar, RV_IMGUI_FONT_BOLD, style->text_warning, "REC");
    add_facts(&bar, shown);
    add_tabs(shown, tabs_x, step, acts);
    rv_imgui_panel_end();
}
