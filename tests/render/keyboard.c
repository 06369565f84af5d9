/*
 * A user without a mouse: goes from call to call by Ctrl with the arrows, hides the arcs of one kind and inverts the first
 * of two rules by the palette, types into the fields of the help and of a list, turns the 3D view, and types into the
 * search field right after the key that opens it.
 */
#include <math.h>
#include <string.h>

#include "window_steps.h"

enum { WIDTH = 1200, HEIGHT = 600, N_STEPS = 22 };

static bool is_pinned(const struct rv_viewer *viewer, uint32_t depth, uint64_t start_ns)
{
    const struct rv_hover *hover = &viewer->pointer.hover;
    return hover->is_pinned && hover->box.depth == depth && hover->box.start_ns == start_ns;
}

static bool go_from_call_to_call(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_viewer *viewer = state->viewer;
    switch (steps->step) {
    case 0:
        if (!viewer->live_edge.is_done || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_UP, KMOD_LCTRL);
        return true;
    case 1:
        if (!is_pinned(viewer, 0, ended_program_origin()))
            return false;
        user_press(SDL_SCANCODE_UP, KMOD_LCTRL);
        return true;
    case 2:
        if (!is_pinned(viewer, 1, ended_program_inner_start(0)))
            return false;
        user_press(SDL_SCANCODE_RIGHT, KMOD_LCTRL);
        return true;
    case 3:
        if (!is_pinned(viewer, 1, ended_program_inner_start(1)))
            return false;
        user_press(SDL_SCANCODE_DOWN, KMOD_LCTRL);
        return true;
    case 4:
        if (!is_pinned(viewer, 0, ended_program_origin()))
            return false;
        user_press(SDL_SCANCODE_P, KMOD_LCTRL);
        return true;
    }
    return false;
}

static bool choose_by_words(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_viewer *viewer = state->viewer;
    const struct rv_filter *filter = viewer->search.filter;
    switch (steps->step) {
    case 5:
        if (!viewer->panels.has_commands || !state->is_settled)
            return false;
        user_enter("hide arcs locks");
        return true;
    case 6:
        if (viewer->panels.has_commands || viewer->settings.arcs_left_out != 1u << RV_ARC_LOCK)
            return false;
        user_press(SDL_SCANCODE_F, KMOD_LCTRL | KMOD_LSHIFT);
        return true;
    case 7:
        if (!viewer->panels.has_search || !state->is_settled)
            return false;
        user_enter("depth:<9");
        return true;
    case 8:
        if (rv_filter_n_rules(filter) != 1)
            return false;
        user_press(SDL_SCANCODE_F, KMOD_LCTRL | KMOD_LSHIFT);
        return true;
    case 9:
        if (viewer->panels.n_rules_asked != 2 || !state->is_settled)
            return false;
        user_enter("duration:>1ns");
        return true;
    case 10:
        if (rv_filter_n_rules(filter) != 2 || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_P, KMOD_LCTRL);
        return true;
    case 11:
        if (!viewer->panels.has_commands || !state->is_settled)
            return false;
        user_enter("invert depth");
        return true;
    case 12:
        if (viewer->panels.has_commands || !rv_filter_n_rules(filter) || rv_filter_text(filter, 0)[0] != '!')
            return false;
        window_steps_check(steps, strcmp(rv_filter_text(filter, 1), "duration:>1ns") == 0,
                           "the other rule has changed");
        user_press(SDL_SCANCODE_F9, 0);
        return true;
    }
    return false;
}

/* By Escape, of which the first leaves the field. */
static bool has_closed(bool is_open, const struct rv_window_state *state)
{
    if (is_open && state->is_settled)
        user_press(SDL_SCANCODE_ESCAPE, 0);
    return !is_open && state->is_settled;
}

static bool type_into_fields(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_viewer_panels *panels = &state->viewer->panels;
    switch (steps->step) {
    case 13:
        if (!panels->has_waits || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_TAB, 0);
        return true;
    case 14:
        if (panels->n_fields_asked != 1 || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_C, 0);
        return true;
    case 15:
        if (!has_closed(panels->has_waits, state))
            return false;
        user_press(SDL_SCANCODE_F1, 0);
        user_press(SDL_SCANCODE_TAB, 0);
        return true;
    case 16:
        if (!panels->has_help || panels->n_fields_asked != 2 || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_C, 0);
        return true;
    case 17:
        if (!has_closed(panels->has_help, state))
            return false;
        window_steps_check(steps, state->viewer->look.scheme == RV_COLOR_PACKAGE, "a letter was taken for a key");
        user_press(SDL_SCANCODE_LEFT, KMOD_LCTRL | KMOD_LSHIFT);
        user_press(SDL_SCANCODE_UP, KMOD_LCTRL | KMOD_LSHIFT);
        return true;
    }
    return false;
}

/* By keys, and by the second of four actions that the palette finds. */
static bool turn(struct window_steps *steps, const struct rv_window_state *state)
{
    const float *orbit = state->viewer->look.orbit;
    switch (steps->step) {
    case 18:
        if (orbit[0] >= 0.0f || orbit[1] <= 0.0f || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_P, KMOD_LCTRL);
        return true;
    case 19:
        if (!state->viewer->panels.has_commands || !state->is_settled)
            return false;
        user_type("look from further");
        user_press(SDL_SCANCODE_DOWN, 0);
        user_press(SDL_SCANCODE_DOWN, 0);
        user_press(SDL_SCANCODE_UP, 0);
        user_press(SDL_SCANCODE_RETURN, 0);
        return true;
    case 20:
        if (state->viewer->panels.has_commands || !state->is_settled)
            return false;
        window_steps_check(steps, fabsf(orbit[0]) < 1e-3f && orbit[1] > 0.0f, "it is not turned to the right again");
        user_press(SDL_SCANCODE_SLASH, 0);
        user_press(SDL_SCANCODE_C, 0);
        user_type("c");
        return true;
    }
    return false;
}

static bool look_at_search(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_viewer *viewer = state->viewer;
    if (steps->step != 21 || !viewer->panels.has_search || !state->is_settled)
        return false;
    window_steps_check(steps, viewer->look.scheme == RV_COLOR_PACKAGE, "a letter of the search was taken for a key");
    window_steps_check(steps, strcmp(viewer->search.find, "c") == 0, "the search lacks a letter");
    user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
    return true;
}

static bool step(struct window_steps *steps, const struct rv_window_state *state)
{
    return go_from_call_to_call(steps, state) || choose_by_words(steps, state) || type_into_fields(steps, state) ||
           turn(steps, state) || look_at_search(steps, state);
}

int main(void)
{
    struct window_steps steps = {.act = step};
    return window_steps_run(&steps, WIDTH, HEIGHT, N_STEPS);
}
