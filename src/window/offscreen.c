#include "window/offscreen.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <GL/glew.h>

#include "window/gl_context.h"
#include "window/panels.h"
#include "viewer/lane_actions.h"
#include "viewer/viewer.h"
#include "base/err.h"
#include "base/vec.h"
#include "model/busy_range.h"
#include "query/calls_view.h"
#include "render/png.h"
#include "render/scene.h"

#define WIDTH_PX 1600
#define HEIGHT_PX 900
#define SIDE_MAX_PX 16384
#define BOX_BUDGET 200000
#define LEARNING_BUDGET 20000
#define SAMPLES 4
#define HIT_ROOM 4 /* lengths of a hit shown on both sides of it */

struct canvas {
    GLuint framebuffer, colour;
};

struct rv_offscreen {
    const struct rv_screenshot_params *params;
    struct rv_gl_context context;
    struct canvas canvas;
    struct rv_scene *scene;
    struct rv_panels panels;
    struct rv_viewer viewer;
    struct rv_view view;
    uint8_t *rgba;
    int size_px[2];
    bool is_open; /* the GL context is open */
};

static int create_canvas(struct canvas *canvas, int width_px, int height_px)
{
    glGenFramebuffers(1, &canvas->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, canvas->framebuffer);
    glGenRenderbuffers(1, &canvas->colour);
    glBindRenderbuffer(GL_RENDERBUFFER, canvas->colour);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_SRGB8_ALPHA8, width_px, height_px);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, canvas->colour);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
        return 0;
    return rv_err(ENOTSUP, "no framebuffer of %d x %d pixels", width_px, height_px);
}

static void destroy_canvas(struct canvas *canvas)
{
    glDeleteFramebuffers(1, &canvas->framebuffer);
    glDeleteRenderbuffers(1, &canvas->colour);
}

/* A window with a hit and its surroundings. */
static void show_first_hit(struct rv_viewer *viewer)
{
    struct rv_viewer_search *search = &viewer->search;
    const struct rv_live_edge *live_edge = &viewer->live_edge;
    if (!rv_viewer_search_go(search, viewer->lanes, 0, true))
        return;
    uint64_t start_ns = search->hit.box.start_ns, room_ns = HIT_ROOM * (search->hit.box.duration_ns + 1);
    uint64_t end_ns = rv_box_end_ns(&search->hit.box);
    uint64_t from_ns = start_ns - live_edge->first_ns > room_ns ? start_ns - room_ns : live_edge->first_ns;
    uint64_t to_ns =
        live_edge->last_ns > end_ns && live_edge->last_ns - end_ns > room_ns ? end_ns + room_ns : live_edge->last_ns;
    rv_time_window_set(&viewer->time_window, from_ns, to_ns > from_ns ? to_ns : from_ns + 1);
}

/* With a tenth of its length on both sides. */
static void show_lit_call(struct rv_viewer *viewer, const struct rv_critical_path_request *lit)
{
    const uint64_t room_ns = (lit->to_ns - lit->from_ns) / 10 + 1;
    rv_time_window_set(&viewer->time_window, lit->from_ns - room_ns, lit->to_ns + room_ns);
}

static void read_bookmarks(const struct rv_screenshot_params *params, struct rv_viewer *viewer)
{
    char path[PATH_MAX];
    if (rv_bookmarks_path(params->bookmarks_of, path, sizeof path))
        rv_bookmarks_open(&viewer->marks, path, viewer->live_edge.first_ns);
}

/* As a window shows after the program's end without user input. */
static void choose_window(const struct rv_screenshot_params *params, struct rv_viewer *viewer)
{
    uint64_t first_ns = 0, last_ns = 1;
    struct rv_range_ns busy = {0, 1};
    if (!rv_lanes_bounds(params->lanes, &first_ns, &last_ns))
        first_ns = 0, last_ns = 1;
    (void)rv_busy_range(params->lanes, &busy.from_ns, &busy.to_ns);
    bool is_chosen = params->at_ns || params->window_ns, has_range = params->from_ns || params->to_ns;
    struct rv_range_ns range = {first_ns + params->from_ns, params->to_ns ? first_ns + params->to_ns : last_ns};
    uint64_t from_ns = first_ns + params->at_ns, to_ns = params->window_ns ? from_ns + params->window_ns : last_ns;
    if (!has_range && !is_chosen) {
        from_ns = busy.from_ns;
        to_ns = busy.to_ns;
    }
    if (has_range && !is_chosen) {
        from_ns = range.from_ns;
        to_ns = range.to_ns;
    }
    struct rv_viewer_params viewer_params = {.window_ns = 1,
                                             .lanes = params->lanes,
                                             .subroutines = params->subroutines,
                                             .session = params->session,
                                             .diff = params->diff,
                                             .find = params->find,
                                             .aligns_tasks = params->aligns_tasks,
                                             .has_other_order = params->has_other_order,
                                             .lanes_asked = params->lanes_asked,
                                             .most_depth = params->most_depth,
                                             .turn = {params->turn[0], params->turn[1]},
                                             .calls_of = params->calls_of,
                                             .filter = params->filter};
    rv_settings_init(&viewer_params.settings);
    viewer_params.settings.look = params->look;
    viewer_params.settings.scheme = params->scheme;
    viewer_params.settings.has_lock_lanes = params->has_lock_lanes;
    rv_viewer_init(viewer, &viewer_params);
    rv_time_window_set(&viewer->time_window, from_ns, to_ns > from_ns ? to_ns : from_ns + 1);
    viewer->time_window.is_following = false;
    viewer->live_edge = (struct rv_live_edge){first_ns, last_ns, last_ns, last_ns, .is_done = true};
    rv_viewer_lanes_arrange(viewer);
    (void)rv_viewer_search_update(&viewer->search, viewer->lanes, viewer->subroutines, true);
    if (rv_viewer_calls_view_is_shown(viewer)) {
        if (has_range)
            viewer->selected = range;
        rv_viewer_calls_view_wait(viewer);
    }
    if (has_range && is_chosen) {
        rv_viewer_statistics_select(viewer, &range, true);
        rv_viewer_statistics_wait(viewer);
    }
    rv_viewer_arcs_wait(viewer);
    rv_viewer_waits_wait(viewer);
    if (params->lit) {
        rv_viewer_lit_path_light(viewer, params->lit);
        rv_viewer_lit_path_wait(viewer);
    }
    if (params->lit && params->lit->call && !is_chosen && !has_range)
        show_lit_call(viewer, params->lit);
    else if (params->find && !is_chosen && !has_range)
        show_first_hit(viewer);
}

static bool lacks_calls(const struct rv_offscreen *offscreen)
{
    const struct rv_screenshot_params *params = offscreen->params;
    return params->fetch && params->fetch(params->context, &offscreen->view);
}

/* Loaded pages may exceed the budget of their level. The order of their arrival makes no difference: the level is
 * always chosen from the previous picture. */
static void choose_level(struct rv_offscreen *offscreen, const struct rv_view_params *params)
{
    uint32_t last = offscreen->view.level, level;
    bool is_lacking;
    rv_view_begin(&offscreen->view, offscreen->params->lanes, params);
    do {
        level = offscreen->view.level;
        is_lacking = lacks_calls(offscreen);
        offscreen->view.level = last;
        rv_view_begin(&offscreen->view, offscreen->params->lanes, params);
    } while (is_lacking || offscreen->view.level > level);
}

static void update_calls(struct rv_offscreen *offscreen, struct rv_view_params *params)
{
    struct rv_viewer_calls_view *calls_view = &offscreen->viewer.calls_view;
    rv_time_window_get(&calls_view->time_window, &params->from_ns, &params->to_ns);
    params->is_past = false;
    rv_calls_view_update(&offscreen->view, calls_view->rows, offscreen->params->lanes, params);
}

static void update_view(struct rv_offscreen *offscreen)
{
    struct rv_view_params params = {
        .width_px = (uint32_t)offscreen->size_px[0],
        .box_budget = offscreen->params->box_budget ? offscreen->params->box_budget : BOX_BUDGET,
        .is_steady = true,
        .has_front_first = rv_view_mode_has_front(offscreen->viewer.settings.look),
        .most_rows = rv_view_mode_get(offscreen->viewer.settings.look)->most_rows,
        .lane_order = &offscreen->viewer.lane_order,
    };
    params.is_past = offscreen->viewer.playhead.is_on;
    params.until_ns = offscreen->viewer.playhead.at_ns;
    rv_time_window_get(&offscreen->viewer.time_window, &params.from_ns, &params.to_ns);
    rv_viewer_apply(&offscreen->viewer, &params);
    if (rv_viewer_calls_view_is_shown(&offscreen->viewer)) {
        update_calls(offscreen, &params);
        return;
    }
    if (rv_viewer_tasks_view_is_shown(&offscreen->viewer)) {
        const struct rv_tasks_view_params tasks = rv_viewer_tasks_view_apply(&offscreen->viewer, &params);
        rv_tasks_view_update(&offscreen->view, &tasks, &params);
        return;
    }
    choose_level(offscreen, &params);
    while (rv_view_step(&offscreen->view, offscreen->params->lanes, &params))
        ;
    const struct rv_lock_lanes_params locks = {rv_viewer_holders(&offscreen->viewer), offscreen->params->lanes,
                                               offscreen->params->subroutines};
    rv_lock_lanes_add(&offscreen->view, &locks, &params);
}

/* Colours are those of the whole run, whatever part is drawn. */
static void learn_colours(struct rv_offscreen *offscreen)
{
    const struct rv_screenshot_params *params = offscreen->params;
    const struct rv_live_edge *live_edge = &offscreen->viewer.live_edge;
    struct rv_view_params whole = {.from_ns = live_edge->first_ns,
                                   .to_ns = live_edge->last_ns > live_edge->first_ns ? live_edge->last_ns
                                                                                     : live_edge->first_ns + 1,
                                   .width_px = (uint32_t)offscreen->size_px[0],
                                   .box_budget = LEARNING_BUDGET};
    rv_view_update(&offscreen->view, params->lanes, &whole);
    rv_scene_compose(offscreen->scene, &(struct rv_scene_frame){.view = &offscreen->view,
                                                                .subroutines = params->subroutines,
                                                                .scheme = params->scheme});
}

static void draw(struct rv_offscreen *offscreen)
{
    const struct rv_screenshot_params *params = offscreen->params;
    struct rv_scene_frame frame = {
        .view = &offscreen->view,
        .subroutines = params->subroutines,
        .width_px = offscreen->size_px[0],
        .height_px = offscreen->size_px[1],
        .scale = 1.0,
        .samples = SAMPLES,
        .look = params->look,
        .look_from = params->look,
        .orbit = {offscreen->viewer.look.orbit[0], offscreen->viewer.look.orbit[1]},
        .scheme = params->scheme,
        .diff = params->diff,
        .theme = rv_color_theme_of(params->scheme, params->theme),
        .selected = offscreen->viewer.selected,
        .origin_ns = offscreen->viewer.live_edge.first_ns,
        .now_ns = offscreen->viewer.live_edge.now_ns,
        .arcs = rv_viewer_arcs(&offscreen->viewer),
    };
    struct rv_panels_about about = {
        .viewer = &offscreen->viewer,
        .view = &offscreen->view,
        .colors = rv_scene_picture(offscreen->scene)->colors,
        .arcs = &rv_scene_picture(offscreen->scene)->arcs,
        .lanes = params->lanes,
        .subroutines = params->subroutines,
        .program = params->program,
        .pid = params->pid,
        .n_dropped = params->n_dropped,
        .surface = {offscreen->size_px[0], offscreen->size_px[1], frame.scale, frame.scale, frame.theme, 0},
    };
    frame.caption = rv_viewer_caption(&offscreen->viewer, &offscreen->view);
    if (rv_viewer_counts_from_start(&offscreen->viewer)) {
        frame.counts_from_start = true;
        frame.selected = (struct rv_range_ns){0, 0};
    } else {
        struct rv_bookmarks *marks = &offscreen->viewer.marks;
        frame.flags = (struct rv_bookmark_flags){marks->ns, marks->notes, marks->n};
    }
    rv_scene_compose(offscreen->scene, &frame);
    rv_panels_update(&offscreen->panels, &about);
    frame.insets = rv_panels_insets(&offscreen->panels);
    rv_scene_draw(offscreen->scene, &frame);
    rv_panels_draw(&offscreen->panels);
    rv_scene_read_pixels(offscreen->size_px[0], offscreen->size_px[1], offscreen->rgba);
}

static int choose_size(const struct rv_screenshot_params *params, int out_px[2])
{
    out_px[0] = params->width_px ? params->width_px : WIDTH_PX;
    out_px[1] = params->height_px ? params->height_px : HEIGHT_PX;
    if (out_px[0] < 64 || out_px[1] < 64 || out_px[0] > SIDE_MAX_PX || out_px[1] > SIDE_MAX_PX)
        return rv_err(EINVAL, "a picture is 64 to %d pixels wide and high, not %d x %d", SIDE_MAX_PX, out_px[0],
                      out_px[1]);
    return 0;
}

int rv_offscreen_open(struct rv_offscreen **offscreen, const struct rv_screenshot_params *params)
{
    struct rv_gl_context_params window = {.title = "ringviz", .width = 64, .height = 64, .is_offscreen = true};
    struct rv_offscreen *made = rv_alloc(1, sizeof *made);
    made->params = params;
    int err = choose_size(params, made->size_px);
    if (!err)
        err = rv_gl_context_open(&made->context, &window);
    made->is_open = !err;
    if (!err)
        err = create_canvas(&made->canvas, made->size_px[0], made->size_px[1]);
    if (!err)
        err = rv_scene_create(&made->scene);
    if (!err)
        err = rv_panels_open(&made->panels);
    if (!err) {
        made->rgba = rv_alloc((size_t)made->size_px[0] * (size_t)made->size_px[1], 4);
        choose_window(params, &made->viewer);
        read_bookmarks(params, &made->viewer);
        learn_colours(made);
    } else {
        rv_offscreen_close(made);
        made = NULL;
    }
    *offscreen = made;
    return err;
}

void rv_offscreen_close(struct rv_offscreen *offscreen)
{
    if (!offscreen)
        return;
    if (offscreen->is_open) {
        rv_panels_close(&offscreen->panels);
        rv_scene_destroy(offscreen->scene);
        destroy_canvas(&offscreen->canvas);
        rv_gl_context_close(&offscreen->context);
    }
    if (offscreen->rgba)
        rv_viewer_fini(&offscreen->viewer);
    rv_view_fini(&offscreen->view);
    free(offscreen->rgba);
    free(offscreen);
}

struct rv_offscreen_times rv_offscreen_times(const struct rv_offscreen *offscreen)
{
    const struct rv_live_edge *live_edge = &offscreen->viewer.live_edge;
    struct rv_offscreen_times times = {.first_ns = live_edge->first_ns, .last_ns = live_edge->last_ns};
    rv_time_window_get(&offscreen->viewer.time_window, &times.from_ns, &times.to_ns);
    return times;
}

void rv_offscreen_size(const struct rv_offscreen *offscreen, int out_px[2])
{
    out_px[0] = offscreen->size_px[0];
    out_px[1] = offscreen->size_px[1];
}

void rv_offscreen_play(struct rv_offscreen *offscreen, const struct rv_playhead *playhead)
{
    offscreen->viewer.playhead = *playhead;
}

const uint8_t *rv_offscreen_draw(struct rv_offscreen *offscreen, uint64_t from_ns, uint64_t to_ns)
{
    rv_time_window_set(&offscreen->viewer.time_window, from_ns, to_ns > from_ns ? to_ns : from_ns + 1);
    update_view(offscreen);
    rv_viewer_self_times_wait(&offscreen->viewer);
    draw(offscreen);
    return rv_gl_context_error() == 0 ? offscreen->rgba : NULL;
}

int rv_offscreen_screenshot(const struct rv_screenshot_params *params)
{
    struct rv_offscreen *offscreen;
    int err = rv_offscreen_open(&offscreen, params);
    if (err)
        return err;
    if (params->calls_of && !offscreen->viewer.calls_view.is_on) {
        rv_offscreen_close(offscreen);
        return rv_err(ENOENT, "--calls-of=%s: no subroutine has such a name", params->calls_of);
    }
    struct rv_offscreen_times times = rv_offscreen_times(offscreen);
    const uint8_t *rgba = rv_offscreen_draw(offscreen, times.from_ns, times.to_ns);
    err = rgba ? rv_png_write(params->path, rgba, offscreen->size_px[0], offscreen->size_px[1]) : -EIO;
    rv_offscreen_close(offscreen);
    return err;
}
