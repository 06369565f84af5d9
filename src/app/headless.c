#include "app/headless.h"

#include <errno.h>
#include <stdlib.h>

#include <GL/glew.h>

#include "app/context.h"
#include "app/panels.h"
#include "app/viewer.h"
#include "base/err.h"
#include "base/vec.h"
#include "render/png.h"
#include "render/scene.h"

#define WIDTH_PX 1600
#define HEIGHT_PX 900
#define SIDE_MAX_PX 16384
#define BOX_BUDGET 200000
#define SAMPLES 4
#define HIT_ROOM 4 /* of its own length on both sides of a hit */

struct canvas {
    GLuint framebuffer, colour;
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
    uint64_t end_ns = start_ns + inquiry->hit.box.duration_ns;
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
    rv_viewer_init(viewer, &(struct rv_viewer_params){.look = params->look,
                                                      .scheme = params->scheme,
                                                      .lanes = params->lanes,
                                                      .subroutines = params->subroutines,
                                                      .find = params->find,
                                                      .lens = params->lens});
    rv_navigate_set(&viewer->navigate, from_ns, to_ns > from_ns ? to_ns : from_ns + 1);
    viewer->navigate.is_following = false;
    viewer->present = (struct rv_present){first_ns, last_ns, last_ns, last_ns, .is_done = true};
    if (has_range && is_chosen)
        viewer->inquiry.selected = range;
    (void)rv_inquiry_update(&viewer->inquiry, viewer->lanes, viewer->subroutines, true);
    if (params->find && !is_chosen && !has_range)
        show_first_hit(viewer);
}

static void draw_picture(const struct rv_screenshot_params *params, const int size_px[2], struct rv_scene *scene,
                         struct rv_panels *panels)
{
    struct rv_viewer viewer;
    struct rv_view view = {0};
    struct rv_view_params view_params = {.width_px = (uint32_t)size_px[0], .box_budget = BOX_BUDGET};
    choose_window(params, &viewer);
    rv_navigate_window(&viewer.navigate, &view_params.from_ns, &view_params.to_ns);
    rv_inquiry_apply(&viewer.inquiry, &view_params);
    rv_view_update(&view, params->lanes, &view_params);
    struct rv_scene_frame frame = {
        .view = &view,
        .subroutines = params->subroutines,
        .width_px = size_px[0],
        .height_px = size_px[1],
        .scale = 1.0,
        .samples = SAMPLES,
        .look = params->look,
        .look_from = params->look,
        .scheme = params->scheme,
        .selected = viewer.inquiry.selected,
        .origin_ns = viewer.present.first_ns,
        .now_ns = viewer.present.now_ns,
    };
    struct rv_panels_about about = {
        .viewer = &viewer,
        .view = &view,
        .palette = rv_scene_palette(scene),
        .lanes = params->lanes,
        .subroutines = params->subroutines,
        .program = params->program,
        .pid = params->pid,
        .n_dropped = params->n_dropped,
        .surface = {size_px[0], size_px[1], frame.scale, RV_UI_THEME_DARK},
    };
    rv_scene_learn(scene, &frame);
    rv_panels_update(panels, &about);
    frame.insets = rv_panels_insets(panels);
    rv_scene_draw(scene, &frame);
    rv_panels_draw(panels);
    rv_viewer_fini(&viewer);
    rv_view_fini(&view);
}

static int draw_and_write(const struct rv_screenshot_params *params, const int size_px[2])
{
    struct canvas canvas = {0};
    struct rv_scene *scene = NULL;
    struct rv_panels panels = {0};
    int err = create_canvas(&canvas, size_px[0], size_px[1]);
    if (!err)
        err = rv_scene_create(&scene);
    if (!err)
        err = rv_panels_open(&panels);
    if (!err) {
        uint8_t *rgba = rv_alloc((size_t)size_px[0] * (size_t)size_px[1], 4);
        draw_picture(params, size_px, scene, &panels);
        rv_scene_read_pixels(size_px[0], size_px[1], rgba);
        err = rv_png_write(params->path, rgba, size_px[0], size_px[1]);
        free(rgba);
    }
    rv_panels_close(&panels);
    rv_scene_destroy(scene);
    destroy_canvas(&canvas);
    return err;
}

int rv_headless_screenshot(const struct rv_screenshot_params *params)
{
    int width_px = params->width_px ? params->width_px : WIDTH_PX;
    int height_px = params->height_px ? params->height_px : HEIGHT_PX;
    if (width_px < 64 || height_px < 64 || width_px > SIDE_MAX_PX || height_px > SIDE_MAX_PX)
        return rv_err(EINVAL, "a picture is 64 to %d pixels wide and high, not %d x %d", SIDE_MAX_PX, width_px,
                      height_px);
    struct rv_context context;
    struct rv_context_params window = {.title = "ringviz", .width = 64, .height = 64, .is_offscreen = true};
    int err = rv_context_open(&context, &window);
    if (err)
        return err;
    err = draw_and_write(params, (int[2]){width_px, height_px});
    rv_context_close(&context);
    return err;
}
