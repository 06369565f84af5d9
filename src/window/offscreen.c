#include "window/offscreen.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <GL/glew.h>

#include "window/gl_context.h"
#include "window/panels.h"
#include "viewer/viewer.h"
#include "base/err.h"
#include "base/vec.h"
#include "render/png.h"
#include "render/scene.h"

#define WIDTH_PX 1600
#define HEIGHT_PX 900
#define SIDE_MAX_PX 16384
#define BOX_BUDGET 200000
#define LEARNING_BUDGET 20000
#define SAMPLES 4
#define HIT_ROOM 4 /* of its own length on both sides of a hit */

struct canvas {
    GLuint framebuffer, colour;
};

struct rv_headless {
    const struct rv_screenshot_params *params;
    struct rv_context context;
    struct canvas canvas;
    struct rv_scene *scene;
    struct rv_panels panels;
    struct rv_viewer viewer;
    struct rv_view view;
    uint8_t *rgba;
    int size_px[2];
    bool is_open; /* the context is */
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

/* A hit with some of what is around it. */
static void show_first_hit(struct rv_viewer *viewer)
{
    struct rv_inquiry *inquiry = &viewer->inquiry;
    const struct rv_present *present = &viewer->present;
    if (!rv_inquiry_go(inquiry, viewer->lanes, 0, true))
        return;
    uint64_t start_ns = inquiry->hit.box.start_ns, room_ns = HIT_ROOM * (inquiry->hit.box.duration_ns + 1);
    uint64_t end_ns = rv_box_end_ns(&inquiry->hit.box);
    uint64_t from_ns = start_ns - present->first_ns > room_ns ? start_ns - room_ns : present->first_ns;
    uint64_t to_ns =
        present->last_ns > end_ns && present->last_ns - end_ns > room_ns ? end_ns + room_ns : present->last_ns;
    rv_navigate_set(&viewer->navigate, from_ns, to_ns > from_ns ? to_ns : from_ns + 1);
}

/* As in a window that has been left alone after the program's end. */
static void choose_window(const struct rv_screenshot_params *params, struct rv_viewer *viewer)
{
    uint64_t first_ns = 0, last_ns = 1;
    if (!rv_lanes_bounds(params->lanes, &first_ns, &last_ns))
        first_ns = 0, last_ns = 1;
    bool is_chosen = params->at_ns || params->window_ns, has_range = params->from_ns || params->to_ns;
    struct rv_range_ns range = {first_ns + params->from_ns, params->to_ns ? first_ns + params->to_ns : last_ns};
    uint64_t from_ns = first_ns + params->at_ns, to_ns = params->window_ns ? from_ns + params->window_ns : last_ns;
    if (has_range && !is_chosen) {
        from_ns = range.from_ns;
        to_ns = range.to_ns;
    }
    struct rv_viewer_params viewer_params = {.window_ns = 1,
                                             .lanes = params->lanes,
                                             .subroutines = params->subroutines,
                                             .session = params->session,
                                             .compare = params->compare,
                                             .find = params->find,
                                             .lens = params->lens};
    rv_settings_init(&viewer_params.settings);
    viewer_params.settings.look = params->look;
    viewer_params.settings.scheme = params->scheme;
    rv_viewer_init(viewer, &viewer_params);
    rv_navigate_set(&viewer->navigate, from_ns, to_ns > from_ns ? to_ns : from_ns + 1);
    viewer->navigate.is_following = false;
    viewer->present = (struct rv_present){first_ns, last_ns, last_ns, last_ns, .is_done = true};
    (void)rv_inquiry_update(&viewer->inquiry, viewer->lanes, viewer->subroutines, true);
    if (has_range && is_chosen) {
        rv_inquiry_select(&viewer->inquiry, &range, viewer->lanes, viewer->subroutines);
        rv_measure_wait(&viewer->inquiry.measure);
    }
    if (params->find && !is_chosen && !has_range)
        show_first_hit(viewer);
}

static bool lacks_calls(const struct rv_headless *headless)
{
    const struct rv_screenshot_params *params = headless->params;
    return params->fetch && params->fetch(params->context, &headless->view);
}

/* What comes may be too much for the level that it was for. When each of it came makes no difference: the choice is
 * always made from the picture before. */
static void choose_level(struct rv_headless *headless, const struct rv_view_params *params)
{
    uint32_t last = headless->view.level, level;
    bool is_lacking;
    rv_view_begin(&headless->view, headless->params->lanes, params);
    do {
        level = headless->view.level;
        is_lacking = lacks_calls(headless);
        headless->view.level = last;
        rv_view_begin(&headless->view, headless->params->lanes, params);
    } while (is_lacking || headless->view.level > level);
}

static void update_view(struct rv_headless *headless)
{
    struct rv_view_params params = {
        .width_px = (uint32_t)headless->size_px[0],
        .box_budget = headless->params->box_budget ? headless->params->box_budget : BOX_BUDGET,
        .is_steady = true,
        .arrangement = &headless->viewer.arrangement,
    };
    params.is_past = headless->viewer.playhead.is_on;
    params.until_ns = headless->viewer.playhead.at_ns;
    rv_navigate_window(&headless->viewer.navigate, &params.from_ns, &params.to_ns);
    rv_inquiry_apply(&headless->viewer.inquiry, &params);
    choose_level(headless, &params);
    while (rv_view_step(&headless->view, headless->params->lanes, &params))
        ;
}

/* Colours are the whole run's, whatever part of it is drawn. */
static void learn_colours(struct rv_headless *headless)
{
    const struct rv_screenshot_params *params = headless->params;
    const struct rv_present *present = &headless->viewer.present;
    struct rv_view_params whole = {.from_ns = present->first_ns,
                                   .to_ns =
                                       present->last_ns > present->first_ns ? present->last_ns : present->first_ns + 1,
                                   .width_px = (uint32_t)headless->size_px[0],
                                   .box_budget = LEARNING_BUDGET};
    rv_view_update(&headless->view, params->lanes, &whole);
    rv_scene_compose(headless->scene, &(struct rv_scene_frame){.view = &headless->view,
                                                               .subroutines = params->subroutines,
                                                               .scheme = params->scheme});
}

static void draw(struct rv_headless *headless)
{
    const struct rv_screenshot_params *params = headless->params;
    struct rv_scene_frame frame = {
        .view = &headless->view,
        .subroutines = params->subroutines,
        .width_px = headless->size_px[0],
        .height_px = headless->size_px[1],
        .scale = 1.0,
        .samples = SAMPLES,
        .look = params->look,
        .look_from = params->look,
        .scheme = params->scheme,
        .compare = params->compare,
        .theme = rv_color_theme_of(params->scheme, params->theme),
        .selected = headless->viewer.inquiry.selected,
        .origin_ns = headless->viewer.present.first_ns,
        .now_ns = headless->viewer.present.now_ns,
    };
    struct rv_panels_about about = {
        .viewer = &headless->viewer,
        .view = &headless->view,
        .palette = rv_scene_picture(headless->scene)->palette,
        .lanes = params->lanes,
        .subroutines = params->subroutines,
        .program = params->program,
        .pid = params->pid,
        .n_dropped = params->n_dropped,
        .surface = {headless->size_px[0], headless->size_px[1], frame.scale, frame.scale, frame.theme},
    };
    rv_scene_compose(headless->scene, &frame);
    rv_panels_update(&headless->panels, &about);
    frame.insets = rv_panels_insets(&headless->panels);
    rv_scene_draw(headless->scene, &frame);
    rv_panels_draw(&headless->panels);
    rv_scene_read_pixels(headless->size_px[0], headless->size_px[1], headless->rgba);
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

int rv_headless_open(struct rv_headless **headless, const struct rv_screenshot_params *params)
{
    struct rv_context_params window = {.title = "ringviz", .width = 64, .height = 64, .is_offscreen = true};
    struct rv_headless *made = rv_alloc(1, sizeof *made);
    made->params = params;
    int err = choose_size(params, made->size_px);
    if (!err)
        err = rv_context_open(&made->context, &window);
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
        learn_colours(made);
    } else {
        rv_headless_close(made);
        made = NULL;
    }
    *headless = made;
    return err;
}

void rv_headless_close(struct rv_headless *headless)
{
    if (!headless)
        return;
    if (headless->is_open) {
        rv_panels_close(&headless->panels);
        rv_scene_destroy(headless->scene);
        destroy_canvas(&headless->canvas);
        rv_context_close(&headless->context);
    }
    if (headless->rgba)
        rv_viewer_fini(&headless->viewer);
    rv_view_fini(&headless->view);
    free(headless->rgba);
    free(headless);
}

struct rv_headless_times rv_headless_times(const struct rv_headless *headless)
{
    const struct rv_present *present = &headless->viewer.present;
    struct rv_headless_times times = {.first_ns = present->first_ns, .last_ns = present->last_ns};
    rv_navigate_window(&headless->viewer.navigate, &times.from_ns, &times.to_ns);
    return times;
}

void rv_headless_size(const struct rv_headless *headless, int out_px[2])
{
    out_px[0] = headless->size_px[0];
    out_px[1] = headless->size_px[1];
}

void rv_headless_play(struct rv_headless *headless, const struct rv_playhead *playhead)
{
    headless->viewer.playhead = *playhead;
}

const uint8_t *rv_headless_draw(struct rv_headless *headless, uint64_t from_ns, uint64_t to_ns)
{
    rv_navigate_set(&headless->viewer.navigate, from_ns, to_ns > from_ns ? to_ns : from_ns + 1);
    update_view(headless);
    draw(headless);
    return rv_context_error() == 0 ? headless->rgba : NULL;
}

int rv_headless_check(const char *path)
{
    if (!path || access(path, W_OK) == 0)
        return 0;
    if (errno != ENOENT)
        return rv_err_sys("%s", path);
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    return access(dirname(folder), W_OK) == 0 ? 0 : rv_err_sys("%s", path);
}

int rv_headless_screenshot(const struct rv_screenshot_params *params)
{
    struct rv_headless *headless;
    int err = rv_headless_open(&headless, params);
    if (err)
        return err;
    struct rv_headless_times times = rv_headless_times(headless);
    const uint8_t *rgba = rv_headless_draw(headless, times.from_ns, times.to_ns);
    err = rgba ? rv_png_write(params->path, rgba, headless->size_px[0], headless->size_px[1]) : -EIO;
    rv_headless_close(headless);
    return err;
}
