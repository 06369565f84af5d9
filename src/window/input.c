#include "window/input.h"

#include <math.h>
#include <string.h>

#define CLICK_POINTS 4.0 /* largest movement between press and release of a click */
#define REST_MS 60u      /* time without motion after which a drag is at rest */
#define SPEED_MS 8u      /* shortest time to measure a speed over: motions come in bursts */
#define SPEED_MAX 6.0    /* windows per second: so that gliding ends near its start */
#define ZOOM_WHEEL 0.87
#define ZOOM_WHEEL_FINE 0.97
#define ZOOM_WHEEL_FAST 0.65
#define ORBIT_PER_POINT 0.006 /* radians */

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

/* Keep the grabbed time under the cursor: look up both ends of the motion at the height of the grab. */
static void pan(struct rv_input *input, struct rv_viewer *viewer, const float to_px[2], double scale)
{
    const float *from_px = viewer->pointer.at_px;
    double from = rv_scene_share_at(viewer->scene, (double)from_px[0], (double)input->grabbed_y_px);
    double to = rv_scene_share_at(viewer->scene, (double)to_px[0], (double)input->grabbed_y_px);
    double share = fmin(fmax(from - to, -1.0), 1.0);
    input->share += share;
    act(viewer, RV_ACTION_PAN, share);
    act(viewer, RV_ACTION_SCROLL, (double)(from_px[1] - to_px[1]) * 100.0 / (scale * viewer->settings.scale_percent));
}

static void measure_speed(struct rv_input *input, uint32_t now_ms)
{
    uint32_t elapsed_ms = now_ms - input->moved_ms;
    if (elapsed_ms < SPEED_MS)
        return;
    double speed_per_s = elapsed_ms > REST_MS ? 0.0 : input->share * 1000.0 / elapsed_ms;
    input->speed_per_s = fmin(fmax(speed_per_s, -SPEED_MAX), SPEED_MAX);
    input->share = 0.0;
    input->moved_ms = now_ms;
}

/* Time under a position, at the height where the drag began, within the window. */
static uint64_t time_at(const struct rv_input *input, const struct rv_viewer *viewer, float x_px)
{
    uint64_t from_ns, to_ns;
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    double share = rv_scene_share_at(viewer->scene, (double)x_px, (double)input->grabbed_y_px);
    return from_ns + (uint64_t)(fmin(fmax(share, 0.0), 1.0) * (double)(to_ns - from_ns));
}

static void select_range(const struct rv_input *input, struct rv_viewer *viewer, bool is_final)
{
    bool is_backwards = input->to_ns < input->grabbed_ns;
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_SELECT,
                                           .amount = is_final ? 1.0 : 0.0,
                                           .from_ns = is_backwards ? input->to_ns : input->grabbed_ns,
                                           .to_ns = is_backwards ? input->grabbed_ns : input->to_ns});
}

static void drag(struct rv_input *input, struct rv_viewer *viewer, const float to_px[2], double scale)
{
    const float *from_px = viewer->pointer.at_px;
    if (!viewer->scene)
        return;
    switch (input->drag) {
    case RV_INPUT_FREE:
        return;
    case RV_INPUT_SELECTING:
        input->to_ns = time_at(input, viewer, to_px[0]);
        select_range(input, viewer, false);
        return;
    case RV_INPUT_PANNING:
        pan(input, viewer, to_px, scale);
        return;
    case RV_INPUT_ORBITING:
        rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_ORBIT,
                                               .amount = ORBIT_PER_POINT * (double)(from_px[0] - to_px[0]) / scale,
                                               .amount_up = ORBIT_PER_POINT * (double)(to_px[1] - from_px[1]) / scale});
        return;
    }
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
    drag(input, viewer, at_px, scale);
    if (input->drag == RV_INPUT_PANNING)
        measure_speed(input, motion->timestamp);
    rv_pointer_move(&viewer->pointer, at_px, input->drag != RV_INPUT_FREE);
}

static enum rv_input_drag drag_of(unsigned button)
{
    switch (button) {
    case SDL_BUTTON_LEFT:
        return RV_INPUT_SELECTING;
    case SDL_BUTTON_MIDDLE:
        return RV_INPUT_ORBITING;
    case SDL_BUTTON_RIGHT:
        return RV_INPUT_PANNING;
    default:
        return RV_INPUT_FREE;
    }
}

static void press(struct rv_input *input, const SDL_MouseButtonEvent *button, struct rv_viewer *viewer,
                  const float at_px[2])
{
    bool is_left = button->button == SDL_BUTTON_LEFT, is_second = is_left && button->clicks == 2;
    input->drag = drag_of(button->button);
    input->grabbed_y_px = at_px[1];
    input->moved_ms = button->timestamp;
    input->share = input->speed_per_s = 0.0;
    input->is_click = !is_second;
    if (viewer->scene)
        input->grabbed_ns = input->to_ns = time_at(input, viewer, at_px[0]);
    if (is_second)
        act(viewer, RV_ACTION_FOCUS, 0.0);
}

/* A click pins the box; the second of a double click focuses it. A right one opens its menu. */
static void on_button(struct rv_input *input, const SDL_MouseButtonEvent *button, struct rv_viewer *viewer,
                      double scale)
{
    enum rv_input_drag kind = drag_of(button->button);
    float at_px[2] = {(float)(button->x * scale), (float)(button->y * scale)};
    if (kind == RV_INPUT_FREE)
        return;
    rv_pointer_move(&viewer->pointer, at_px, false);
    if (button->state == SDL_PRESSED) {
        press(input, button, viewer, at_px);
        return;
    }
    if (input->drag == RV_INPUT_SELECTING && kind == input->drag && input->is_click)
        act(viewer, RV_ACTION_PIN, 0.0);
    else if (input->drag == RV_INPUT_PANNING && kind == input->drag && input->is_click)
        act(viewer, RV_ACTION_MENU, 0.0);
    else if (input->drag == RV_INPUT_SELECTING && kind == input->drag && input->to_ns != input->grabbed_ns)
        select_range(input, viewer, true);
    else if (input->drag == RV_INPUT_PANNING && kind == input->drag && button->timestamp - input->moved_ms <= REST_MS)
        act(viewer, RV_ACTION_GLIDE, input->speed_per_s);
    input->drag = RV_INPUT_FREE;
    input->is_click = false;
}

void rv_input_event(struct rv_input *input, const SDL_Event *event, struct rv_viewer *viewer, double scale)
{
    switch (event->type) {
    case SDL_QUIT:
        act(viewer, RV_ACTION_QUIT, 0.0);
        break;
    case SDL_KEYDOWN:
        act(viewer,
            rv_key_bindings_action(SDL_GetScancodeName(event->key.keysym.scancode),
                                   modifiers_of(event->key.keysym.mod)),
            0.0);
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
