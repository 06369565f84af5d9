/*
 * A window of 800 x 600 pixels at a scale of 300 %: 267 x 200 points. Every view and panel can be reached by the mouse, and closed.
 * With DENSITY 2, the same at 150 % on a display that has two pixels a unit of SDL's positions: it says that it has 400 x 300 units.
 */
#include <math.h>

#include "window_steps.h"

#include "viewer/settings.h"

#ifndef DENSITY
#define DENSITY 1
#endif

enum { WIDTH = 800, HEIGHT = 600, SCALE = 3, N_VIEWS = RV_VIEW_MODE_COUNT, EDGE = 14, TAB = 36 };

/* A place in points from the upper left. */
static void click(double x, double y)
{
    window_steps_click((int[2]){(int)(x * SCALE / DENSITY), (int)(y * SCALE / DENSITY)}, 1);
}

static const double RIGHT = (double)WIDTH / SCALE, BOTTOM = (double)HEIGHT / SCALE;

/* Of its number in the top bar. */
static double view_x(int view)
{
    return RIGHT - EDGE - TAB * (N_VIEWS - view - 0.5);
}

/* Of the panel below the picture, whose height is known. */
static void close_panel(double height)
{
    click(RIGHT - 38, BOTTOM - height + 18);
}

static bool step(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_viewer *viewer = state->viewer;
    switch (steps->step) {
    case 0:
        if (!viewer->live_edge.is_done || !state->is_settled)
            return false;
        click(view_x(2), 17);
        return true;
    case 1:
        if (viewer->look.shown != RV_VIEW_MODE_FLAME || !state->is_settled)
            return false;
        click(view_x(0), 17);
        return true;
    case 2:
        if (viewer->look.shown != RV_VIEW_MODE_3D || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_I, 0);
        return true;
    case 3:
        if (!rv_viewer_statistics_range(&viewer->statistics) || !state->is_settled)
            return false;
        close_panel(floor(0.62 * BOTTOM));
        return true;
    case 4:
        if (viewer->statistics.scope != RV_SCOPE_CLOSED || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_SLASH, 0);
        return true;
    case 5:
        if (!viewer->panels.has_search || !state->is_settled)
            return false;
        click(RIGHT - 38, 35 + 20);
        return true;
    case 6:
        if (viewer->panels.has_search)
            return false;
        user_press(SDL_SCANCODE_P, KMOD_LCTRL);
        return true;
    case 7: /* typing goes to the palette, Escape closes it nevertheless */
        if (!viewer->panels.has_commands || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_ESCAPE, 0);
        return true;
    case 8:
        if (viewer->panels.has_commands)
            return false;
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    return false;
}

#if DENSITY != 1
/* Instead of SDL's own, whose offscreen driver has one pixel a unit. */
void SDL_GL_GetDrawableSize(SDL_Window *window, int *width, int *height)
{
    SDL_GetWindowSize(window, width, height);
    *width *= DENSITY;
    *height *= DENSITY;
}
#endif

int main(void)
{
    struct rv_settings settings;
    rv_settings_init(&settings);
    settings.scale_percent = 100 * SCALE / DENSITY;
    struct window_steps steps = {.act = step, .window = {.settings = &settings}};
    return window_steps_run(&steps, WIDTH / DENSITY, HEIGHT / DENSITY, 9);
}
