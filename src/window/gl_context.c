#include "window/gl_context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <GL/glew.h>

#include "base/err.h"

#define STALE_ERRORS_MAX 16 /* left by GLEW; limited, since a lost context reports errors for ever */

static int start_video(bool is_offscreen)
{
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    const char *request = getenv("SDL_VIDEODRIVER");
    if (SDL_InitSubSystem(SDL_INIT_EVENTS) != 0)
        return rv_err(ENODEV, "SDL: %s", SDL_GetError());
    if (is_offscreen && !request && SDL_VideoInit("offscreen") == 0)
        return 0;
    return SDL_VideoInit(NULL) == 0 ? 0 : rv_err(ENODEV, "no display: %s", SDL_GetError());
}

static void ask_for_core_33(void)
{
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_FLAGS, SDL_GL_CONTEXT_FORWARD_COMPATIBLE_FLAG);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
    SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 0);
}

/* GLEW looks for GLX even with an EGL context, and reports an error although all entry points are loaded. */
static int load_entry_points(void)
{
    glewExperimental = GL_TRUE;
    GLenum err = glewInit();
    if (err != GLEW_OK && err != GLEW_ERROR_NO_GLX_DISPLAY)
        return rv_err(ENOTSUP, "OpenGL: %s", (const char *)glewGetErrorString(err));
    if (!glDrawElementsInstanced || !glFenceSync || !glVertexAttribDivisor)
        return rv_err(ENOTSUP, "OpenGL 3.3 is needed, this is %s", (const char *)glGetString(GL_VERSION));
    for (int i = 0; i < STALE_ERRORS_MAX && glGetError() != GL_NO_ERROR; i++)
        ;
    return 0;
}

/* Not larger than the display has room for. Drivers without a display name one of any size. */
static void fit_display(int *width, int *height)
{
    const char *driver = SDL_GetCurrentVideoDriver();
    SDL_Rect room;
    bool has_display = driver && strcmp(driver, "offscreen") != 0 && strcmp(driver, "dummy") != 0;
    if (!has_display || SDL_GetDisplayUsableBounds(0, &room) != 0)
        return;
    *width = *width > room.w ? room.w : *width;
    *height = *height > room.h ? room.h : *height;
}

static int create_window(struct rv_gl_context *context, const struct rv_gl_context_params *params)
{
    Uint32 flags = SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
    flags |= params->is_offscreen ? SDL_WINDOW_HIDDEN : 0;
    ask_for_core_33();
    int anywhere = SDL_WINDOWPOS_UNDEFINED, width = params->width, height = params->height;
    if (!params->is_offscreen)
        fit_display(&width, &height);
    context->window = SDL_CreateWindow(params->title, anywhere, anywhere, width, height, flags);
    if (!context->window)
        return rv_err(ENOTSUP, "no window with OpenGL: %s", SDL_GetError());
    context->gl = SDL_GL_CreateContext(context->window);
    return context->gl ? 0 : rv_err(ENOTSUP, "OpenGL 3.3 is needed: %s", SDL_GetError());
}

int rv_gl_context_open(struct rv_gl_context *context, const struct rv_gl_context_params *params)
{
    *context = (struct rv_gl_context){0};
    int err = start_video(params->is_offscreen);
    if (!err)
        err = create_window(context, params);
    if (!err)
        err = load_entry_points();
    if (err)
        rv_gl_context_close(context);
    return err;
}

void rv_gl_context_close(struct rv_gl_context *context)
{
    if (context->gl)
        SDL_GL_DeleteContext(context->gl);
    if (context->window)
        SDL_DestroyWindow(context->window);
    SDL_Quit();
    *context = (struct rv_gl_context){0};
}

int rv_gl_context_error(void)
{
    GLenum error = glGetError();
    if (error == GL_NO_ERROR)
        return 0;
    if (error == GL_CONTEXT_LOST)
        return rv_err(EIO, "OpenGL lost its context; --headless and --report need none");
    return rv_err(EIO, "OpenGL failed with error 0x%x", error);
}
