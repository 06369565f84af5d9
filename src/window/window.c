/*
 * One loop: wait for events, or for the time of the next frame; draw only when the contents have changed. For an idle
 * program the present stops a little after its last event, so that an idle window costs nothing.
 *
 * A frame is requested early enough for another thread to finish it when it is due, and drawn as requested. Later
 * changes go to the next frame.
 */
#include "window/window.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <GL/glew.h>

#include "window/gl_context.h"
#include "window/driver_threads.h"
#include "window/input.h"
#include "window/frame_builder.h"
#include "window/capture_rates.h"
#include "window/new_file.h"
#include "window/panels.h"
#include "window/view_command.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/os.h"
#include "base/vec.h"
#include "model/box_budget.h"
#include "render/png.h"
#include "render/scene.h"

#define PATH_BYTES 4096
#define WIDTH 1600
#define HEIGHT 900
#define LIVE_NS 1000000000u   /* of time, which a window shows at first */
#define PLAYED_NS 100000000u  /* the same of one that plays a file */
#define TURN_MS 30            /* interval of checks in an idle window */
#define INTERVAL_NS 16000000u /* least interval of frames */
#define OPEN_NS 100000000u    /* after so much time open calls are drawn longer */
#define TEXT_NS 6000000u      /* of a frame, for texts in other scripts that are new in it; as much for panels */
#define SAMPLES 4
#define COARSE 4u               /* a coarse picture has this part of the boxes */
#define SETTLING_NS 5000000000u /* from the start: a package may be split, which changes colours */

static const char WAITING[] = "waiting for the first event\n";

/* Box budgets of a view mode: initial, and limits of adaptation; larger at rest, when a software renderer has time. */
static const struct rv_box_budget BUDGET_GPU = {
    .n_boxes = 250000, .least = 20000, .most = 250000, .frame_ns = 25000000};
static const struct rv_box_budget BUDGET_SOFTWARE = {
    .n_boxes = RV_BOX_BUDGET_SOFTWARE, .least = 5000, .most = 120000, .frame_ns = 80000000};
/* A frame at rest is drawn once and stays: it may take a second. */
static const struct rv_box_budget BUDGET_SOFTWARE_AT_REST = {
    .n_boxes = 60000, .least = 30000, .most = 120000, .frame_ns = 1000000000};

struct window {
    const struct rv_window_params *params;
    struct rv_session *session;
    struct rv_gl_context context;
    struct rv_scene *scene;
    struct rv_frame_builder *frame_builder;
    struct rv_scene_frame asked, frame; /* the last one requested, the last one drawn */
    struct rv_viewer viewer;
    struct rv_input input;
    struct rv_capture_rates rates;
    struct rv_panels panels;
    struct rv_session_counts counts;
    uint64_t frame_ns, frame_cost_ns;     /* when the last frame was drawn, and how long it took */
    uint64_t opened_ns, advanced_ns;      /* when the window was opened; time up to which the viewer has advanced */
    uint64_t asked_consumed, asked_pages; /* counts at the last request */
    uint64_t asked_live_ns;               /* and the present */
    uint64_t drawn_hash, n_frames;
    struct rv_scene_insets drawn_insets; /* of the last picture */
    int size_px[2];
    double density, scale; /* pixels per unit of SDL's positions, per point */
    struct rv_box_budget moving[RV_VIEW_MODE_COUNT], at_rest[RV_VIEW_MODE_COUNT];
    struct rv_driver_threads drivers; /* of software GL */
    bool is_software;
    bool is_rough;       /* the last request was quick: no multisampling */
    bool has_asked_path; /* the last request has the critical path */
    bool is_recording;
    uint64_t recorded_from_ns; /* when that began or ended */
    bool has_ended;            /* a frame of the ended capture was requested: its colours are those of the whole run */
    bool has_news;             /* the panels may have changed */
    uint64_t asked_why_ns;     /* when it was asked last why no event comes */
    unsigned n_warnings;       /* of which the panels know */
    char why_silent[RV_WINDOW_WHY_BYTES + 64]; /* after WAITING, drawn instead of a picture; "" = not known */
};

static void measure_window(struct window *window)
{
    int width = 1;
    SDL_GL_GetDrawableSize(window->context.window, &window->size_px[0], &window->size_px[1]);
    SDL_GetWindowSize(window->context.window, &width, NULL);
    window->density = width > 0 ? (double)window->size_px[0] / width : 1.0;
    window->scale = window->density * window->viewer.settings.scale_percent / 100.0;
}

static struct rv_panels_about about_of(struct window *window)
{
    return (struct rv_panels_about){
        .viewer = &window->viewer,
        .view = rv_scene_picture(window->scene)->view,
        .colors = rv_scene_picture(window->scene)->colors,
        .arcs = &rv_scene_picture(window->scene)->arcs,
        .lanes = rv_session_lanes(window->session),
        .subroutines = rv_session_subroutines(window->session),
        .rates = window->viewer.live_edge.is_done ? NULL : &window->rates,
        .program = window->params->title,
        .pid = window->params->pid,
        .n_dropped = window->counts.n_dropped,
        .has_lost_history = window->counts.has_lost_history,
        .is_recording = window->is_recording,
        .has_timebar = true,
        .has_warnings = true,
        .settings_path = window->params->settings_path,
        .surface = {window->size_px[0], window->size_px[1], window->scale, window->density,
                    rv_color_theme_of(window->viewer.look.scheme, window->viewer.settings.theme), TEXT_NS},
    };
}

/* Advance everything that moves by itself. */
static void advance(struct window *window)
{
    struct rv_viewer *viewer = &window->viewer;
    uint64_t clock_ns = rv_clock_mono_ns();
    window->has_news |= rv_message_expire(&viewer->message, clock_ns);
    double dt_s = window->advanced_ns ? (double)(clock_ns - window->advanced_ns) / 1e9 : 0.0;
    window->advanced_ns = clock_ns;
    const bool was_done = viewer->live_edge.is_done, is_done = was_done || rv_session_is_done(window->session);
    if (is_done && !was_done && window->params->ended)
        window->params->ended(window->params->context);
    for (; rv_warning_kept(window->n_warnings); window->n_warnings++)
        window->has_news = true;
    rv_viewer_advance(viewer, rv_session_lanes(window->session), is_done, dt_s);
    window->has_news |= rv_viewer_self_times_advance(viewer);
    bool has_other_stops;
    window->has_news |= rv_viewer_debugger_advance(&viewer->debugger, rv_session_lanes(window->session),
                                                   rv_session_subroutines(window->session), &has_other_stops);
    viewer->is_dirty |= has_other_stops;
    if (is_done && viewer->debugger.debug_session) { /* the program may keep running without us */
        rv_viewer_debugger_stop(&viewer->debugger);
        window->has_news = viewer->is_dirty = true;
    }
    if (!is_done)
        window->has_news |=
            rv_capture_rates_update(&window->rates, clock_ns, window->counts.n_consumed, viewer->live_edge.last_ns);
}

static struct rv_box_budget *budget_of(struct window *window, enum rv_view_mode look)
{
    return window->is_software && !window->is_rough ? &window->at_rest[look] : &window->moving[look];
}

/* Of what the user waits for a coarse picture comes at once; the next one is finer. */
static size_t n_boxes_of(struct window *window)
{
    const bool is_coarse = window->is_software && rv_viewer_lit_path_is_due(&window->viewer);
    return budget_of(window, window->asked.look)->n_boxes / (is_coarse ? COARSE : 1);
}

/* Where times count from the start of lanes, nothing of the capture is marked. */
static struct rv_scene_frame make_frame_from_start(struct rv_scene_frame frame)
{
    frame.is_live = false;
    frame.has_now = false;
    frame.counts_from_start = true;
    frame.selected = (struct rv_range_ns){0, 0};
    return frame;
}

static struct rv_scene_frame make_frame(const struct window *window)
{
    const struct rv_viewer *viewer = &window->viewer;
    const struct rv_live_edge *live_edge = &viewer->live_edge;
    return (struct rv_scene_frame){
        .subroutines = rv_session_subroutines(window->session),
        .samples = window->is_rough ? 0 : SAMPLES,
        .now_ns = live_edge->now_ns,
        .origin_ns = live_edge->first_ns,
        .is_live = viewer->time_window.is_following && (viewer->playhead.is_on || !live_edge->is_done),
        .has_now = viewer->playhead.is_on,
        .look = viewer->look.shown,
        .look_from = viewer->look.from,
        .passed = rv_viewer_passed(viewer),
        .scroll = viewer->look.scroll,
        .row_scale = viewer->look.row_scale,
        .scheme = viewer->look.scheme,
        .diff = viewer->diff,
        .theme = rv_color_theme_of(viewer->look.scheme, viewer->settings.theme),
        .orbit = {viewer->look.orbit[0], viewer->look.orbit[1]},
        .selected = viewer->selected,
    };
}

static enum rv_box_colors_stage stage_of(const struct window *window)
{
    bool is_young = rv_clock_mono_ns() - window->opened_ns < SETTLING_NS;
    if (is_young && !window->viewer.live_edge.is_done)
        return RV_BOX_COLORS_SETTLING;
    return rv_viewer_is_moving(&window->viewer) ? RV_BOX_COLORS_MOVING : RV_BOX_COLORS_RESTING;
}

static void ask_for_calls(struct rv_viewer *viewer, struct rv_frame_request *request)
{
    const struct rv_viewer_calls_view *calls_view = &viewer->calls_view;
    request->has_calls = true;
    request->rows = calls_view->rows;
    request->view.is_past = false;
    rv_time_window_get(&calls_view->time_window, &request->view.from_ns, &request->view.to_ns);
}

/* Later changes of the viewer are for the next frame. */
static void ask_for_frame(struct window *window)
{
    struct rv_viewer *viewer = &window->viewer;
    window->is_rough = window->is_software && rv_viewer_is_moving(viewer);
    measure_window(window);
    window->asked = make_frame(window);
    if (rv_viewer_counts_from_start(viewer))
        window->asked = make_frame_from_start(window->asked);
    struct rv_frame_request request = {.has_leaves = rv_view_mode_get(window->asked.look)->has_leaves,
                                       .stage = stage_of(window),
                                       .scheme = window->asked.scheme,
                                       .diff = window->asked.diff,
                                       .arcs = rv_viewer_arcs(viewer),
                                       .holders = rv_viewer_holders(viewer)};
    if (viewer->live_edge.is_done && !window->has_ended) {
        window->has_ended = true;
        request.learns_colours = !viewer->is_touched;
        request.whole_ns[0] = viewer->live_edge.first_ns;
        request.whole_ns[1] = viewer->live_edge.last_ns;
    }
    rv_lane_choices_update(&viewer->lane_order, rv_session_lanes(window->session));
    request.view.is_steady = true;
    request.view.has_front_first = window->is_rough && rv_view_mode_has_front(window->asked.look);
    request.view.width_px = (uint32_t)window->size_px[0];
    request.view.box_budget = n_boxes_of(window);
    request.view.most_rows = rv_view_mode_get(window->asked.look)->most_rows;
    request.view.lane_order = &viewer->lane_order;
    request.view.is_past = viewer->playhead.is_on;
    request.view.until_ns = viewer->playhead.at_ns;
    rv_time_window_get(&viewer->time_window, &request.view.from_ns, &request.view.to_ns);
    rv_viewer_apply(viewer, &request.view);
    if (rv_viewer_calls_view_is_shown(viewer))
        ask_for_calls(viewer, &request);
    request.has_tasks = rv_viewer_tasks_view_is_shown(viewer);
    if (request.has_tasks)
        request.tasks = rv_viewer_tasks_view_apply(viewer, &request.view);
    rv_frame_builder_ask(window->frame_builder, &request);
    window->has_asked_path = request.view.path != NULL;
    window->asked_consumed = window->counts.n_consumed;
    window->asked_pages = window->counts.n_pages;
    window->asked_live_ns = viewer->live_edge.live_ns;
    rv_viewer_drawn(viewer, window->asked.passed);
}

static void take_frame(struct window *window)
{
    const struct rv_frame_data *picture = rv_frame_builder_take(window->frame_builder);
    const struct rv_view *view = picture->view;
    window->frame = window->asked;
    rv_scene_show(window->scene, picture);
    window->viewer.view = view;
    if (!rv_viewer_counts_from_start(&window->viewer))
        (void)rv_session_want(window->session, view->from_ns, view->to_ns, view->level);
}

/* NULL: an event has come, or the reason is not known. */
static const char *why_silent(const struct window *window)
{
    const size_t first = window->viewer.live_edge.is_done ? sizeof WAITING - 1 : 0;
    return window->why_silent[0] ? window->why_silent + first : NULL;
}

static void draw(struct window *window)
{
    struct rv_viewer *viewer = &window->viewer;
    measure_window(window);
    struct rv_scene_frame frame = window->frame;
    struct rv_panels_about about = about_of(window);
    frame.view = about.view;
    frame.scale = window->scale;
    rv_pointer_tell_pinned(&viewer->pointer, window->session, &frame);
    rv_panels_update(&window->panels, &about);
    window->has_news |= rv_panels_lack_text(&window->panels);
    frame.width_px = window->size_px[0];
    frame.height_px = window->size_px[1];
    frame.text_ns = TEXT_NS;
    frame.insets = window->drawn_insets = rv_panels_insets(&window->panels);
    if (!rv_view_mode_get(frame.look)->has_rows) {
        frame.flags = (struct rv_bookmark_flags){viewer->marks.ns, viewer->marks.notes, viewer->marks.n};
        frame.stops = (struct rv_debugger_marks){viewer->debugger.stopped, viewer->debugger.n_stopped};
    }
    const char *silence = frame.view->n_hidden ? NULL : why_silent(window);
    frame.caption = silence ? silence : rv_viewer_caption(viewer, frame.view);
    rv_pointer_show(&viewer->pointer, window->scene, window->session, &frame);
    if (!frame.arc)
        frame.arc = rv_viewer_waits_arc(viewer, &rv_scene_picture(window->scene)->arcs);
    if (viewer->pointer.hover.is_pinned && window->panels.has_inspector)
        frame.tooltip = NULL;
    rv_scene_draw(window->scene, &frame);
    rv_viewer_drawn_rows(viewer, frame.row_scale);
}

/* Of the frame that is about to be shown. */
static void write_screenshot(struct window *window)
{
    const int width_px = window->size_px[0], height_px = window->size_px[1];
    char path[64];
    int fd = rv_new_file_create("picture", "png", path, sizeof path), err = fd < 0 ? fd : 0;
    window->viewer.wants_screenshot = false;
    if (!err) {
        uint8_t *rgba = rv_alloc((size_t)width_px * (size_t)height_px, 4);
        rv_scene_read_pixels(width_px, height_px, rgba);
        err = close(fd) == 0 ? rv_png_write(path, rgba, width_px, height_px) : -errno;
        free(rgba);
        if (err)
            (void)unlink(path);
    }
    rv_message_written(&window->viewer.message, path, err);
    window->has_news = true;
}

/* Of a frame that was begun with these times. GL of a GPU waits for the GPU, not for a CPU. */
static uint64_t alone_ns(const struct window *window, const struct rv_frame_cost *begun, uint64_t wall_ns)
{
    const size_t n_cpus = rv_os_n_cpus(), n_drivers = window->drivers.n;
    return rv_box_budget_alone_ns(
        &(struct rv_frame_cost){.wall_ns = wall_ns,
                                .own_ns = rv_clock_thread_cpu_ns() - begun->own_ns,
                                .driver_ns = rv_driver_threads_cpu_ns(&window->drivers) - begun->driver_ns,
                                .n_drivers = n_drivers < n_cpus ? n_drivers : n_cpus});
}

static void draw_and_show(struct window *window, bool is_scene_new)
{
    const struct rv_frame_cost begun = {.own_ns = rv_clock_thread_cpu_ns(),
                                        .driver_ns = rv_driver_threads_cpu_ns(&window->drivers)};
    uint64_t start_ns = rv_clock_mono_ns();
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (is_scene_new)
        take_frame(window);
    if (is_scene_new || !rv_scene_draw_again(window->scene, window->size_px[0], window->size_px[1]))
        draw(window);
    rv_panels_draw(&window->panels);
    window->drawn_hash = window->panels.hash;
    if (window->viewer.wants_screenshot)
        write_screenshot(window);
    if (window->is_software)
        glFinish();
    window->frame_cost_ns = rv_clock_mono_ns() - start_ns;
    const uint64_t cost_ns = alone_ns(window, &begun, window->frame_cost_ns);
    window->frame_ns = start_ns;
    window->n_frames++;
    SDL_GL_SwapWindow(window->context.window);
    uint64_t took_ns = window->is_software ? cost_ns : rv_clock_mono_ns() - start_ns;
    uint64_t made_ns = rv_frame_builder_took_ns(window->frame_builder);
    const struct rv_view *view = rv_scene_picture(window->scene)->view;
    if (is_scene_new)
        rv_box_budget_learn(budget_of(window, window->frame.look), view->n_boxes + view->n_joined,
                            took_ns > made_ns ? took_ns : made_ns);
}

/* New events matter if the view may contain them, as does time that open calls have gone on; a quick picture is redrawn at
 * rest. */
static bool needs_scene(const struct window *window)
{
    const struct rv_viewer *viewer = &window->viewer;
    if (rv_viewer_is_dirty(viewer) || (window->is_rough && !rv_viewer_is_moving(viewer)))
        return true;
    if (window->counts.n_pages != window->asked_pages || rv_scene_lacks_text(window->scene))
        return true;
    return !viewer->live_edge.is_frozen && (window->counts.n_consumed != window->asked_consumed ||
                                            viewer->live_edge.live_ns - window->asked_live_ns >= OPEN_NS);
}

/* Ask now and then why no event has come, until that is known; also of a program that has ended. */
static void ask_why_silent(struct window *window)
{
    const struct rv_window_params *params = window->params;
    const uint64_t now_ns = rv_clock_mono_ns(),
                   last_ns = window->asked_why_ns ? window->asked_why_ns : window->opened_ns;
    if (window->counts.n_consumed)
        window->why_silent[0] = '\0';
    if (window->counts.n_consumed || window->why_silent[0] || !params->why_silent ||
        now_ns - last_ns < RV_WINDOW_SILENCE_NS)
        return;
    window->asked_why_ns = now_ns;
    char why[RV_WINDOW_WHY_BYTES];
    if (params->why_silent(params->context, why, sizeof why)) {
        snprintf(window->why_silent, sizeof window->why_silent, "%s%s", WAITING, why);
        window->viewer.is_dirty = true;
    }
}

/* Milliseconds until the next frame is allowed: a software renderer gets at most half of the time, but for what the user
 * waits for. */
static int pause_ms(const struct window *window, bool needs_one)
{
    const bool is_rare = window->is_software && !rv_viewer_lit_path_is_due(&window->viewer);
    uint64_t interval_ns = is_rare ? 2 * window->frame_cost_ns : 0;
    if (interval_ns < INTERVAL_NS)
        interval_ns = INTERVAL_NS;
    uint64_t since_ns = rv_clock_mono_ns() - window->frame_ns;
    int until_ms = since_ns >= interval_ns ? 0 : (int)((interval_ns - since_ns) / 1000000u);
    if (rv_viewer_is_awaited(&window->viewer))
        return until_ms < 1 ? until_ms : 1;
    return needs_one || rv_viewer_is_moving(&window->viewer) ? until_ms : TURN_MS;
}

/* Is it time to request the next frame, judged by the previous one's cost? */
static bool is_frame_due(const struct window *window)
{
    return (uint64_t)pause_ms(window, true) * 1000000u <= rv_frame_builder_took_ns(window->frame_builder);
}

/* The builder's thread wakes the loop. */
static int sleep_ms(const struct window *window, bool needs_one)
{
    bool is_asked = rv_frame_builder_is_asked(window->frame_builder);
    int ms = pause_ms(window, needs_one);
    if (is_asked && !rv_frame_builder_is_ready(window->frame_builder) && !rv_viewer_is_awaited(&window->viewer))
        ms = TURN_MS;
    else if (needs_one && !is_asked)
        ms -= (int)(rv_frame_builder_took_ns(window->frame_builder) / 1000000u);
    return ms > 0 ? ms : 1;
}

static void notify_observer(const struct window *window)
{
    if (!window->params->observe)
        return;
    struct rv_window_state state = {
        .scene = window->scene,
        .view = rv_scene_picture(window->scene)->view,
        .viewer = &window->viewer,
        .n_frames = window->n_frames,
        .is_settled = !needs_scene(window) && !window->is_rough && !rv_frame_builder_is_asked(window->frame_builder) &&
                      !window->has_news && window->panels.hash == window->drawn_hash &&
                      !rv_viewer_self_times_are_coming(&window->viewer),
    };
    state.from_ns = state.view->from_ns;
    state.to_ns = state.view->to_ns;
    window->params->observe(window->params->context, &state);
}

/* Called by the builder's thread when a frame is ready. */
static void interrupt(void)
{
    SDL_Event event = {.type = SDL_USEREVENT};
    (void)SDL_PushEvent(&event);
}

/* The panels see every event first. */
static void take_event(struct window *window, const SDL_Event *event)
{
    struct rv_panels_about about = about_of(window);
    window->has_news = true;
    if (!rv_panels_event(&window->panels, event, &about))
        rv_input_event(&window->input, event, &window->viewer, window->density);
    else if (event->type == SDL_MOUSEMOTION)
        rv_pointer_leave(&window->viewer.pointer);
}

static void take_events(struct window *window, bool needs_one)
{
    SDL_Event event;
    if (!SDL_WaitEventTimeout(&event, sleep_ms(window, needs_one)))
        return;
    do
        if (event.type != SDL_USEREVENT)
            take_event(window, &event);
    while (SDL_PollEvent(&event));
}

/* Changed panels need a frame; panels with changed insets need a new picture. */
static void look_at_panels(struct window *window)
{
    struct rv_panels_about about = about_of(window);
    rv_panels_update(&window->panels, &about);
    struct rv_scene_insets insets = rv_panels_insets(&window->panels);
    window->viewer.is_dirty |= memcmp(&window->drawn_insets, &insets, sizeof insets) != 0;
    window->has_news = rv_panels_lack_text(&window->panels);
}

/* Beside the recording that was begun in this window. */
static void keep_recorded_bookmarks(const struct window *window)
{
    const struct rv_window_params *params = window->params;
    char path[PATH_BYTES];
    if (rv_bookmarks_path(params->recorded ? params->recorded(params->context) : NULL, path, sizeof path))
        rv_bookmarks_copy(&window->viewer.marks, path, window->recorded_from_ns);
}

/* Recordings start and stop on request, and stop with the capture. */
static void follow_request_to_record(struct window *window)
{
    struct rv_viewer *viewer = &window->viewer;
    if (!window->params->record || viewer->live_edge.is_done) {
        if (viewer->wants_recording && !window->is_recording)
            rv_message_warn(&viewer->message, "Nothing to record: the capture has ended");
        viewer->wants_recording = false;
    }
    if (viewer->wants_recording == window->is_recording)
        return;
    keep_recorded_bookmarks(window);
    window->recorded_from_ns = viewer->live_edge.last_ns;
    window->is_recording = window->params->record(window->params->context, viewer->wants_recording);
    viewer->wants_recording = window->is_recording;
    window->has_news = true;
}

static void follow_request_for_command(struct window *window)
{
    if (!window->viewer.wants_command)
        return;
    window->viewer.wants_command = false;
    if (!window->params->file) {
        const char *why = window->params->is_from_pipe       ? "it came out of a pipe"
                          : window->viewer.live_edge.is_done ? "it is in no file. --record writes one"
                                                             : "it is in no file. Ctrl+R records one";
        rv_message_warn(&window->viewer.message, "No command shows this again: %s", why);
        return;
    }
    char *command = rv_view_command(&window->viewer, window->params->file);
    if (SDL_SetClipboardText(command) == 0)
        rv_message_show(&window->viewer.message, "Copied: %s", command);
    else
        rv_message_warn(&window->viewer.message, "Not copied: %s", SDL_GetError());
    free(command);
}

/* A picture that was requested before the path was found is not drawn: it would take as long as that with the path. */
static void pass_picture_without_path(struct window *window)
{
    if (!window->has_asked_path && rv_viewer_lit_path_is_due(&window->viewer) &&
        rv_frame_builder_is_ready(window->frame_builder))
        take_frame(window);
}

/* Request or show a frame. Returns whether one is pending. */
static bool go_on(struct window *window)
{
    pass_picture_without_path(window);
    bool is_wanted = needs_scene(window) && !rv_frame_builder_is_asked(window->frame_builder) &&
                     !rv_viewer_lit_path_is_coming(&window->viewer);
    if (is_wanted && is_frame_due(window))
        ask_for_frame(window);
    bool is_ready = rv_frame_builder_is_ready(window->frame_builder);
    bool needs_panels =
        window->n_frames && (window->panels.hash != window->drawn_hash || window->viewer.wants_screenshot);
    if ((is_ready || (needs_panels && !rv_viewer_lit_path_is_due(&window->viewer))) && pause_ms(window, true) == 0)
        draw_and_show(window, is_ready);
    return is_wanted || is_ready || needs_panels;
}

/* 0 when the user closed the window, or -EIO with one line printed: OpenGL failed. */
static int run_loop(struct window *window)
{
    struct rv_viewer *viewer = &window->viewer;
    bool needs_one = true;
    int err = 0;
    while (!viewer->is_closing && !err) {
        take_events(window, needs_one);
        rv_session_counts(window->session, &window->counts);
        advance(window);
        follow_request_to_record(window);
        follow_request_for_command(window);
        ask_why_silent(window);
        if (window->n_frames && rv_pointer_look(&viewer->pointer, window->scene, viewer->view))
            rv_viewer_point(viewer);
        if (window->has_news)
            look_at_panels(window);
        uint64_t n_frames = window->n_frames;
        needs_one = go_on(window);
        if (window->n_frames != n_frames)
            err = rv_gl_context_error();
        notify_observer(window);
        if (window->params->should_close && window->params->should_close(window->params->context))
            viewer->is_closing = true;
    }
    return err;
}

static int open_window(struct window *window)
{
    const struct rv_window_params *params = window->params;
    struct rv_gl_context_params context = {
        .title = params->title ? params->title : "ringviz",
        .width = params->width_px ? params->width_px : WIDTH,
        .height = params->height_px ? params->height_px : HEIGHT,
    };
    int err = rv_gl_context_open(&window->context, &context);
    if (err)
        return err;
    SDL_GL_SetSwapInterval(1);
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    window->is_software = renderer && (strstr(renderer, "llvmpipe") || strstr(renderer, "softpipe"));
    if (window->is_software)
        rv_driver_threads_find(&window->drivers, "llvmpipe-");
    for (int look = 0; look < RV_VIEW_MODE_COUNT; look++) {
        window->moving[look] = window->is_software ? BUDGET_SOFTWARE : BUDGET_GPU;
        window->at_rest[look] = BUDGET_SOFTWARE_AT_REST;
    }
    rv_note("drawing with %s", renderer ? renderer : "an unnamed renderer");
    err = rv_scene_create(&window->scene);
    return err ? err : rv_panels_open(&window->panels);
}

static uint64_t first_width_ns(const struct rv_window_params *params)
{
    if (params->window_ns)
        return params->window_ns;
    return params->speed > 0.0 ? PLAYED_NS : LIVE_NS;
}

int rv_window_run(struct rv_session *session, const struct rv_window_params *params)
{
    char bookmarks[PATH_BYTES];
    struct window window = {.params = params, .session = session, .opened_ns = rv_clock_mono_ns()};
    struct rv_viewer_params viewer = {.now_ns = rv_clock_mono_ns(),
                                      .window_ns = first_width_ns(params),
                                      .at_ns = params->at_ns,
                                      .has_at = params->has_at,
                                      .bookmarks_path = rv_bookmarks_path(
                                          params->file ? params->file : params->recording, bookmarks, sizeof bookmarks),
                                      .is_from_pipe = params->is_from_pipe,
                                      .has_width = params->window_ns != 0,
                                      .speed = params->speed,
                                      .start_ns = params->start_ns,
                                      .stop_ns = params->stop_ns,
                                      .lanes = rv_session_lanes(session),
                                      .subroutines = rv_session_subroutines(session),
                                      .session = session,
                                      .diff = params->diff,
                                      .find = params->find,
                                      .aligns_tasks = params->aligns_tasks,
                                      .has_other_order = params->has_other_order,
                                      .lanes_asked = params->lanes_asked,
                                      .most_depth = params->most_depth,
                                      .turn = {params->turn[0], params->turn[1]},
                                      .calls_of = params->calls_of,
                                      .filter = params->filter};
    rv_settings_init(&viewer.settings);
    if (params->settings)
        viewer.settings = *params->settings;
    int err = open_window(&window);
    if (!err) {
        viewer.scene = window.scene;
        viewer.view = rv_scene_picture(window.scene)->view;
        rv_viewer_init(&window.viewer, &viewer);
        measure_window(&window);
        window.frame_builder =
            rv_frame_builder_start(&(struct rv_frame_builder_params){viewer.lanes, viewer.subroutines, interrupt});
        window.viewer.wants_recording = window.is_recording = params->is_recording;
        rv_viewer_debugger_start(&window.viewer.debugger, params->map);
        err = run_loop(&window);
        if (params->settings)
            *params->settings = rv_viewer_settings(&window.viewer);
    }
    keep_recorded_bookmarks(&window);
    rv_viewer_debugger_stop(&window.viewer.debugger);
    rv_viewer_fini(&window.viewer);
    rv_panels_close(&window.panels);
    rv_scene_destroy(window.scene);
    rv_frame_builder_stop(window.frame_builder);
    rv_gl_context_close(&window.context);
    return err;
}
