#include "render/framebuffer.h"

#include <errno.h>
#include <stdbool.h>

#include "base/err.h"

void rv_framebuffer_fini(struct rv_framebuffer *target)
{
    if (target->resolved != target->drawn)
        glDeleteFramebuffers(1, &target->resolved);
    glDeleteFramebuffers(1, &target->drawn);
    glDeleteRenderbuffers(1, &target->drawn_colour);
    glDeleteRenderbuffers(1, &target->drawn_depth);
    glDeleteRenderbuffers(1, &target->resolved_colour);
    *target = (struct rv_framebuffer){0};
}

static GLuint attach(GLenum attachment, GLenum format, const struct rv_framebuffer *target, int samples)
{
    GLuint renderbuffer;
    glGenRenderbuffers(1, &renderbuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, target->width_px, target->height_px);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, renderbuffer);
    return renderbuffer;
}

static int build(struct rv_framebuffer *target)
{
    glGenFramebuffers(1, &target->drawn);
    glBindFramebuffer(GL_FRAMEBUFFER, target->drawn);
    target->drawn_colour = attach(GL_COLOR_ATTACHMENT0, GL_SRGB8_ALPHA8, target, target->samples);
    target->drawn_depth = attach(GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT32F, target, target->samples);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return -ENOTSUP;
    target->resolved = target->drawn;
    if (target->samples == 0)
        return 0;
    glGenFramebuffers(1, &target->resolved);
    glBindFramebuffer(GL_FRAMEBUFFER, target->resolved);
    target->resolved_colour = attach(GL_COLOR_ATTACHMENT0, GL_SRGB8_ALPHA8, target, 0);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE ? 0 : -ENOTSUP;
}

static int samples_possible(int samples)
{
    GLint max = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &max);
    return samples < max ? samples : max;
}

int rv_framebuffer_resize(struct rv_framebuffer *target, int width_px, int height_px, int samples)
{
    samples = samples_possible(samples);
    bool is_same_size = target->width_px == width_px && target->height_px == height_px;
    if (target->drawn && is_same_size && target->samples_wanted == samples)
        return 0;
    int wanted = samples;
    GLint bound = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    int err = -ENOTSUP;
    for (; err && samples >= 0; samples = samples > 1 ? samples / 2 : samples - 1) {
        rv_framebuffer_fini(target);
        *target = (struct rv_framebuffer){
            .width_px = width_px, .height_px = height_px, .samples = samples, .samples_wanted = wanted};
        err = build(target);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
    return err ? rv_err(ENOTSUP, "no framebuffer of %d x %d pixels", width_px, height_px) : 0;
}

void rv_framebuffer_begin(const struct rv_framebuffer *target)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target->drawn);
    glViewport(0, 0, target->width_px, target->height_px);
    glEnable(GL_FRAMEBUFFER_SRGB);
}

void rv_framebuffer_resolve(const struct rv_framebuffer *target)
{
    int width = target->width_px, height = target->height_px;
    if (target->resolved != target->drawn) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, target->drawn);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target->resolved);
        glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, target->resolved);
    glDisable(GL_FRAMEBUFFER_SRGB);
}

void rv_framebuffer_copy(const struct rv_framebuffer *target, GLuint framebuffer)
{
    int width = target->width_px, height = target->height_px;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, target->resolved);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}
