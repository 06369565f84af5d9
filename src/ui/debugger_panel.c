#include "ui/debugger_panel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define HEIGHT 248.0f
#define HEIGHT_MOST 0.62f /* of the picture */
#define EDGE 12.0f
#define HEAD_Y 8.0f
#define BODY_Y 40.0f
#define GAP 8.0f
#define BUTTON_WIDTH 80.0f
#define BUTTON_HEIGHT 22.0f
#define BUTTON_GAP 4.0f
#define BUTTON_STEP (BUTTON_WIDTH + BUTTON_GAP)
#define FINISH_WIDTH 112.0f /* whose key is a chord */
#define BUTTONS_WIDTH ((RV_DEBUGGER_PANEL_BUTTONS - 1u) * BUTTON_STEP + FINISH_WIDTH + 80.0f)
#define BUTTONS_LINE 28.0f /* height of a line of their own, where there is no room beside the name: */
#define NAME_ROOM 220.0f
#define CLOSE_WIDTH 52.0f
#define STATE_LEAST 70.0f
#define STACK_SHARE 0.36f
#define SOURCE_SHARE 0.34f
#define ROW_HEIGHT 19.0f
#define LINE_HEIGHT 17.0f
#define NUMBER_WIDTH 40.0f
#define PLACE_BYTES 288
#define PILL_HEIGHT 18.0f
#define BAR_WIDTH 3.0f /* of the pause sign's two bars */
#define CROSS_WIDTH 18.0f

static void ask(struct rv_ui_acts *acts, enum rv_action action, uint32_t idx)
{
    rv_ui_act(acts, &(struct rv_act){.action = action, .idx = idx});
}

/* A field that asks for what is entered, and is empty then. */
static void show_field(const char *id, const char *hint, char *text, enum rv_action action, struct rv_ui_acts *acts)
{
    bool is_entered =
        rv_imgui_input(id, hint, rv_imgui_room(), text, RV_UI_TEXT_BYTES, false) == RV_IMGUI_TYPED_ENTERED && text[0];
    if (!is_entered)
        return;
    rv_ui_act(acts, &(struct rv_act){.action = action, .text = text});
    text[0] = '\0';
}

/* ---- head ---- */

/* Without its key where it is narrow. */
static void show_button(const struct rv_ui_style *style, const struct rv_debugger_panel_button *button, uint32_t which,
                        float width, struct rv_ui_acts *acts)
{
    struct rv_imgui_area area;
    char tip[160];
    rv_imgui_push_id(which);
    rv_imgui_touch("button", width, BUTTON_HEIGHT, &area);
    bool is_hovered = rv_imgui_is_hovered(), can = !button->why_not;
    if (can && rv_imgui_is_clicked(0))
        ask(acts, button->action, 0);
    rv_imgui_draw_box(area, 4.0f,
                      can && is_hovered ? (rv_imgui_is_held() ? style->plate_pressed : style->plate_hovered)
                                        : style->plate);
    const float key_width = rv_imgui_text_width(RV_IMGUI_FONT_SMALL, button->key);
    const float label_width = rv_imgui_text_width(RV_IMGUI_FONT_TEXT, button->label);
    const bool has_key = label_width + key_width + 17.0f <= width;
    const float left = has_key ? 8.0f : 0.5f * (width - label_width);
    rv_imgui_draw_text((float[2]){floorf(area.x + left), area.y + 4.0f}, RV_IMGUI_FONT_TEXT,
                       can ? style->text_strong : style->text_faint, button->label);
    if (has_key)
        rv_imgui_draw_text((float[2]){floorf(area.x + area.width - key_width - 7.0f), area.y + 5.0f},
                           RV_IMGUI_FONT_SMALL, style->text_faint, button->key);
    (void)snprintf(tip, sizeof tip, "%s", can ? button->words : button->why_not);
    if (is_hovered)
        rv_imgui_tooltip(tip);
    rv_imgui_pop_id();
}

static void show_sign(uint32_t rgba, float x, float y)
{
    rv_imgui_draw_box((struct rv_imgui_area){x, y, BAR_WIDTH, 8.0f}, 1.0f, rgba);
    rv_imgui_draw_box((struct rv_imgui_area){x + 5.0f, y, BAR_WIDTH, 8.0f}, 1.0f, rgba);
}

static void show_state(const struct rv_ui_style *style, const struct rv_debugger_panel *shown, float room)
{
    struct rv_imgui_area area;
    char text[PLACE_BYTES];
    uint32_t plate = shown->is_stopped ? style->frozen : style->live;
    uint32_t ink = shown->is_stopped ? style->frozen_text : style->live_text;
    if (!shown->is_steered) {
        plate = style->ended;
        ink = style->ended_text;
    }
    rv_ui_fit_name(RV_IMGUI_FONT_SMALL, shown->state, fmaxf(room - 30.0f, 40.0f), text, sizeof text);
    rv_imgui_touch("##state", rv_imgui_text_width(RV_IMGUI_FONT_SMALL, text) + 30.0f, PILL_HEIGHT, &area);
    if (rv_imgui_is_hovered())
        rv_imgui_tooltip(shown->state);
    rv_imgui_draw_box(area, 8.0f, plate);
    if (shown->is_stopped)
        show_sign(ink, area.x + 9.0f, area.y + 5.0f);
    else
        rv_imgui_draw_box((struct rv_imgui_area){area.x + 9.0f, area.y + 6.0f, 6.0f, 6.0f}, 3.0f, ink);
    rv_imgui_draw_text((float[2]){area.x + 21.0f, area.y + 2.0f}, RV_IMGUI_FONT_SMALL, ink, text);
}

struct rv_debugger_panel_shape rv_debugger_panel_shape(bool has_buttons, const float picture[2])
{
    const float n = (float)RV_DEBUGGER_PANEL_BUTTONS;
    const bool has_line = has_buttons && picture[0] < BUTTONS_WIDTH + NAME_ROOM;
    return (struct rv_debugger_panel_shape){
        .height = floorf(fminf(HEIGHT, HEIGHT_MOST * picture[1])),
        .head_height = has_line ? BODY_Y + BUTTONS_LINE : BODY_Y,
        .button_width = has_line ? floorf((picture[0] - 2.0f * EDGE - (n - 1.0f) * BUTTON_GAP) / n) : 0.0f};
}

static void show_buttons(const struct rv_ui_style *style, const struct rv_debugger_panel *shown, float width,
                         float in_line, struct rv_ui_acts *acts)
{
    float x = in_line > 0.0f ? EDGE : width - BUTTONS_WIDTH;
    for (uint32_t i = 0; i < RV_DEBUGGER_PANEL_BUTTONS; i++) {
        const bool is_finish = shown->buttons[i].action == RV_ACTION_FINISH_CALL;
        const float button = in_line > 0.0f ? in_line : is_finish ? FINISH_WIDTH : BUTTON_WIDTH;
        rv_imgui_at(x, in_line > 0.0f ? BODY_Y - 4.0f : HEAD_Y - 1.0f);
        show_button(style, &shown->buttons[i], i, button, acts);
        x += button + BUTTON_GAP;
    }
}

/* What does not fit is shortened, or left out. */
static void show_head(const struct rv_ui_style *style, const struct rv_debugger_panel *shown, float width,
                      float in_line, struct rv_ui_acts *acts)
{
    const bool is_beside = shown->has_buttons && in_line <= 0.0f;
    const float after = is_beside ? BUTTONS_WIDTH : CLOSE_WIDTH + 24.0f; /* taken at the right */
    char name[PLACE_BYTES];
    rv_imgui_at(EDGE, HEAD_Y);
    rv_ui_fit_text(RV_IMGUI_FONT_BOLD, shown->name, width - EDGE - after - GAP - STATE_LEAST, name, sizeof name);
    rv_imgui_text(RV_IMGUI_FONT_BOLD, style->text_strong, name);
    rv_imgui_same_line(GAP);
    if (rv_imgui_text_width(RV_IMGUI_FONT_SMALL, shown->about) + STATE_LEAST + GAP < rv_imgui_room() - after + EDGE) {
        rv_imgui_text(RV_IMGUI_FONT_SMALL, style->text_faint, shown->about);
        rv_imgui_same_line(GAP);
    }
    show_state(style, shown, rv_imgui_room() - after + EDGE - GAP);
    if (shown->has_buttons)
        show_buttons(style, shown, width, in_line, acts);
    rv_imgui_at(width - CLOSE_WIDTH - EDGE, HEAD_Y - 1.0f);
    if (rv_imgui_button("Close", CLOSE_WIDTH, false))
        ask(acts, RV_ACTION_DEBUGGER, 0);
}

/* ---- stack and source ---- */

static void show_frame(const struct rv_ui_style *style, const struct rv_debugger_panel *shown, uint32_t which,
                       struct rv_ui_acts *acts)
{
    const struct rv_debugger_panel_frame *frame = &shown->frames[which];
    struct rv_imgui_area area;
    char place[PLACE_BYTES], tip[2 * PLACE_BYTES];
    rv_imgui_push_id(which);
    rv_imgui_touch("frame", 0.0f, ROW_HEIGHT - 4.0f, &area);
    bool is_chosen = which == shown->frame, is_hovered = rv_imgui_is_hovered();
    if (rv_imgui_is_clicked(0))
        ask(acts, RV_ACTION_LOOK_AT_FRAME, which);
    if (is_chosen || is_hovered)
        rv_imgui_draw_box((struct rv_imgui_area){area.x - 4.0f, area.y - 2.0f, area.width + 4.0f, ROW_HEIGHT - 1.0f},
                          3.0f, is_chosen ? style->glass : style->plate);
    rv_ui_fit_name(RV_IMGUI_FONT_SMALL, frame->place, 0.45f * area.width, place, sizeof place);
    float place_width = rv_imgui_text_width(RV_IMGUI_FONT_SMALL, place);
    rv_imgui_clip((struct rv_imgui_area){area.x, area.y, fmaxf(area.width - place_width - GAP, 1.0f), ROW_HEIGHT});
    rv_imgui_draw_text((float[2]){area.x, area.y}, RV_IMGUI_FONT_TEXT,
                       which == 0 || is_chosen ? style->text_strong
                       : frame->is_in_c        ? style->text_faint
                                               : style->text,
                       frame->call);
    rv_imgui_unclip();
    rv_imgui_draw_text((float[2]){floorf(area.x + area.width - place_width), area.y + 1.0f}, RV_IMGUI_FONT_SMALL,
                       style->text_faint, place);
    (void)snprintf(tip, sizeof tip, "%.280s%s%.280s", frame->call, frame->place[0] ? "\n" : "", frame->place);
    if (is_hovered)
        rv_imgui_tooltip(tip);
    rv_imgui_pop_id();
}

static void show_stack(const struct rv_ui_style *style, const struct rv_debugger_panel *shown, float width,
                       float height, struct rv_ui_acts *acts)
{
    rv_imgui_child_begin("stack", width, height);
    if (shown->no_frames[0])
        rv_imgui_text_wrapped(RV_IMGUI_FONT_SMALL, style->text_faint, shown->no_frames);
    for (uint32_t i = 0; i < shown->n_frames; i++)
        show_frame(style, shown, i, acts);
    rv_imgui_child_end();
}

static void show_line(const struct rv_ui_style *style, const struct rv_debugger_panel_line *line)
{
    struct rv_imgui_area area;
    char number[16];
    rv_imgui_push_id(line->number);
    rv_imgui_touch("##line", 0.0f, LINE_HEIGHT - 4.0f, &area);
    (void)snprintf(number, sizeof number, "%" PRIu32, line->number);
    float x = floorf(area.x + NUMBER_WIDTH - 12.0f - rv_imgui_text_width(RV_IMGUI_FONT_SMALL, number));
    if (line->is_here) {
        rv_imgui_draw_box((struct rv_imgui_area){area.x, area.y - 2.0f, area.width, LINE_HEIGHT}, 3.0f, style->glass);
        rv_imgui_draw_box((struct rv_imgui_area){area.x, area.y - 2.0f, 3.0f, LINE_HEIGHT}, 1.0f, style->accent);
    }
    rv_imgui_clip((struct rv_imgui_area){area.x, area.y - 2.0f, area.width, LINE_HEIGHT});
    rv_imgui_draw_text((float[2]){x, area.y}, RV_IMGUI_FONT_SMALL, style->text_faint, number);
    rv_imgui_draw_text((float[2]){area.x + NUMBER_WIDTH, area.y}, RV_IMGUI_FONT_SMALL,
                       line->is_here ? style->text_strong : style->text, line->text);
    rv_imgui_unclip();
    rv_imgui_pop_id();
}

static void show_source(const struct rv_ui_style *style, const struct rv_debugger_panel *shown, float width,
                        float height)
{
    rv_imgui_child_begin("source", width, height);
    if (shown->frame < shown->n_frames && shown->frames[shown->frame].place[0])
        rv_imgui_text(RV_IMGUI_FONT_SMALL, style->text_faint, shown->frames[shown->frame].place);
    for (size_t i = 0; i < shown->n_lines; i++)
        show_line(style, &shown->lines[i]);
    rv_imgui_child_end();
}

/* ---- watches, breakpoints, expressions ---- */

/* A cross to remove the entry, then its text, with a bold beginning. */
static void show_entry(const struct rv_ui_style *style, const char *what, const char *value, bool is_wrong,
                       enum rv_action action, uint32_t idx, struct rv_ui_acts *acts)
{
    struct rv_imgui_area area;
    char text[PLACE_BYTES * 3];
    rv_imgui_push_id((uint32_t)action << 16 | idx);
    rv_imgui_touch("cross", CROSS_WIDTH, ROW_HEIGHT - 5.0f, &area);
    rv_imgui_draw_text((float[2]){area.x + 4.0f, area.y}, RV_IMGUI_FONT_TEXT,
                       rv_imgui_is_hovered() ? style->text_warning : style->text_faint, "x");
    if (rv_imgui_is_hovered())
        rv_imgui_tooltip("remove");
    if (rv_imgui_is_clicked(0))
        ask(acts, action, idx);
    rv_imgui_same_line(0.0f);
    rv_imgui_touch("##text", 0.0f, ROW_HEIGHT - 5.0f, &area);
    (void)snprintf(text, sizeof text, "%s%s", what, value);
    if (rv_imgui_is_hovered())
        rv_imgui_tooltip(text);
    rv_imgui_clip((struct rv_imgui_area){area.x, area.y, area.width, ROW_HEIGHT});
    rv_imgui_draw_text((float[2]){area.x, area.y}, RV_IMGUI_FONT_TEXT, style->text_strong, what);
    rv_imgui_draw_text((float[2]){area.x + rv_imgui_text_width(RV_IMGUI_FONT_TEXT, what), area.y}, RV_IMGUI_FONT_TEXT,
                       is_wrong ? style->text_warning : style->text, value);
    rv_imgui_unclip();
    rv_imgui_pop_id();
}

static void show_watches(const struct rv_ui_style *style, const struct rv_debugger_panel *shown,
                         struct rv_debugger_panel_state *state, struct rv_ui_acts *acts)
{
    show_field("##watch", "watch an expression", state->watch, RV_ACTION_WATCH, acts);
    for (size_t i = 0; i < shown->n_watches; i++) {
        const struct rv_debugger_panel_watch *watch = &shown->watches[i];
        char value[PLACE_BYTES * 2];
        (void)snprintf(value, sizeof value, "%s%s", watch->is_error ? ": " : " = ",
                       watch->value ? watch->value : "no value yet");
        show_entry(style, watch->expression, value, watch->is_error, RV_ACTION_UNWATCH, watch->idx, acts);
    }
}

static void show_breaks(const struct rv_ui_style *style, const struct rv_debugger_panel *shown,
                        struct rv_debugger_panel_state *state, struct rv_ui_acts *acts)
{
    show_field("##break", "stop at a subroutine, FILE:LINE or LINE", state->where, RV_ACTION_BREAK, acts);
    for (size_t i = 0; i < shown->n_breaks; i++)
        show_entry(style, "stops at ", shown->breaks[i].where, false, RV_ACTION_UNBREAK, shown->breaks[i].number, acts);
}

static void show_value(const struct rv_ui_style *style, const struct rv_debugger_panel *shown,
                       struct rv_debugger_panel_state *state, struct rv_ui_acts *acts)
{
    char text[RV_UI_TEXT_BYTES + 16];
    show_field("##eval", "evaluate an expression", state->expression, RV_ACTION_EVALUATE, acts);
    if (!shown->expression[0])
        return;
    (void)snprintf(text, sizeof text, "%s%s", shown->expression, shown->is_value_error ? ": error" : " =");
    rv_imgui_text_wrapped(RV_IMGUI_FONT_SMALL, style->text_faint, text);
    rv_imgui_text_wrapped(RV_IMGUI_FONT_TEXT, shown->is_value_error ? style->text_warning : style->text_strong,
                          shown->value[0] ? shown->value : "nothing");
}

static void show_queries(const struct rv_ui_style *style, const struct rv_debugger_panel *shown,
                         struct rv_debugger_panel_state *state, float height, struct rv_ui_acts *acts)
{
    rv_imgui_child_begin("queries", 0.0f, height);
    if (shown->message[0])
        rv_imgui_text_wrapped(RV_IMGUI_FONT_SMALL, style->text_warning, shown->message);
    if (shown->is_steered) {
        show_watches(style, shown, state, acts);
        show_breaks(style, shown, state, acts);
        show_value(style, shown, state, acts);
    }
    rv_imgui_child_end();
}

void rv_debugger_panel_show(struct rv_ui *ui, const struct rv_debugger_panel *shown,
                            struct rv_debugger_panel_state *state, struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    bool has_body = shown->n_frames || shown->no_frames[0] || shown->is_steered || shown->message[0];
    const struct rv_debugger_panel_shape shape =
        rv_debugger_panel_shape(shown->has_buttons, (float[2]){rv_ui_width(ui), rv_ui_height(ui)});
    const float head = shape.head_height;
    const struct rv_imgui_area area = rv_ui_dock(ui, RV_UI_BOTTOM, has_body ? shape.height : head);
    const float room = area.width - 2.0f * EDGE - 2.0f * GAP, height = area.height - head - 6.0f;
    rv_imgui_panel_begin("debugger", area, 0);
    show_head(style, shown, area.width, shape.button_width, acts);
    if (has_body) {
        rv_imgui_at(EDGE, head);
        show_stack(style, shown, floorf(STACK_SHARE * room), height, acts);
        rv_imgui_same_line(GAP);
        show_source(style, shown, floorf(SOURCE_SHARE * room), height);
        rv_imgui_same_line(GAP);
        show_queries(style, shown, state, height, acts);
    }
    rv_imgui_panel_end();
}
