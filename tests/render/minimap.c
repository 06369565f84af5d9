/* The strip of the whole trace tells where hits of a search, marks and the playhead are. */
#include "window_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "render/scene.h"
#include "ui/minimap_panel.h"
#include "ui/style.h"

enum {
    WIDTH = 1200,
    HEIGHT = 600,
    LEFT = (int)(RV_TIMEBAR_WIDTH + RV_MINIMAP_PANEL_EDGE),
    STRIP = WIDTH - LEFT - (int)RV_MINIMAP_PANEL_EDGE,
    BOTTOM = HEIGHT - 9,
    TOP = BOTTOM - (int)(RV_MINIMAP_PANEL_HEIGHT - RV_TIMEBAR_HEIGHT),
    MIDDLE = (TOP + BOTTOM) / 2,
    NEAR = 4
};

static int column_of(uint64_t ns)
{
    return LEFT + (int)((double)STRIP * (double)(ns - ended_program_origin()) / (double)(100 * MS));
}

/* Is a row of pixels of a colour near each of these times, and nowhere else? */
static bool is_at_alone(uint32_t color, int row, const uint64_t *times_ns, size_t n)
{
    const uint8_t rgb[3] = {(uint8_t)(color >> 24), (uint8_t)(color >> 16), (uint8_t)(color >> 8)};
    uint8_t *rgba = rv_alloc((size_t)WIDTH * HEIGHT, 4);
    size_t n_found = 0, n_astray = 0, last = n;
    rv_scene_read_pixels(WIDTH, HEIGHT, rgba);
    for (int x = LEFT + 1; x < LEFT + STRIP - 1; x++) {
        size_t i = 0;
        if (memcmp(&rgba[4 * (row * WIDTH + x)], rgb, sizeof rgb) != 0)
            continue;
        while (i < n && abs(x - column_of(times_ns[i])) > NEAR)
            i++;
        n_astray += i == n;
        n_found += i < n && i != last;
        last = i;
    }
    free(rgba);
    return n_found == n && n_astray == 0;
}

static uint64_t starts_ns[N_INNER];

static bool step(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_ui_style *style = rv_ui_style_get(RV_COLOR_DARK);
    const struct rv_viewer *viewer = state->viewer;
    switch (steps->step) {
    case 0:
        if (!rv_session_is_done(steps->session) || state->view->n_boxes != N_INNER + 1 || !state->is_settled)
            return false;
        window_steps_check(steps, is_at_alone(style->accent, BOTTOM - 2, NULL, 0), "hits before a search");
        window_steps_check(steps, is_at_alone(style->text_strong, MIDDLE, NULL, 0), "a mark before there is one");
        user_press(SDL_SCANCODE_SLASH, 0);
        return true;
    case 1:
        if (!viewer->panels.has_search || !state->is_settled)
            return false;
        user_type("step");
        return true;
    case 2:
        if (strcmp(viewer->search.find, "step") != 0 || !viewer->search.is_search_whole || !state->is_settled)
            return false;
        for (unsigned i = 0; i < N_INNER; i++)
            starts_ns[i] = ended_program_inner_start(i);
        window_steps_check(steps, is_at_alone(style->accent, BOTTOM - 2, starts_ns, N_INNER), "hits");
        user_press(SDL_SCANCODE_ESCAPE, 0);
        user_press(SDL_SCANCODE_ESCAPE, 0);
        user_move((int[2]){WIDTH / 3, HEIGHT / 3});
        return true;
    case 3:
        if (viewer->search.search.is_on || !state->is_settled)
            return false;
        window_steps_check(steps, is_at_alone(style->accent, BOTTOM - 2, NULL, 0), "hits after a search");
        user_press(SDL_SCANCODE_M, 0);
        return true;
    case 4:
        if (viewer->marks.n != 1 || !state->is_settled)
            return false;
        window_steps_check(steps, is_at_alone(style->text_strong, MIDDLE, viewer->marks.ns, 1), "a mark");
        user_press(SDL_SCANCODE_SPACE, 0);
        return true;
    case 5:
        if (!viewer->playhead.is_on)
            return false;
        if (viewer->playhead.is_playing)
            user_press(SDL_SCANCODE_SPACE, 0);
        user_press(SDL_SCANCODE_HOME, 0);
        return true;
    case 6:
        if (viewer->playhead.at_ns != ended_program_origin() || viewer->playhead.is_playing || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_PERIOD, 0);
        return true;
    case 7:
        if (viewer->playhead.at_ns != starts_ns[0] || !state->is_settled)
            return false;
        window_steps_check(steps, is_at_alone(style->accent, MIDDLE, &viewer->playhead.at_ns, 1), "the playhead");
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    return false;
}

int main(void)
{
    struct window_steps steps = {.act = step};
    return window_steps_run(&steps, WIDTH, HEIGHT, 8);
}
