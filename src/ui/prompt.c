#include "ui/prompt.h"

#include <stdio.h>

#define WIDTH 330.0f
#define HEIGHT 82.0f
#define BUTTON_WIDTH 44.0f

static void begin(const struct rv_prompt *shown, struct rv_prompt_state *state)
{
    if (!state->is_there && shown->initial)
        snprintf(state->text, sizeof state->text, "%s", shown->initial);
}

void rv_prompt_show(struct rv_ui *ui, const struct rv_prompt *shown, struct rv_prompt_state *state,
                    struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    struct rv_imgui_area area = rv_ui_center(ui, WIDTH, HEIGHT);
    begin(shown, state);
    rv_imgui_panel_begin(shown->title, area, RV_IMGUI_PANEL_FIRST);
    rv_imgui_text(RV_IMGUI_FONT_BOLD, style->text_strong, shown->title);
    float width = rv_imgui_room() - BUTTON_WIDTH - 8.0f;
    const enum rv_imgui_typed typed =
        rv_imgui_input("##text", shown->example, width, state->text, sizeof state->text, !state->is_there);
    rv_imgui_same_line(8.0f);
    const bool is_pressed = rv_imgui_button(shown->button, BUTTON_WIDTH, false);
    rv_imgui_text(RV_IMGUI_FONT_SMALL, shown->is_wrong ? style->text_warning : style->text_faint, shown->hint);
    rv_imgui_panel_end();
    state->is_there = true;
    if (is_pressed || typed == RV_IMGUI_TYPED_ENTERED)
        rv_ui_act(acts, &(struct rv_act){.action = shown->action, .text = state->text});
    else if (typed == RV_IMGUI_TYPED_ESCAPED)
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_UNPIN}); /* closes it: it is in front */
}
