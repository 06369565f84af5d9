/* An offscreen context, a framebuffer to draw into and a scene. */
#ifndef RV_TESTS_RENDER_CANVAS_H
#define RV_TESTS_RENDER_CANVAS_H

#include "window/gl_context.h"
#include "render/scene.h"

struct canvas {
    struct rv_gl_context context;
    struct rv_scene *scene;
    unsigned framebuffer, colour;
    int width_px, height_px;
    uint8_t *rgba; /* of the last draw, rows top first */
};

/* Ends the program with a line where there is no OpenGL 3.3. */
void canvas_init(struct canvas *canvas, int width_px, int height_px);
void canvas_fini(struct canvas *canvas);

/* The size is the canvas's. Ends the program on a GL error. */
void canvas_draw(struct canvas *canvas, struct rv_scene_frame frame);

/* A false check is printed with the view and a value, and counted. */
void canvas_check(bool is_right, const char *what, const char *view, double value);
extern unsigned canvas_n_failed;

const uint8_t *canvas_pixel(const struct canvas *canvas, int x_px, int y_px);

#endif
