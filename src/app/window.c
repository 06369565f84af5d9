/*
 * One loop: wait for events, or for the time of the next frame; draw only when what is shown has changed. A program
 * that does nothing lets the present stand still a little after its last event, so that an idle window costs nothing.
 */
#include "app/window.h"

#include <string.h>

#include <GL/glew.h>

#include "app/context.h"
#include "app/input.h"
#include "app/meter.h"
#include "base/clock.h"
#include "base/err.h"
#include "render/scene.h"

#define WIDTH 1600
#define HEIGHT 900
#define WINDOW_NS 100000000u
#define TURN_MS 30            /* how often an idle window looks for news */
#define INTERVAL_NS 16000000u /* between two frames at least */
#define SAMPLES 4
#define BUDGET_GPU 250000
#define BUDGET_SOFTWARE 15000 /* while things move; at rest there is time for more */
#define BUDGET_SOFTWARE_AT_REST 60000

struct window {
    const struct rv_window_params *params;
    struct rv_session *session;
    struct rv_context context;
    struct rv_scene *scene;
    struct rv_view view;
    struct rv_viewer viewer;
    struct rv_input input;
    struct rv_meter meter;
    uint64_t frame_ns, frame_cost_ns; /* when the last frame was drawn, and how long it took */
    uint64_t drawn_consumed, n_frames;
    double scale;
    bool is_software;
    bool is_rough; /* drawn without multisampling */
};

/* Everything that moves without the user. */
static void advance(struct window *window, const struct rv_session_counts *counts)
{
    uint64_t clock_ns = rv_clock_mono_ns();
    double dt_s = window->frame_ns ? (double)(clock_ns - window->frame_ns) / 1e9 : 0.0;
    bool was_done = window->viewer.present.is_done, is_done = was_done || rv_session_is_done(window->session);
    rv_viewer_advance(&window->viewer, rv_session_lanes(window->session), is_done, dt_s);
    if (is_done)
        window->meter.events_per_s = 0.0;
    else
        window->viewer.is_dirty |= rv_meter_update(&window->meter, clock_ns, counts->n_consumed);
}

static enum rv_scene_state state_of(const struct rv_present *present)
{
    return present->is_frozen ? RV_SCENE_FROZEN : present->is_done ? RV_SCENE_ENDED : RV_SCENE_LIVE;
}

static void measure_window(struct window *window, int size_px[2])
{
    int width = 1;
    SDL_GL_GetDrawableSize(window->context.window, &size_px[0], &size_px[1]);
    SDL_GetWindowSize(window->context.window, &width, NULL);
    window->scale = width > 0 ? (double)size_px[0] / width : 1.0;
}

static void update_view(struct window *window, int width_px)
{
    struct rv_view_params params = {.box_budget = BUDGET_GPU, .width_px = width_px > 0 ? (uint32_t)width_px : 1};
    window->is_rough = window->is_software && rv_viewer_is_moving(&window->viewer);
    if (window->is_software)
        params.box_budget = window->is_rough ? BUDGET_SOFTWARE : BUDGET_SOFTWARE_AT_REST;
    rv_navigate_window(&window->viewer.navigate, &params.from_ns, &params.to_ns);
    rv_view_update(&window->view, rv_session_lanes(window->session), &params);
}

static struct rv_scene_frame make_frame(const struct window *window, const struct rv_session_counts *counts,
                                        const int size_px[2])
{
    const struct rv_viewer *viewer = &window->viewer;
    const struct rv_present *present = &viewer->present;
    return (struct rv_scene_frame){
        .view = &window->view,
        .subroutines = rv_session_subroutines(window->session),
        .width_px = size_px[0],
        .height_px = size_px[1],
        .scale = window->scale,
        .samples = window->is_rough ? 0 : SAMPLES,
        .now_ns = present->now_ns,
        .origin_ns = present->first_ns,
        .is_live = viewer->navigate.is_following && !present->is_done,
        .status = {window->params->title, window->params->pid, state_of(present), window->meter.events_per_s,
                   counts->n_dropped},
        .look = viewer->look.shown,
        .look_from = viewer->look.from,
        .passed = rv_viewer_passed(viewer),
        .scroll = viewer->look.scroll,
    };
}

static void draw(struct window *window, const struct rv_session_counts *counts)
{
    int size_px[2];
    struct rv_viewer *viewer = &window->viewer;
    measure_window(window, size_px);
    update_view(window, size_px[0]);
    struct rv_scene_frame frame = make_frame(window, counts, size_px);
    rv_viewer_drawn(viewer, frame.passed);
    rv_pointer_show(&viewer->pointer, window->scene, window->session, &frame);
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
    window->n_frames++;
    SDL_GL_SwapWindow(window->context.window);
}

/* New events matter while the view may reach them; a picture drawn in haste is drawn again when all is quiet. */
static bool needs_frame(const struct window *window, const struct rv_session_counts *counts)
{
    const struct rv_viewer *viewer = &window->viewer;
    if (rv_viewer_is_dirty(viewer) || (window->is_rough && !rv_viewer_is_moving(viewer)))
        return true;
    return !viewer->present.is_frozen && counts->n_consumed != window->drawn_consumed;
}

/* Milliseconds until the next frame may come: a software renderer gets no more than half of the time. */
static int pause_ms(const struct window *window, bool needs_one)
{
    uint64_t interval_ns = window->is_software ? 2 * window->frame_cost_ns : 0;
    if (interval_ns < INTERVAL_NS)
        interval_ns = INTERVAL_NS;
    uint64_t since_ns = rv_clock_mono_ns() - window->frame_ns;
    int until_ms = since_ns >= interval_ns ? 0 : (int)((interval_ns - since_ns) / 1000000u);
    return needs_one || rv_viewer_is_moving(&window->viewer) ? until_ms : TURN_MS;
}

static void tell_observer(const struct window *window)
{
    if (!window->params->observe)
        return;
    struct rv_window_state state = {
        .scene = window->scene,
        .view = &window->view,
        .viewer = &window->viewer,
        .n_frames = window->n_frames,
        .is_settled = !rv_viewer_is_dirty(&window->viewer) && !window->is_rough,
    };
    rv_navigate_window(&window->viewer.navigate, &state.from_ns, &state.to_ns);
    window->params->observe(window->params->context, &state);
}

static void take_events(struct window *window, bool needs_one)
{
    SDL_Event event;
    int ms = pause_ms(window, needs_one);
    if (!SDL_WaitEventTimeout(&event, ms > 0 ? ms : 1))
        return;
    do
        rv_input_event(&window->input, &event, &window->viewer, window->scale);
    while (SDL_PollEvent(&event));
}

static void run_loop(struct window *window)
{
    struct rv_session_counts counts = {0};
    struct rv_viewer *viewer = &window->viewer;
    bool needs_one = true;
    while (!viewer->is_closing) {
        take_events(window, needs_one);
        rv_session_counts(window->session, &counts);
        advance(window, &counts);
        if (window->n_frames && rv_pointer_look(&viewer->pointer, window->scene, &window->view))
            rv_viewer_point(viewer);
        needs_one = needs_frame(window, &counts);
        if (needs_one && pause_ms(window, true) == 0)
            draw_and_show(window, &counts);
        tell_observer(window);
        if (window->params->should_close && window->params->should_close(window->params->context))
            viewer->is_closing = true;
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
    struct window window = {.params = params, .session = session, .scale = 1.0};
    int err = open_window(&window);
    if (!err) {
        rv_viewer_init(&window.viewer, &(struct rv_viewer_params){
                                           .look = params->look,
                                           .now_ns = rv_clock_mono_ns(),
                                           .window_ns = params->window_ns ? params->window_ns : WINDOW_NS,
                                           .scene = window.scene,
                                           .view = &window.view,
                                       });
        run_loop(&window);
    }
    rv_scene_destroy(window.scene);
    rv_view_fini(&window.view);
    rv_context_close(&window.context);
    return err;
}
