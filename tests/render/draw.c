/* Draws the made-up program into a PNG file: draw OUT.png [FROM_MS WINDOW_MS [WIDTH HEIGHT [live]]] */
#include <stdio.h>
#include <stdlib.h>

#include <GL/glew.h>

#include "app/context.h"
#include "base/vec.h"
#include "render/png.h"
#include "render/scene.h"
#include "synthetic.h"

static double argument(int argc, char **argv, int idx, double otherwise)
{
    return argc > idx ? atof(argv[idx]) : otherwise;
}

static int draw(int argc, char **argv, struct rv_scene *scene)
{
    struct synthetic synthetic;
    struct rv_view view = {0};
    uint64_t origin_ns = 5000000000u, from_ns = origin_ns + (uint64_t)(1e6 * argument(argc, argv, 2, 10));
    uint64_t window_ns = (uint64_t)(1e6 * argument(argc, argv, 3, 100));
    int width_px = (int)argument(argc, argv, 4, 1600), height_px = (int)argument(argc, argv, 5, 900);
    synthetic_init(&synthetic, origin_ns, from_ns + window_ns - origin_ns + 100000000);
    synthetic_view(&synthetic, &view, from_ns, from_ns + window_ns);
    struct rv_scene_frame frame = {.view = &view,
                                   .subroutines = synthetic.subroutines,
                                   .width_px = width_px,
                                   .height_px = height_px,
                                   .samples = 4,
                                   .now_ns = view.to_ns,
                                   .origin_ns = origin_ns,
                                   .is_live = argc > 6,
                                   .status = {"perl starman.psgi", 4242, RV_SCENE_LIVE, 2.41e6, 0}};
    GLuint framebuffer, colour;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glGenRenderbuffers(1, &colour);
    glBindRenderbuffer(GL_RENDERBUFFER, colour);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width_px, height_px);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
    uint8_t *rgba = rv_alloc((size_t)width_px * (size_t)height_px, 4);
    rv_scene_draw(scene, &frame);
    rv_scene_read_pixels(width_px, height_px, rgba);
    int err = rv_png_write(argv[1], rgba, width_px, height_px);
    printf("%zu boxes, GL error %x\n", view.n_boxes, glGetError());
    free(rgba);
    synthetic_view_fini(&view);
    synthetic_fini(&synthetic);
    return err;
}

int main(int argc, char **argv)
{
    struct rv_context context;
    struct rv_context_params params = {.title = "draw", .width = 64, .height = 64, .is_offscreen = true};
    struct rv_scene *scene;
    if (argc < 2 || rv_context_open(&context, &params) || rv_scene_create(&scene))
        return 1;
    int err = draw(argc, argv, scene);
    rv_scene_destroy(scene);
    rv_context_close(&context);
    return err ? 1 : 0;
}
