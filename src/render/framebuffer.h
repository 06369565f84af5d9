/*
 * The offscreen picture: multisampled sRGB colour and depth, resolved into one texture. Main thread.
 */
#ifndef RV_RENDER_FRAMEBUFFER_H
#define RV_RENDER_FRAMEBUFFER_H

#include <GL/glew.h>

struct rv_target {                           /* zeroed = empty */
    GLuint drawn, drawn_colour, drawn_depth; /* multisampled where the driver can */
    GLuint resolved, resolved_colour;        /* without samples the drawn one itself, and no colour of its own */
    int width_px, height_px, samples, samples_wanted;
};

/* Make it this large, keep it when it is. samples is a wish. 0 or -ENOTSUP with one line printed. */
int rv_target_resize(struct rv_target *target, int width_px, int height_px, int samples);
void rv_target_fini(struct rv_target *target);

/* Bind for drawing the scene: sRGB encoding on. */
void rv_target_begin(const struct rv_target *target);

/* Resolve; leaves the resolved picture bound for drawing, sRGB encoding off. */
void rv_target_resolve(const struct rv_target *target);

/* Copy the resolved picture, texel for pixel, into a framebuffer of the same size; leaves that bound. */
void rv_target_copy(const struct rv_target *target, GLuint framebuffer);

#endif
