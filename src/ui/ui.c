#include "ui/ui.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"
#include "glyphs/clusters.h"
#include "ui/imgui_bridge.h"

#define GAP 8.0f          /* around panels in a column */
#define CENTER_MIN 240.0f /* least size of a panel in the middle: smaller ones go over the docks */

struct rv_ui {
    struct rv_imgui *imgui;
    const struct rv_ui_style *style;
    float width, height; /* points */
    float points_a_unit; /* points per unit of SDL's positions */
    struct rv_ui_insets insets;
    float bar_height;              /* of the first dock at the top */
    float taken_left, taken_right; /* height of the columns so far */
    bool is_text_late;             /* the last key was an action: ignore its text */
    bool is_second_click;
    bool is_typing;        /* a text field had the focus in the last pass */
    unsigned focus_passes; /* until a field that was focused takes what is typed */
};

int rv_ui_create(struct rv_ui **ui)
{
    *ui = NULL;
    struct rv_ui *made = rv_alloc(1, sizeof *made);
    made->points_a_unit = 1.0f;
    made->style = rv_ui_style_get(RV_COLOR_DARK);
    int err = rv_imgui_create(&made->imgui);
    if (err) {
        rv_ui_destroy(made);
        return rv_err(-err, "OpenGL: the panels cannot be drawn");
    }
    *ui = made;
    return 0;
}

void rv_ui_destroy(struct rv_ui *ui)
{
    if (!ui)
        return;
    rv_imgui_destroy(ui->imgui);
    free(ui);
}

void rv_ui_act(struct rv_ui_acts *acts, const struct rv_act *act)
{
    if (acts->n == RV_UI_ACTS_MAX)
        return;
    struct rv_act *added = &acts->items[acts->n];
    *added = *act;
    if (act->text) {
        (void)snprintf(acts->texts[acts->n], RV_UI_TEXT_BYTES, "%s", act->text);
        added->text = acts->texts[acts->n];
    }
    acts->n++;
}

/* ---- events ---- */

static int key_of(SDL_Scancode scancode)
{
    static const SDL_Scancode scancodes[RV_IMGUI_KEY_COUNT] = {
        SDL_SCANCODE_LEFT, SDL_SCANCODE_RIGHT,     SDL_SCANCODE_UP,     SDL_SCANCODE_DOWN,   SDL_SCANCODE_HOME,
        SDL_SCANCODE_END,  SDL_SCANCODE_BACKSPACE, SDL_SCANCODE_DELETE, SDL_SCANCODE_RETURN, SDL_SCANCODE_ESCAPE,
        SDL_SCANCODE_TAB,  SDL_SCANCODE_A,         SDL_SCANCODE_C,      SDL_SCANCODE_V,      SDL_SCANCODE_X,
        SDL_SCANCODE_Y,    SDL_SCANCODE_Z};
    for (int key = 0; key < RV_IMGUI_KEY_COUNT; key++)
        if (scancodes[key] == scancode || (key == RV_IMGUI_KEY_ENTER && scancode == SDL_SCANCODE_KP_ENTER))
            return key;
    return -1;
}

static void on_key(struct rv_ui *ui, const SDL_KeyboardEvent *event)
{
    unsigned mod = event->keysym.mod;
    int key = key_of(event->keysym.scancode);
    bool is_down = event->type == SDL_KEYDOWN;
    rv_imgui_modifiers(ui->imgui, mod & KMOD_CTRL, mod & KMOD_SHIFT, mod & KMOD_ALT);
    ui->is_text_late = is_down && !ui->is_typing;
    if (key >= 0 && (ui->is_typing || !is_down))
        rv_imgui_key_set(ui->imgui, (enum rv_imgui_key)key, is_down);
}

static void move_mouse(struct rv_ui *ui, int x, int y)
{
    rv_imgui_mouse(ui->imgui, (float)x * ui->points_a_unit, (float)y * ui->points_a_unit);
}

static void on_button(struct rv_ui *ui, const SDL_MouseButtonEvent *event)
{
    move_mouse(ui, event->x, event->y);
    if (event->state == SDL_PRESSED)
        ui->is_second_click = event->clicks == 2;
    if (event->button == SDL_BUTTON_LEFT)
        rv_imgui_button_set(ui->imgui, 0, event->state == SDL_PRESSED);
    if (event->button == SDL_BUTTON_RIGHT)
        rv_imgui_button_set(ui->imgui, 1, event->state == SDL_PRESSED);
}

void rv_ui_event(struct rv_ui *ui, const SDL_Event *event)
{
    switch (event->type) {
    case SDL_MOUSEMOTION:
        move_mouse(ui, event->motion.x, event->motion.y);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        on_button(ui, &event->button);
        break;
    case SDL_MOUSEWHEEL:
        if (rv_imgui_wants_mouse(ui->imgui))
            rv_imgui_wheel(ui->imgui, event->wheel.preciseY != 0.0f ? event->wheel.preciseY : (float)event->wheel.y);
        break;
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        on_key(ui, &event->key);
        break;
    case SDL_TEXTINPUT:
        if (ui->is_typing && !ui->is_text_late)
            rv_imgui_type(ui->imgui, event->text.text);
        break;
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_LEAVE)
            rv_imgui_mouse_leave(ui->imgui);
        break;
    }
}

bool rv_ui_is_second_click(const struct rv_ui *ui)
{
    return ui->is_second_click;
}

bool rv_ui_needs_pass(const SDL_Event *event)
{
    switch (event->type) {
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
    case SDL_MOUSEWHEEL:
    case SDL_KEYDOWN:
    case SDL_KEYUP:
    case SDL_TEXTINPUT:
        return true;
    default:
        return false;
    }
}

/* Keys that a text field does not use go to the window: Ctrl+Q, Ctrl+F, Tab. */
static bool is_command(const SDL_KeyboardEvent *event)
{
    if (event->keysym.scancode == SDL_SCANCODE_TAB)
        return true;
    return (event->keysym.mod & KMOD_CTRL) && !(event->keysym.mod & KMOD_ALT) && key_of(event->keysym.scancode) < 0;
}

bool rv_ui_takes(const struct rv_ui *ui, const SDL_Event *event)
{
    switch (event->type) {
    case SDL_MOUSEMOTION:
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
    case SDL_MOUSEWHEEL:
        return rv_imgui_wants_mouse(ui->imgui);
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        return ui->is_typing && !is_command(&event->key);
    case SDL_TEXTINPUT:
        return ui->is_typing;
    default:
        return false;
    }
}

/* ---- a pass ---- */

void rv_ui_begin(struct rv_ui *ui, const struct rv_ui_surface *surface)
{
    double scale = surface->scale > 0.0 ? surface->scale : 1.0;
    ui->style = rv_ui_style_get(surface->theme);
    ui->points_a_unit = surface->density > 0.0 ? (float)(surface->density / scale) : 1.0f;
    ui->width = (float)(surface->width_px / scale);
    ui->height = (float)(surface->height_px / scale);
    ui->insets = (struct rv_ui_insets){0};
    ui->bar_height = ui->taken_left = ui->taken_right = 0.0f;
    rv_imgui_begin(ui->imgui, (int[2]){surface->width_px, surface->height_px}, scale, surface->text_ns, ui->style);
}

uint64_t rv_ui_end(struct rv_ui *ui)
{
    uint64_t hash = rv_imgui_end(ui->imgui);
    ui->is_typing = rv_imgui_wants_text(ui->imgui);
    ui->focus_passes =
        rv_imgui_has_given_keyboard() ? RV_IMGUI_FOCUS_PASSES : ui->focus_passes - (ui->focus_passes > 0);
    return hash;
}

bool rv_ui_is_focusing(const struct rv_ui *ui)
{
    return ui->focus_passes > 0;
}

bool rv_ui_lacks_text(const struct rv_ui *ui)
{
    return rv_imgui_lacks_text(ui->imgui);
}

void rv_ui_draw(struct rv_ui *ui)
{
    rv_imgui_draw(ui->imgui);
}

/* ---- for panels ---- */

const struct rv_ui_style *rv_ui_style(const struct rv_ui *ui)
{
    return ui->style;
}

struct rv_imgui *rv_ui_imgui(struct rv_ui *ui)
{
    return ui->imgui;
}

static struct rv_imgui_area dock_column(struct rv_ui *ui, bool is_left, float height)
{
    float *taken = is_left ? &ui->taken_left : &ui->taken_right;
    float *inset = is_left ? &ui->insets.left : &ui->insets.right;
    float top = ui->insets.top + *taken + GAP, room = ui->height - ui->insets.bottom - GAP - top;
    float shown = fmaxf(fminf(height, room), 1.0f);
    *taken += shown + GAP;
    if (!is_left)
        ui->insets.right_bottom = ui->insets.top + *taken + GAP;
    *inset = RV_UI_COLUMN_WIDTH + 2.0f * GAP;
    float x = is_left ? GAP : ui->width - GAP - RV_UI_COLUMN_WIDTH;
    return (struct rv_imgui_area){floorf(x), floorf(top), RV_UI_COLUMN_WIDTH, floorf(shown)};
}

struct rv_imgui_area rv_ui_dock(struct rv_ui *ui, enum rv_ui_edge edge, float height)
{
    const float room = fmaxf(ui->height - ui->insets.top - ui->insets.bottom, 1.0f);
    struct rv_imgui_area area = {0.0f, ui->insets.top, ui->width, fminf(height, room)};
    switch (edge) {
    case RV_UI_TOP:
        ui->bar_height = ui->insets.top > 0.0f ? ui->bar_height : height;
        ui->insets.top += area.height;
        return area;
    case RV_UI_BOTTOM:
        ui->insets.bottom += area.height;
        area.y = floorf(ui->height - ui->insets.bottom);
        return area;
    case RV_UI_LEFT:
    case RV_UI_RIGHT:
        return dock_column(ui, edge == RV_UI_LEFT, height);
    }
    rv_unreachable();
}

float rv_ui_width(const struct rv_ui *ui)
{
    return ui->width;
}

float rv_ui_height(const struct rv_ui *ui)
{
    return ui->height;
}

/* Of one direction: what the panel gets between two docks, or over them, in out[0] from and out[1] size. */
static void center(float size, float wanted, const float docks[2], const float over[2], float out[2])
{
    const float room = size - docks[0] - docks[1] - 2.0f * GAP;
    const float *edges = room < fminf(wanted, CENTER_MIN) ? over : docks;
    const float whole = size - edges[0] - edges[1] - 2.0f * GAP;
    out[1] = floorf(fmaxf(fminf(wanted, whole), 1.0f));
    out[0] = floorf(edges[0] + GAP + 0.5f * (whole - out[1]));
}

struct rv_imgui_area rv_ui_center_of(const float picture[2], const struct rv_ui_insets *docks, float bar_height,
                                     const float wanted[2])
{
    float x[2], y[2];
    center(picture[0], wanted[0], (float[2]){docks->left, docks->right}, (float[2]){0.0f, 0.0f}, x);
    center(picture[1], wanted[1], (float[2]){docks->top, docks->bottom}, (float[2]){bar_height, 0.0f}, y);
    return (struct rv_imgui_area){x[0], y[0], x[1], y[1]};
}

struct rv_imgui_area rv_ui_center(const struct rv_ui *ui, float width, float height)
{
    return rv_ui_center_of((float[2]){ui->width, ui->height}, &ui->insets, ui->bar_height, (float[2]){width, height});
}

void rv_ui_fit_name(enum rv_imgui_font font, const char *name, float width, char *out, size_t out_bytes)
{
    const struct rv_short_name_room room = {width, rv_imgui_measure, rv_cluster_next, &font};
    out[0] = '\0';
    (void)rv_short_name_fit(name, &room, out, out_bytes);
}

void rv_ui_fit_name_among(const struct rv_alike_names *names, enum rv_imgui_font font, const char *name, float width,
                          char *out, size_t out_bytes)
{
    const struct rv_short_name_room room = {width, rv_imgui_measure, rv_cluster_next, &font};
    out[0] = '\0';
    (void)rv_alike_names_fit(names, name, &room, out, out_bytes);
}

void rv_ui_fit_text(enum rv_imgui_font font, const char *text, float width, char *out, size_t out_bytes)
{
    const struct rv_short_name_room room = {width, rv_imgui_measure, rv_cluster_next, &font};
    out[0] = '\0';
    (void)rv_short_name_cut(text, &room, out, out_bytes);
}

struct rv_ui_insets rv_ui_insets(const struct rv_ui *ui)
{
    return ui->insets;
}
