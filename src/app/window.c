/*
 * One loop: wait for events, or for the time of the next frame; draw only when what is shown has changed. A program
 * that does nothing lets the present stand still a little after its last event, so that an idle window costs nothing.
 */
#include "app/window.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <GL/glew.h>

#include "app/context.h"
#include "app/navigate.h"
#include "app/pointer.h"
#include "base/clock.h"
#include "base/err.h"
#include "render/scene.h"

#define WIDTH 1600
#define HEIGHT 900
#define WINDOW_NS 100000000u
#define IDLE_SHARE 0.25      /* of the window that stays free after the last event of an idle program */
#define TURN_MS 30           /* how often an idle window looks for news */
#define SWITCH_NS 200000000u /* from one view to another */
#define SETTLE_NS 200000000u
#define RATE_NS 500000000u
#define SAMPLES 4
#define BUDGET_GPU 250000
#define BUDGET_SOFTWARE 15000 /* while things move; at rest there is time for more */
#define BUDGET_SOFTWARE_AT_REST 60000
#define CLICK_POINTS 4 /* that the cursor may move between press and release of a click */
#define ZOOM_KEY 0.85
#define PAN_KEY 0.08
#define ZOOM_WHEEL 0.87
#define ZOOM_WHEEL_FINE 0.97
#define ZOOM_WHEEL_FAST 0.65

struct window {
    const struct rv_window_params *params;
    struct rv_session *session;
    struct rv_context context;
    struct rv_scene *scene;
    struct rv_view view;
    struct rv_navigate navigate;
    struct rv_pointer pointer;
    uint64_t first_ns, last_ns, now_ns; /* of the trace; the present as shown */
    uint64_t frame_ns, frame_cost_ns;   /* when the last frame was drawn, and how long it took */
    uint64_t input_ns, moved_ns;        /* when the user last did something, and the window last moved by itself */
    uint64_t drawn_consumed, rate_ns, rate_consumed;
    double events_per_s;
    uint64_t focus_from_ns, focus_to_ns, n_frames; /* the window that the last focus chose */
    float mouse_px[2], drag_y_px;
    double scale;
    bool is_software, is_done, is_frozen, is_closing, is_touched, is_dragging;
    bool is_click; /* the left button is down and the cursor has stayed */
    enum rv_look look, look_from;
    double scroll;      /* points, of flat looks */
    uint64_t switch_ns; /* when the view was changed */
    bool is_switching;
    bool is_dirty, is_rough; /* must be drawn; was drawn without multisampling */
};

static double cursor_share(const struct window *window)
{
    double share = rv_scene_share_at(window->scene, (double)window->mouse_px[0], (double)window->mouse_px[1]);
    return fmin(fmax(share, 0.0), 1.0);
}

static void touch(struct window *window)
{
    window->is_dirty = window->is_touched = true;
    window->input_ns = rv_clock_mono_ns();
}

static void zoom(struct window *window, double factor)
{
    rv_navigate_zoom(&window->navigate, cursor_share(window), factor);
    touch(window);
}

static void pan(struct window *window, double share)
{
    rv_navigate_pan(&window->navigate, share);
    touch(window);
}

static void follow(struct window *window)
{
    window->is_frozen = false;
    rv_navigate_follow(&window->navigate, window->now_ns);
    touch(window);
}

static void fit_all(struct window *window)
{
    window->navigate.is_following = false;
    rv_navigate_set(&window->navigate, window->first_ns,
                    window->last_ns > window->first_ns ? window->last_ns : window->now_ns);
    window->is_dirty = true;
}

/* What the pointer shows has changed: no use of the window that keeps it from fitting all at the end. */
static void point(struct window *window)
{
    window->is_dirty = true;
    window->input_ns = rv_clock_mono_ns();
}

static bool focus(struct window *window)
{
    uint64_t from_ns, to_ns;
    if (!rv_hover_window(&window->pointer.hover, &from_ns, &to_ns))
        return false;
    window->navigate.is_following = false;
    rv_navigate_set(&window->navigate, from_ns, to_ns);
    rv_navigate_window(&window->navigate, &window->focus_from_ns, &window->focus_to_ns);
    touch(window);
    return true;
}

/* Focus, or fit all when there is nothing to focus or it fills the window already. */
static void focus_or_fit(struct window *window)
{
    uint64_t from_ns, to_ns;
    rv_navigate_window(&window->navigate, &from_ns, &to_ns);
    bool is_focused = from_ns == window->focus_from_ns && to_ns == window->focus_to_ns;
    if (is_focused || !focus(window))
        fit_all(window);
    touch(window);
}

static void toggle_freeze(struct window *window)
{
    window->is_frozen = !window->is_frozen;
    touch(window);
}

static void show_look(struct window *window, enum rv_look look)
{
    if (look != window->look) {
        window->look_from = window->look;
        window->switch_ns = rv_clock_mono_ns();
    }
    window->look = look;
    touch(window);
}

static double switch_passed(const struct window *window)
{
    return fmin((double)(rv_clock_mono_ns() - window->switch_ns) / SWITCH_NS, 1.0);
}

static void on_key(struct window *window, const SDL_Keysym *key)
{
    bool has_ctrl = key->mod & KMOD_CTRL;
    switch ((int)key->scancode) {
    case SDL_SCANCODE_W:
        zoom(window, ZOOM_KEY);
        break;
    case SDL_SCANCODE_S:
        zoom(window, 1.0 / ZOOM_KEY);
        break;
    case SDL_SCANCODE_A:
    case SDL_SCANCODE_LEFT:
        pan(window, -PAN_KEY);
        break;
    case SDL_SCANCODE_D:
    case SDL_SCANCODE_RIGHT:
        pan(window, PAN_KEY);
        break;
    case SDL_SCANCODE_UP:
        zoom(window, ZOOM_KEY);
        break;
    case SDL_SCANCODE_DOWN:
        zoom(window, 1.0 / ZOOM_KEY);
        break;
    case SDL_SCANCODE_1:
    case SDL_SCANCODE_2:
    case SDL_SCANCODE_3:
    case SDL_SCANCODE_4:
        show_look(window, (enum rv_look)(key->scancode - SDL_SCANCODE_1));
        break;
    case SDL_SCANCODE_SPACE:
        toggle_freeze(window);
        break;
    case SDL_SCANCODE_END:
    case SDL_SCANCODE_L:
        follow(window);
        break;
    case SDL_SCANCODE_F:
        focus_or_fit(window);
        break;
    case SDL_SCANCODE_ESCAPE:
        rv_pointer_unpin(&window->pointer);
        point(window);
        break;
    case SDL_SCANCODE_Q:
        window->is_closing = has_ctrl;
        break;
    }
}

static void on_wheel(struct window *window, const SDL_MouseWheelEvent *wheel)
{
    SDL_Keymod mod = SDL_GetModState();
    double step = mod & KMOD_CTRL ? ZOOM_WHEEL_FINE : mod & KMOD_SHIFT ? ZOOM_WHEEL_FAST : ZOOM_WHEEL;
    double turns = (double)(wheel->preciseY != 0.0f ? wheel->preciseY : wheel->preciseX);
    if (wheel->direction == SDL_MOUSEWHEEL_FLIPPED)
        turns = -turns;
    zoom(window, pow(step, turns));
}

/* What was grabbed stays under the cursor: both ends of the motion are looked up at the height of the grab. */
static void on_motion(struct window *window, const SDL_MouseMotionEvent *motion)
{
    float x_px = (float)(motion->x * window->scale), y_px = (float)(motion->y * window->scale);
    float moved_px = hypotf(x_px - window->mouse_px[0], y_px - window->mouse_px[1]);
    if (window->is_click && moved_px <= (float)(CLICK_POINTS * window->scale))
        return;
    window->is_click = false;
    if (!window->pointer.hover.is_pinned)
        window->focus_to_ns = 0;
    if (window->is_dragging) {
        double y = (double)window->drag_y_px;
        double from = rv_scene_share_at(window->scene, (double)window->mouse_px[0], y);
        double to = rv_scene_share_at(window->scene, (double)x_px, y);
        pan(window, fmin(fmax(from - to, -1.0), 1.0));
        double up = (double)(window->mouse_px[1] - y_px) / window->scale, most = rv_scene_scroll_max(window->scene);
        window->scroll = most > 0.0 ? fmin(fmax(window->scroll + up, 0.0), most) : window->scroll;
    }
    window->mouse_px[0] = x_px;
    window->mouse_px[1] = y_px;
    rv_pointer_move(&window->pointer, window->mouse_px, window->is_dragging);
}

/* A click pins what is there; the second of two focuses it. */
static void on_click(struct window *window)
{
    rv_pointer_pin(&window->pointer, window->scene, &window->view);
    window->focus_to_ns = 0;
    point(window);
}

static void on_button(struct window *window, const SDL_MouseButtonEvent *button)
{
    if (button->button != SDL_BUTTON_LEFT && button->button != SDL_BUTTON_RIGHT)
        return;
    enum rv_look tab = rv_scene_look_at(window->scene, button->x * window->scale, button->y * window->scale);
    if (button->state == SDL_PRESSED && tab != RV_LOOK_COUNT) {
        show_look(window, tab);
        return;
    }
    window->is_dragging = button->state == SDL_PRESSED;
    window->mouse_px[0] = (float)(button->x * window->scale);
    window->mouse_px[1] = window->drag_y_px = (float)(button->y * window->scale);
    rv_pointer_move(&window->pointer, window->mouse_px, false);
    bool is_second = button->clicks == 2 && window->is_dragging, was_click = window->is_click;
    window->is_click = button->button == SDL_BUTTON_LEFT && window->is_dragging && !is_second;
    if (was_click && !window->is_dragging)
        on_click(window);
    if (is_second && button->button == SDL_BUTTON_LEFT)
        (void)focus(window);
}

static void on_event(struct window *window, const SDL_Event *event)
{
    switch (event->type) {
    case SDL_QUIT:
        window->is_closing = true;
        break;
    case SDL_KEYDOWN:
        on_key(window, &event->key.keysym);
        break;
    case SDL_MOUSEWHEEL:
        on_wheel(window, &event->wheel);
        break;
    case SDL_MOUSEMOTION:
        on_motion(window, &event->motion);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        on_button(window, &event->button);
        break;
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_LEAVE)
            rv_pointer_leave(&window->pointer);
        window->is_dirty = true;
        break;
    }
}

static void measure_rate(struct window *window, uint64_t now_ns, uint64_t n_consumed)
{
    uint64_t elapsed_ns = now_ns - window->rate_ns;
    if (elapsed_ns < RATE_NS)
        return;
    double rate = (double)(n_consumed - window->rate_consumed) * 1e9 / (double)elapsed_ns;
    window->is_dirty |= rate != window->events_per_s;
    window->events_per_s = rate;
    window->rate_ns = now_ns;
    window->rate_consumed = n_consumed;
}

/* Where the present is: the clock while the program runs and does something, else a little after its last event. */
static void update_present(struct window *window, uint64_t clock_ns)
{
    uint64_t first_ns, last_ns;
    if (rv_lanes_bounds(rv_session_lanes(window->session), &first_ns, &last_ns)) {
        window->first_ns = first_ns;
        window->last_ns = last_ns;
    }
    if (window->is_frozen)
        return;
    uint64_t free_ns = (uint64_t)(IDLE_SHARE * window->navigate.window_ns);
    uint64_t idle_ns = window->last_ns + free_ns;
    if (window->is_done)
        window->now_ns = window->last_ns;
    else
        window->now_ns = window->last_ns && idle_ns < clock_ns ? idle_ns : clock_ns;
}

static void on_end(struct window *window)
{
    window->is_done = true;
    window->is_dirty = true;
    window->events_per_s = 0.0;
    update_present(window, rv_clock_mono_ns());
    if (!window->is_touched)
        fit_all(window);
}

/* Everything that moves without the user. */
static void advance(struct window *window, const struct rv_session_counts *counts)
{
    uint64_t clock_ns = rv_clock_mono_ns();
    double dt_s = window->frame_ns ? (double)(clock_ns - window->frame_ns) / 1e9 : 0.0;
    if (!window->is_done && rv_session_is_done(window->session))
        on_end(window);
    update_present(window, clock_ns);
    if (!window->is_done)
        measure_rate(window, clock_ns, counts->n_consumed);
    if (window->is_frozen || !window->navigate.is_following)
        return;
    struct rv_navigate before = window->navigate;
    rv_navigate_advance(&window->navigate, window->now_ns, fmin(dt_s, 0.25));
    if (before.from_ns == window->navigate.from_ns)
        return;
    window->is_dirty = true;
    window->moved_ns = clock_ns;
}

static enum rv_scene_state state_of(const struct window *window)
{
    return window->is_frozen ? RV_SCENE_FROZEN : window->is_done ? RV_SCENE_ENDED : RV_SCENE_LIVE;
}

static bool is_moving(const struct window *window)
{
    uint64_t last_ns = window->input_ns > window->moved_ns ? window->input_ns : window->moved_ns;
    return rv_clock_mono_ns() - last_ns < SETTLE_NS;
}

static void draw(struct window *window, const struct rv_session_counts *counts)
{
    struct rv_view_params params = {.box_budget = BUDGET_GPU};
    int width_px = 0, height_px = 0, width = 1;
    SDL_GL_GetDrawableSize(window->context.window, &width_px, &height_px);
    SDL_GetWindowSize(window->context.window, &width, NULL);
    window->scale = width > 0 ? (double)width_px / width : 1.0;
    window->is_rough = window->is_software && is_moving(window);
    if (window->is_software)
        params.box_budget = window->is_rough ? BUDGET_SOFTWARE : BUDGET_SOFTWARE_AT_REST;
    rv_navigate_window(&window->navigate, &params.from_ns, &params.to_ns);
    params.width_px = width_px > 0 ? (uint32_t)width_px : 1;
    rv_view_update(&window->view, rv_session_lanes(window->session), &params);
    struct rv_scene_frame frame = {
        .view = &window->view,
        .subroutines = rv_session_subroutines(window->session),
        .width_px = width_px,
        .height_px = height_px,
        .scale = window->scale,
        .samples = window->is_rough ? 0 : SAMPLES,
        .now_ns = window->now_ns,
        .origin_ns = window->first_ns,
        .is_live = window->navigate.is_following && !window->is_done,
        .status = {window->params->title, window->params->pid, state_of(window), window->events_per_s,
                   counts->n_dropped},
    };
    frame.look = window->look;
    frame.scroll = window->scroll;
    frame.look_from = window->look_from;
    frame.passed = switch_passed(window);
    window->is_switching = frame.look != frame.look_from && frame.passed < 1.0;
    if (!window->is_switching)
        window->look_from = window->look;
    rv_pointer_show(&window->pointer, window->scene, window->session, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    rv_scene_draw(window->scene, &frame);
    if (window->is_software)
        glFinish();
}

static void draw_and_show(struct window *window, const struct rv_session_counts *counts)
{
    uint64_t start_ns = rv_clock_mono_ns();
    draw(window, counts);
    window->frame_cost_ns = rv_clock_mono_ns() - start_ns;
    window->frame_ns = start_ns;
    window->drawn_consumed = counts->n_consumed;
    window->is_dirty = false;
    window->n_frames++;
    SDL_GL_SwapWindow(window->context.window);
}

/* New events matter while the view may reach them; a picture drawn in haste is drawn again when all is quiet. */
static bool needs_frame(const struct window *window, const struct rv_session_counts *counts)
{
    if (window->is_dirty || window->is_switching || (window->is_rough && !is_moving(window)))
        return true;
    return !window->is_frozen && counts->n_consumed != window->drawn_consumed;
}

/* Milliseconds until the next frame may come: a software renderer gets no more than half of the time. */
static int pause_ms(const struct window *window, bool needs_one)
{
    uint64_t interval_ns = window->is_software ? 2 * window->frame_cost_ns : 0;
    if (interval_ns < 16000000u)
        interval_ns = 16000000u;
    uint64_t since_ns = rv_clock_mono_ns() - window->frame_ns;
    int until_ms = since_ns >= interval_ns ? 0 : (int)((interval_ns - since_ns) / 1000000u);
    return needs_one || is_moving(window) ? until_ms : TURN_MS;
}

static void tell_observer(const struct window *window)
{
    struct rv_window_state state = {
        .scene = window->scene,
        .view = &window->view,
        .pointer = &window->pointer,
        .first_ns = window->first_ns,
        .last_ns = window->last_ns,
        .n_frames = window->n_frames,
        .look = window->look,
        .is_settled = !window->is_dirty && !window->is_rough && !window->is_switching,
    };
    rv_navigate_window(&window->navigate, &state.from_ns, &state.to_ns);
    if (window->params->observe)
        window->params->observe(window->params->context, &state);
}

static void run_loop(struct window *window)
{
    struct rv_session_counts counts = {0};
    bool needs_one = true;
    while (!window->is_closing) {
        SDL_Event event;
        int ms = pause_ms(window, needs_one);
        if (SDL_WaitEventTimeout(&event, ms > 0 ? ms : 1)) {
            do
                on_event(window, &event);
            while (SDL_PollEvent(&event));
        }
        rv_session_counts(window->session, &counts);
        advance(window, &counts);
        if (window->n_frames && rv_pointer_look(&window->pointer, window->scene, &window->view))
            point(window);
        needs_one = needs_frame(window, &counts);
        if (needs_one && pause_ms(window, true) == 0)
            draw_and_show(window, &counts);
        tell_observer(window);
        if (window->params->should_close && window->params->should_close(window->params->context))
            window->is_closing = true;
    }
}

static int open_window(struct window *window)
{
    const struct rv_window_params *params = window->params;
    struct rv_context_params context = {
        .title = params->title ? params->title : "ringviz",
        .width = params->width_px ? params->width_px : WIDTH,
        .height = params->height_px ? params->height_px : HEIGHT,
    };
    int err = rv_context_open(&window->context, &context);
    if (err)
        return err;
    SDL_GL_SetSwapInterval(1);
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    window->is_software = renderer && (strstr(renderer, "llvmpipe") || strstr(renderer, "softpipe"));
    rv_note("drawing with %s", renderer ? renderer : "an unnamed renderer");
    return rv_scene_create(&window->scene);
}

int rv_window_check(void)
{
    return rv_context_check();
}

int rv_window_run(struct rv_session *session, const struct rv_window_params *params)
{
    struct window window = {.params = params, .session = session, .is_dirty = true, .scale = 1.0};
    window.look = window.look_from = params->look;
    int err = open_window(&window);
    if (!err) {
        uint64_t now_ns = rv_clock_mono_ns(), width_ns = params->window_ns ? params->window_ns : WINDOW_NS;
        window.now_ns = window.rate_ns = now_ns;
        rv_navigate_set(&window.navigate, now_ns - width_ns, now_ns);
        rv_navigate_follow(&window.navigate, now_ns);
        run_loop(&window);
    }
    rv_scene_destroy(window.scene);
    rv_view_fini(&window.view);
    rv_context_close(&window.context);
    return err;
}
