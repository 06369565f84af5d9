#include "app/headless.h"

#include <errno.h>
#include <stdlib.h>

#include <GL/glew.h>

#include "app/context.h"
#include "base/err.h"
#include "base/vec.h"
#include "render/png.h"
#include "render/scene.h"

#define WIDTH_PX 1600
#define HEIGHT_PX 900
#define SIDE_MAX_PX 16384
#define BOX_BUDGET 200000
#define SAMPLES 4

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

static void choose_window(const struct rv_screenshot_params *params, struct rv_scene_frame *frame,
                          struct rv_view_params *view)
{
    uint64_t first_ns = 0, last_ns = 1;
    if (!rv_lanes_bounds(params->lanes, &first_ns, &last_ns))
        first_ns = 0, last_ns = 1;
    view->from_ns = first_ns + params->at_ns;
    view->to_ns = params->window_ns ? view->from_ns + params->window_ns : last_ns;
    if (view->to_ns <= view->from_ns)
        view->to_ns = view->from_ns + 1;
    frame->origin_ns = first_ns;
    frame->now_ns = last_ns;
}

static int draw_and_write(const struct rv_screenshot_params *params, int width_px, int height_px)
{
    struct rv_view view = {0};
    struct rv_view_params view_params = {.width_px = (uint32_t)width_px, .box_budget = BOX_BUDGET};
    struct rv_scene_frame frame = {
        .view = &view,
        .subroutines = params->subroutines,
        .width_px = width_px,
        .height_px = height_px,
        .scale = 1.0,
        .samples = SAMPLES,
        .look = params->look,
        .look_from = params->look,
        .scheme = params->scheme,
        .status = {params->program, params->pid, RV_SCENE_ENDED, -1.0, params->n_dropped},
    };
    struct canvas canvas = {0};
    struct rv_scene *scene = NULL;
    choose_window(params, &frame, &view_params);
    rv_view_update(&view, params->lanes, &view_params);
    int err = create_canvas(&canvas, width_px, height_px);
    if (!err)
        err = rv_scene_create(&scene);
    if (!err) {
        uint8_t *rgba = rv_alloc((size_t)width_px * (size_t)height_px, 4);
        rv_scene_draw(scene, &frame);
        rv_scene_read_pixels(width_px, height_px, rgba);
        err = rv_png_write(params->path, rgba, width_px, height_px);
        free(rgba);
    }
    rv_scene_destroy(scene);
    destroy_canvas(&canvas);
    rv_view_fini(&view);
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
    err = draw_and_write(params, width_px, height_px);
    rv_context_close(&context);
    return err;
}
