/* An SDL window with a GL 3.3 core context, visible or offscreen. Main thread. */
#ifndef RV_WINDOW_GL_CONTEXT_H
#define RV_WINDOW_GL_CONTEXT_H

#include <stdbool.h>

#include <SDL2/SDL.h>

struct rv_gl_context { /* zeroed = closed */
    SDL_Window *window;
    SDL_GLContext gl;
};

struct rv_gl_context_params {
    const char *title;
    int width, height; /* points; a visible window is at most as large as its display */
    bool is_offscreen; /* try SDL's offscreen driver first, even with a display */
};

/* 0, or a negative errno with one line printed: -ENODEV no display, -ENOTSUP no OpenGL 3.3. */
int rv_gl_context_open(struct rv_gl_context *context, const struct rv_gl_context_params *params);

/* Check for OpenGL errors since the last call. 0, or -EIO with one line printed. */
int rv_gl_context_error(void);
void rv_gl_context_close(struct rv_gl_context *context);

#endif
