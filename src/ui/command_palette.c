#include "ui/command_palette.h"

#include "ui/word_match.h"

#define WIDTH 760.0f
#define HEIGHT 420.0f
#define KEYS_WIDTH 150.0f
#define LEAST_WIDTH 380.0f /* with keys */

bool rv_command_palette_match(const struct rv_action_row *row, const char *text)
{
    return rv_word_match(text, (const char *const[]){row->words, row->keys}, 2);
}

/* In the list of those that match; one is the lit one, if there is any. */
static void move_on(const struct rv_command_palette *shown, struct rv_command_palette_state *state, int step)
{
    size_t n = 0;
    for (size_t i = 0; i < shown->n_rows; i++)
        n += rv_command_palette_match(&shown->rows[i], state->text);
    if (step < 0)
        state->lit -= state->lit > 0;
    else
        state->lit += step > 0;
    if (state->lit >= n)
        state->lit = n ? n - 1 : 0;
}

void rv_command_palette_show(struct rv_ui *ui, const struct rv_command_palette *shown,
                             struct rv_command_palette_state *state, struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    struct rv_imgui_area area = rv_ui_center(ui, WIDTH, HEIGHT);
    const struct rv_action_row *lit = NULL, *chosen = NULL;
    size_t n_matching = 0;
    rv_imgui_panel_begin("commands", area, RV_IMGUI_PANEL_FIRST);
    const enum rv_imgui_typed typed = rv_imgui_input("##command", "type what you want to do", rv_imgui_room(),
                                                     state->text, sizeof state->text, !state->is_there);
    const int step = rv_imgui_rows_stepped();
    if (typed == RV_IMGUI_TYPED_CHANGED)
        state->lit = 0;
    move_on(shown, state, step);
    rv_imgui_gap(4.0f);
    rv_imgui_child_begin("rows", 0.0f, 0.0f);
    for (size_t i = 0; i < shown->n_rows; i++) {
        const struct rv_action_row *row = &shown->rows[i];
        if (!rv_command_palette_match(row, state->text))
            continue;
        const bool is_lit = n_matching++ == state->lit;
        if (rv_action_row_show(style, row, rv_imgui_room() >= LEAST_WIDTH ? KEYS_WIDTH : 0.0f, is_lit))
            chosen = row;
        lit = is_lit ? row : lit;
        if (is_lit && step)
            rv_imgui_show_item();
    }
    if (!n_matching)
        rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text_faint, "no action or thread has these words");
    rv_imgui_child_end();
    rv_imgui_panel_end();
    state->is_there = true;
    chosen = typed == RV_IMGUI_TYPED_ENTERED ? lit : chosen;
    if (chosen || typed == RV_IMGUI_TYPED_ESCAPED)
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_COMMANDS});
    if (chosen)
        rv_ui_act(acts, &(struct rv_act){.action = chosen->action, .idx = chosen->idx});
}
