#include "canvas.h"

#include <stdio.h>
#include <stdlib.h>

#include <GL/glew.h>

#include "base/vec.h"

void canvas_init(struct canvas *canvas, int width_px, int height_px)
{
    struct rv_gl_context_params params = {.title = "canvas", .width = 64, .height = 64, .is_offscreen = true};
    *canvas = (struct canvas){.width_px = width_px, .height_px = height_px};
    if (rv_gl_context_open(&canvas->context, &params) || rv_scene_create(&canvas->scene))
        exit(1);
    canvas->rgba = rv_alloc((size_t)width_px * (size_t)height_px, 4);
    glGenFramebuffers(1, &canvas->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, canvas->framebuffer);
    glGenRenderbuffers(1, &canvas->colour);
    glBindRenderbuffer(GL_RENDERBUFFER, canvas->colour);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width_px, height_px);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, canvas->colour);
}

void canvas_fini(struct canvas *canvas)
{
    glDeleteFramebuffers(1, &canvas->framebuffer);
    glDeleteRenderbuffers(1, &canvas->colour);
    rv_scene_destroy(canvas->scene);
    rv_gl_context_close(&canvas->context);
    free(canvas->rgba);
}

void canvas_draw(struct canvas *canvas, struct rv_scene_frame frame)
{
    frame.width_px = canvas->width_px;
    frame.height_px = canvas->height_px;
    rv_scene_compose(canvas->scene, &frame);
    rv_scene_draw(canvas->scene, &frame);
    rv_scene_read_pixels(canvas->width_px, canvas->height_px, canvas->rgba);
    GLenum err = glGetError();
    if (err != GL_NO_ERROR) {
        fprintf(stderr, "GL error 0x%x\n", err);
        exit(1);
    }
}

const uint8_t *canvas_pixel(const struct canvas *canvas, int x_px, int y_px)
{
    return canvas->rgba + 4 * ((size_t)y_px * (size_t)canvas->width_px + (size_t)x_px);
}

unsigned canvas_n_failed;

void canvas_check(bool is_right, const char *what, const char *view, double value)
{
    if (is_right)
        return;
    canvas_n_failed++;
    fprintf(stderr, "%s: %s: %g\n", view, what, value);
}
