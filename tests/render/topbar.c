/* A window of 500 points at a scale of 200 %, whose top bar has no room for buttons: the last one leads to all actions. */
#include "window_steps.h"

#include "viewer/settings.h"

enum { WIDTH = 1000, HEIGHT = 600, SCALE = 2, N_VIEWS = RV_VIEW_MODE_COUNT, EDGE = 14, TAB = 36, MORE = 27, TOP = 17 };

static bool step(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_viewer *viewer = state->viewer;
    switch (steps->step) {
    case 0:
        if (!viewer->live_edge.is_done || !state->is_settled)
            return false;
        window_steps_click((int[2]){WIDTH - SCALE * (EDGE + TAB * N_VIEWS + MORE), SCALE * TOP}, 1);
        return true;
    case 1:
        if (!viewer->panels.has_commands || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_ESCAPE, 0);
        return true;
    case 2:
        if (viewer->panels.has_commands)
            return false;
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    return false;
}

int main(void)
{
    struct rv_settings settings;
    rv_settings_init(&settings);
    settings.scale_percent = 100 * SCALE;
    struct window_steps steps = {.act = step, .window = {.settings = &settings}};
    return window_steps_run(&steps, WIDTH, HEIGHT, 3);
}
