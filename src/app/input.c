#include "app/input.h"

#include <math.h>
#include <string.h>

#define CLICK_POINTS 4.0 /* that the cursor may move between press and release of a click */
#define REST_MS 60u      /* after which a drag has come to rest */
#define ZOOM_WHEEL 0.87
#define ZOOM_WHEEL_FINE 0.97
#define ZOOM_WHEEL_FAST 0.65

static void act(struct rv_viewer *viewer, enum rv_action action, double amount)
{
    rv_viewer_act(viewer, &(struct rv_act){.action = action, .amount = amount});
}

static unsigned modifiers_of(unsigned mod)
{
    return (mod & KMOD_CTRL ? RV_MODIFIER_CTRL : 0u) | (mod & KMOD_SHIFT ? RV_MODIFIER_SHIFT : 0u) |
           (mod & KMOD_ALT ? RV_MODIFIER_ALT : 0u);
}

static void on_wheel(struct rv_viewer *viewer, const SDL_MouseWheelEvent *wheel)
{
    unsigned modifiers = modifiers_of(SDL_GetModState());
    double step = modifiers & RV_MODIFIER_CTRL    ? ZOOM_WHEEL_FINE
                  : modifiers & RV_MODIFIER_SHIFT ? ZOOM_WHEEL_FAST
                                                  : ZOOM_WHEEL;
    double turns = (double)(wheel->preciseY != 0.0f ? wheel->preciseY : wheel->preciseX);
    act(viewer, RV_ACTION_ZOOM, pow(step, wheel->direction == SDL_MOUSEWHEEL_FLIPPED ? -turns : turns));
}

/* What was grabbed stays under the cursor: both ends of the motion are looked up at the height of the grab. */
static void drag(struct rv_input *input, struct rv_viewer *viewer, const float to_px[2], double scale)
{
    const float *from_px = viewer->pointer.at_px;
    if (!viewer->scene)
        return;
    double from = rv_scene_share_at(viewer->scene, (double)from_px[0], (double)input->grabbed_y_px);
    double to = rv_scene_share_at(viewer->scene, (double)to_px[0], (double)input->grabbed_y_px);
    double share = fmin(fmax(from - to, -1.0), 1.0);
    input->share += share;
    act(viewer, RV_ACTION_PAN, share);
    act(viewer, RV_ACTION_SCROLL, (double)(from_px[1] - to_px[1]) / scale);
}

/* Several motions may come at one time: speed is told when time has passed. */
static void measure_speed(struct rv_input *input, uint32_t now_ms)
{
    uint32_t elapsed_ms = now_ms - input->moved_ms;
    if (elapsed_ms == 0)
        return;
    input->speed_per_s = elapsed_ms > REST_MS ? 0.0 : input->share * 1000.0 / elapsed_ms;
    input->share = 0.0;
    input->moved_ms = now_ms;
}

static void on_motion(struct rv_input *input, const SDL_MouseMotionEvent *motion, struct rv_viewer *viewer,
                      double scale)
{
    float at_px[2] = {(float)(motion->x * scale), (float)(motion->y * scale)};
    const float *before_px = viewer->pointer.at_px;
    if (input->is_click && hypotf(at_px[0] - before_px[0], at_px[1] - before_px[1]) <= (float)(CLICK_POINTS * scale))
        return;
    input->is_click = false;
    if (!viewer->pointer.hover.is_pinned)
        viewer->focus = (struct rv_viewer_focus){0};
    if (input->is_dragging) {
        drag(input, viewer, at_px, scale);
        measure_speed(input, motion->timestamp);
    }
    rv_pointer_move(&viewer->pointer, at_px, input->is_dragging);
}

/* A click pins what is there; the second of two focuses it. */
static void on_button(struct rv_input *input, const SDL_MouseButtonEvent *button, struct rv_viewer *viewer,
                      double scale)
{
    if (button->button != SDL_BUTTON_LEFT && button->button != SDL_BUTTON_RIGHT)
        return;
    float at_px[2] = {(float)(button->x * scale), (float)(button->y * scale)};
    bool is_left = button->button == SDL_BUTTON_LEFT, was_click = input->is_click;
    input->is_dragging = button->state == SDL_PRESSED;
    input->grabbed_y_px = at_px[1];
    if (input->is_dragging) {
        input->moved_ms = button->timestamp;
        input->share = input->speed_per_s = 0.0;
    } else if (button->timestamp - input->moved_ms <= REST_MS && !was_click) {
        act(viewer, RV_ACTION_GLIDE, input->speed_per_s);
        input->speed_per_s = 0.0;
    }
    rv_pointer_move(&viewer->pointer, at_px, false);
    bool is_second = button->clicks == 2 && input->is_dragging;
    input->is_click = is_left && input->is_dragging && !is_second;
    if (was_click && !input->is_dragging)
        act(viewer, RV_ACTION_PIN, 0.0);
    if (is_second && is_left)
        act(viewer, RV_ACTION_FOCUS, 0.0);
}

void rv_input_event(struct rv_input *input, const SDL_Event *event, struct rv_viewer *viewer, double scale)
{
    switch (event->type) {
    case SDL_QUIT:
        act(viewer, RV_ACTION_QUIT, 0.0);
        break;
    case SDL_KEYDOWN:
        act(viewer, rv_action_of_key(event->key.keysym.scancode, modifiers_of(event->key.keysym.mod)), 0.0);
        break;
    case SDL_MOUSEWHEEL:
        on_wheel(viewer, &event->wheel);
        break;
    case SDL_MOUSEMOTION:
        on_motion(input, &event->motion, viewer, scale);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        on_button(input, &event->button, viewer, scale);
        break;
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_LEAVE)
            rv_pointer_leave(&viewer->pointer);
        viewer->is_dirty = true;
        break;
    }
}
