/*
 * Offscreen framebuffer: multisampled sRGB colour and depth, resolved into one texture. Main thread.
 */
#ifndef RV_RENDER_FRAMEBUFFER_H
#define RV_RENDER_FRAMEBUFFER_H

#include <GL/glew.h>

struct rv_framebuffer {                      /* zeroed = empty */
    GLuint drawn, drawn_colour, drawn_depth; /* multisampled if the driver can */
    GLuint resolved, resolved_colour;        /* without multisampling: the same as drawn, without own colour */
    int width_px, height_px, samples, samples_wanted;
};

/* Resize if needed. samples is a hint. 0 or -ENOTSUP with one line printed. */
int rv_framebuffer_resize(struct rv_framebuffer *target, int width_px, int height_px, int samples);
void rv_framebuffer_fini(struct rv_framebuffer *target);

/* Bind for drawing the scene: sRGB encoding on. */
void rv_framebuffer_begin(const struct rv_framebuffer *target);

/* Resolve; leaves the resolved picture bound for drawing, sRGB encoding off. */
void rv_framebuffer_resolve(const struct rv_framebuffer *target);

/* Copy the resolved picture, texel for pixel, into a framebuffer of the same size; leaves that bound. */
void rv_framebuffer_copy(const struct rv_framebuffer *target, GLuint framebuffer);

#endif
