#include "ui/search_bar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

#define HEIGHT 42.0f
#define SECOND_LINE 30.0f
#define ONE_LINE_WIDTH 780.0f /* least width for what is searched for and rules in one line */
#define COUNT_WIDTH 470.0f    /* least width for the number of hits beside the field */
#define BUTTONS_WIDTH 160.0f  /* of those behind the field */
#define FIND_WIDTH 230.0f
#define RULE_WIDTH 190.0f
#define CHIP_ROOM 120.0f /* points needed by the last rule and the buttons after it */
#define GAP 8.0f
#define CHIP_BYTES 48

static void ask_text(struct rv_ui_acts *acts, enum rv_action action, const char *text)
{
    rv_ui_act(acts, &(struct rv_act){.action = action, .text = text});
}

static void ask(struct rv_ui_acts *acts, enum rv_action action, uint32_t idx)
{
    rv_ui_act(acts, &(struct rv_act){.action = action, .idx = idx});
}

static void show_count(const struct rv_ui_style *style, const struct rv_search_bar *shown)
{
    char text[160], progress[32] = "";
    bool is_wrong = shown->find_why[0];
    if (shown->percent < 100)
        (void)snprintf(progress, sizeof progress, ", %u %% searched", shown->percent);
    if (is_wrong)
        (void)snprintf(text, sizeof text, "%s", shown->find_why);
    else if (!shown->find[0])
        (void)snprintf(text, sizeof text, "a regular expression");
    else
        (void)snprintf(text, sizeof text, "%" PRIu64 "%s call%s of %" PRIu32 " subroutine%s%s%s%s", shown->n_calls,
                       shown->is_whole ? "" : "+", rv_units_word(shown->n_calls, "", "s"), shown->n_subroutines,
                       rv_units_word(shown->n_subroutines, "", "s"), progress,
                       shown->is_partial ? ", of those not evicted" : "",
                       shown->is_damaged ? ", without damaged blocks" : "");
    rv_imgui_text(RV_IMGUI_FONT_TEXT, is_wrong ? style->text_warning : style->text, text);
}

static void show_find(const struct rv_ui_style *style, const struct rv_search_bar *shown,
                      struct rv_search_bar_state *state, struct rv_ui_acts *acts, float width)
{
    bool takes_keyboard = state->n_asked != shown->n_asked;
    enum rv_imgui_typed typed = rv_imgui_input("##find", "search", fminf(FIND_WIDTH, width - BUTTONS_WIDTH),
                                               state->find, sizeof state->find, takes_keyboard);
    if (typed != RV_IMGUI_TYPED_NOTHING && strcmp(state->find, shown->find) != 0)
        ask_text(acts, RV_ACTION_FIND, state->find);
    if (typed == RV_IMGUI_TYPED_ENTERED)
        ask(acts, RV_ACTION_NEXT_HIT, 0);
    rv_imgui_same_line(GAP);
    if (rv_imgui_button("<##previous", 0.0f, false))
        ask(acts, RV_ACTION_PREVIOUS_HIT, 0);
    rv_imgui_same_line(2.0f);
    if (rv_imgui_button(">##next", 0.0f, false))
        ask(acts, RV_ACTION_NEXT_HIT, 0);
    rv_imgui_same_line(GAP);
    if (width >= COUNT_WIDTH)
        show_count(style, shown);
}

/* A rule as two buttons: its text inverts it, the cross takes it away. */
static void show_chip(const char *rule, uint32_t idx, struct rv_ui_acts *acts)
{
    char label[CHIP_BYTES + 4];
    const size_t n_bytes = rv_text_whole(rule, strlen(rule), CHIP_BYTES - 4);
    (void)snprintf(label, sizeof label, "%.*s%s", (int)n_bytes, rule, rule[n_bytes] ? "…" : "");
    rv_imgui_push_id(idx);
    if (rv_imgui_button(label, 0.0f, true))
        ask(acts, RV_ACTION_INVERT_RULE, idx);
    if (rv_imgui_is_hovered())
        rv_imgui_tooltip("click: invert");
    rv_imgui_same_line(1.0f);
    if (rv_imgui_button("x", 0.0f, false))
        ask(acts, RV_ACTION_REMOVE_RULE, idx);
    rv_imgui_pop_id();
    rv_imgui_same_line(GAP);
}

/* Up takes the last rule back into the field, to be edited. */
static void show_rule_field(const struct rv_search_bar *shown, struct rv_search_bar_state *state,
                            struct rv_ui_acts *acts)
{
    const size_t n = rv_filter_n_rules(shown->filter);
    if (n)
        rv_imgui_recall(rv_filter_text(shown->filter, n - 1));
    const enum rv_imgui_typed typed = rv_imgui_input("##rule", "filter: depth:<8", RULE_WIDTH, state->rule,
                                                     sizeof state->rule, state->n_rules_asked != shown->n_rules_asked);
    if (typed == RV_IMGUI_TYPED_RECALLED)
        ask(acts, RV_ACTION_REMOVE_RULE, (uint32_t)n - 1);
    if (typed != RV_IMGUI_TYPED_ENTERED || !state->rule[0])
        return;
    ask_text(acts, RV_ACTION_LET, state->rule);
    state->rule[0] = '\0';
}

static void show_rules(const struct rv_ui_style *style, const struct rv_search_bar *shown,
                       struct rv_search_bar_state *state, struct rv_ui_acts *acts)
{
    show_rule_field(shown, state, acts);
    rv_imgui_same_line(GAP);
    if (shown->rule_why[0]) {
        rv_imgui_text(RV_IMGUI_FONT_SMALL, style->text_warning, shown->rule_why);
        rv_imgui_same_line(GAP);
    }
    for (size_t i = 0; i < rv_filter_n_rules(shown->filter) && rv_imgui_room() > CHIP_ROOM; i++)
        show_chip(rv_filter_text(shown->filter, i), (uint32_t)i, acts);
    if (rv_filter_n_rules(shown->filter) &&
        rv_imgui_button(rv_filter_mode(shown->filter) == RV_FILTER_HIDE ? "others hidden" : "others dimmed", 0.0f,
                        false))
        ask(acts, RV_ACTION_HIDE, 0);
}

void rv_search_bar_show(struct rv_ui *ui, const struct rv_search_bar *shown, struct rv_search_bar_state *state,
                        struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    const bool is_one_line = rv_ui_width(ui) >= ONE_LINE_WIDTH;
    struct rv_imgui_area area = rv_ui_dock(ui, RV_UI_TOP, HEIGHT + (is_one_line ? 0.0f : SECOND_LINE));
    if (!state->is_there)
        (void)snprintf(state->find, sizeof state->find, "%s", shown->find);
    rv_imgui_panel_begin("search", area, 0);
    show_find(style, shown, state, acts, area.width);
    if (is_one_line)
        rv_imgui_same_line(2.0f * GAP);
    else
        rv_imgui_at(12.0f, 10.0f + SECOND_LINE);
    show_rules(style, shown, state, acts);
    rv_imgui_at(area.width - 64.0f, 10.0f);
    if (rv_imgui_button("Close", 52.0f, false))
        ask(acts, RV_ACTION_END_SEARCH, 0);
    rv_imgui_panel_end();
    state->n_asked = shown->n_asked;
    state->n_rules_asked = shown->n_rules_asked;
    state->is_there = true;
}
