/*
 * The mouse over a window: what it hovers, pins, focuses, leaves and arranges, by synthetic events; checked by the
 * window's state.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "window_steps.h"

#define CALM_TURNS 10 /* of a settled window: a frame that is wanted comes with the second */
#define NO_BOX 0

static const int CORNER[2] = {3, 340}; /* nothing is there */

struct user {
    struct window_steps steps;
    unsigned n_calm;
    uint64_t n_frames;
};

/* The middle of a front face. */
static void face(const struct rv_window_state *state, uint64_t time_ns, uint32_t depth, int out[2])
{
    float low[2] = {0}, high[2] = {0};
    rv_scene_project(state->scene, &(struct rv_scene_place){time_ns, 0, depth}, low);
    rv_scene_project(state->scene, &(struct rv_scene_place){time_ns, 0, depth + 1}, high);
    out[0] = (int)(0.5f * (low[0] + high[0]));
    out[1] = (int)(0.5f * (low[1] + high[1]));
}

static void inner(const struct rv_window_state *state, unsigned i, int out[2])
{
    face(state, ended_program_inner_start(i) + 10 * MS, 1, out);
}

static bool is_over(const struct rv_window_state *state, uint32_t id, uint64_t start_ns)
{
    const struct rv_hover *hover = &state->viewer->pointer.hover;
    if (id == NO_BOX)
        return !hover->is_on;
    return hover->is_on && hover->box.id == id && hover->box.start_ns == start_ns;
}

static bool is_all(const struct rv_window_state *state)
{
    return state->view->n_boxes == N_INNER + 1 && state->from_ns == ended_program_origin() &&
           state->to_ns == ended_program_origin() + 100 * MS && state->view->from_ns == state->from_ns &&
           state->view->to_ns == state->to_ns;
}

static bool is_focused(const struct rv_window_state *state, unsigned i)
{
    return state->from_ns == ended_program_inner_start(i) - 2 * MS &&
           state->to_ns == ended_program_inner_start(i) + 22 * MS && state->view->from_ns == state->from_ns &&
           state->view->to_ns == state->to_ns;
}

static const char *line_of(const struct rv_tooltip *tooltip, const char *label)
{
    for (size_t i = 0; i < tooltip->n_lines; i++)
        if (!strcmp(tooltip->lines[i].label, label))
            return tooltip->lines[i].text;
    return "";
}

static void expect(struct user *user, const char *what, const char *wanted, const char *text)
{
    if (!strcmp(text, wanted))
        return;
    fprintf(stderr, "step %u: %s is \"%s\", not \"%s\"\n", user->steps.step, what, text, wanted);
    user->steps.is_failed = true;
}

static bool is_described(struct user *user, const struct rv_window_state *state)
{
    const struct rv_tooltip *tooltip = &state->viewer->pointer.tooltip;
    if (!is_over(state, 2, ended_program_inner_start(1)) || !state->is_settled)
        return false;
    expect(user, "the title", "Inner::step", tooltip->title);
    expect(user, "the source", "past.c:2", line_of(tooltip, "source"));
    expect(user, "the duration", "20.00 ms", line_of(tooltip, "duration"));
    expect(user, "the self time", "20.00 ms   (100 %)", line_of(tooltip, "self"));
    expect(user, "the start", "+40.00 ms", line_of(tooltip, "started"));
    expect(user, "the place", "main, depth 1", line_of(tooltip, "where"));
    expect(user, "the calls", "3 in trace, 100 % no longer than this", line_of(tooltip, "calls"));
    return state->viewer->pointer.highlight.id == 2 && state->view->boxes[state->viewer->pointer.highlight.box].id == 2;
}

/* Each step waits for the effect of the one before, then does the next thing. True when it has. */
static bool hover_steps(struct user *user, const struct rv_window_state *state)
{
    int at[2];
    switch (user->steps.step) {
    case 0: /* all is shown */
        if (!rv_session_is_done(user->steps.session) || !is_all(state))
            return false;
        inner(state, 1, at);
        user_move(at);
        return true;
    case 1:
        return is_described(user, state);
    case 2: /* a small move over the same box draws nothing */
        if (!state->is_settled)
            return false;
        user->n_frames = state->n_frames;
        inner(state, 1, at);
        at[0] += 3;
        user_move(at);
        user->n_calm = 0;
        return true;
    case 3:
        if (++user->n_calm < CALM_TURNS)
            return false;
        if (state->n_frames != user->n_frames) {
            fprintf(stderr, "a frame was drawn though nothing had changed\n");
            user->steps.is_failed = true;
        }
        face(state, ended_program_origin() + 35 * MS, 0, at);
        user_move(at);
        return true;
    case 4:
        return is_over(state, 1, ended_program_origin());
    }
    return false;
}

static bool pin_steps(struct user *user, const struct rv_window_state *state)
{
    int at[2];
    bool is_pinned = state->viewer->pointer.hover.is_pinned;
    switch (user->steps.step) {
    case 5:
        inner(state, 1, at);
        window_steps_click(at, 1);
        return true;
    case 6: /* pinned stays pinned over another box */
        if (!is_pinned || !is_over(state, 2, ended_program_inner_start(1)))
            return false;
        inner(state, 0, at);
        user_move(at);
        user->n_calm = 0;
        return true;
    case 7:
        if (++user->n_calm < 3)
            return false;
        user->steps.is_failed |= !is_pinned || !is_over(state, 2, ended_program_inner_start(1));
        user_press(SDL_SCANCODE_ESCAPE, 0);
        return true;
    case 8:
        return !is_pinned && is_over(state, 2, ended_program_inner_start(0));
    }
    return false;
}

static bool focus_steps(struct user *user, const struct rv_window_state *state)
{
    int at[2];
    switch (user->steps.step) {
    case 9:
        user_press(SDL_SCANCODE_F, 0);
        return true;
    case 10:
        if (!is_focused(state, 0))
            return false;
        user_press(SDL_SCANCODE_F, 0);
        return true;
    case 11:
        if (!is_all(state))
            return false;
        inner(state, 2, at);
        window_steps_click(at, 1);
        window_steps_click(at, 2);
        return true;
    case 12: /* the first click pinned it */
        if (!is_focused(state, 2) || !state->viewer->pointer.hover.is_pinned)
            return false;
        user_press(SDL_SCANCODE_ESCAPE, 0);
        user_move(CORNER);
        return true;
    case 13:
        if (!is_over(state, NO_BOX, 0))
            return false;
        user_press(SDL_SCANCODE_F, 0);
        return true;
    }
    return false;
}

/* With this button down, 60 pixels to the right from the middle of the second inner call. */
static void drag(const struct rv_window_state *state, unsigned which)
{
    int at[2];
    inner(state, 1, at);
    user_move(at);
    user_button(which, at, true, 1);
    at[0] += 60;
    user_move(at);
    user_button(which, at, false, 1);
}

/* What lies between the two places of a drag. */
static void dragged_ns(const struct rv_window_state *state, double out[2])
{
    int at[2];
    inner(state, 1, at);
    double window_ns = (double)(state->to_ns - state->from_ns);
    for (int i = 0; i < 2; i++)
        out[i] = (double)state->from_ns + rv_scene_share_at(state->scene, at[0] + 60 * i, at[1]) * window_ns;
}

static bool is_selected(const struct rv_window_state *state, const double dragged[2])
{
    const struct rv_range_ns *range = &state->viewer->selected;
    double pixel_ns = (double)(state->to_ns - state->from_ns) / 500.0;
    return fabs((double)range->from_ns - dragged[0]) < pixel_ns && fabs((double)range->to_ns - dragged[1]) < pixel_ns;
}

/* The outer call covers the range whole, the inner one its beginning. */
static bool is_measured(const struct rv_viewer *viewer)
{
    struct rv_stats_row rows[4];
    const struct rv_range_ns *range = &viewer->selected;
    const struct rv_range_statistics *measured = rv_viewer_statistics_range(&viewer->statistics);
    if (!measured)
        return false;
    size_t n = rv_stats_rows(rv_range_statistics_stats(measured), rows, 4);
    uint64_t end_ns =
        ended_program_inner_start(1) + 20 * MS < range->to_ns ? ended_program_inner_start(1) + 20 * MS : range->to_ns;
    return n == 2 && rows[0].id == 1 && rows[0].total_ns == range->to_ns - range->from_ns && rows[1].n_calls == 1 &&
           rows[1].total_ns == end_ns - range->from_ns && rows[1].max_ns == 20 * MS;
}

static bool drag_steps(struct user *user, const struct rv_window_state *state)
{
    static double dragged[2];
    const struct rv_range_ns *selected = &state->viewer->selected;
    switch (user->steps.step) {
    case 14: /* a drag is no click */
        if (!is_all(state))
            return false;
        dragged_ns(state, dragged);
        drag(state, SDL_BUTTON_LEFT);
        return true;
    case 15:
        if (!is_measured(state->viewer))
            return false;
        user->steps.is_failed |=
            !is_selected(state, dragged) || !is_all(state) || state->viewer->pointer.hover.is_pinned;
        user_press(SDL_SCANCODE_ESCAPE, 0);
        return true;
    case 16:
        if (selected->to_ns > selected->from_ns || !state->is_settled)
            return false;
        drag(state, SDL_BUTTON_RIGHT);
        return true;
    case 17:
        if (state->view->from_ns >= ended_program_origin())
            return false;
        user->steps.is_failed |= state->viewer->pointer.hover.is_pinned;
        drag(state, SDL_BUTTON_MIDDLE);
        return true;
    case 18:
        return state->viewer->look.orbit[0] < 0.0f;
    }
    return false;
}

/* One row shows the innermost calls; cropped, the outermost is left; hidden, nothing is. */
static bool arrange_steps(struct user *user, const struct rv_window_state *state)
{
    int at[2];
    const struct rv_view *view = state->view;
    bool is_row = view->n_lanes && view->lanes[0].is_row;
    switch (user->steps.step) {
    case 19: /* the pan may have gone on for a while */
        user_move(CORNER);
        return true;
    case 20:
        if (!is_over(state, NO_BOX, 0) || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_F, 0);
        return true;
    case 21:
        if (!is_all(state) || !state->is_settled)
            return false;
        inner(state, 1, at);
        user_move(at);
        return true;
    case 22:
        if (!is_over(state, 2, ended_program_inner_start(1)))
            return false;
        user_press(SDL_SCANCODE_X, 0);
        return true;
    case 23:
        if (!is_row || !state->is_settled)
            return false;
        face(state, ended_program_inner_start(2) + 10 * MS, 0, at);
        user_move(at);
        return true;
    case 24:
        if (!is_over(state, 2, ended_program_inner_start(2)))
            return false;
        user_press(SDL_SCANCODE_X, 0);
        return true;
    case 25:
        if (is_row || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_LEFTBRACKET, 0);
        return true;
    case 26:
        if (view->n_boxes != 1 || view->lanes[0].max_depth != 1)
            return false;
        user_press(SDL_SCANCODE_RIGHTBRACKET, 0);
        return true;
    case 27:
        if (view->n_boxes != N_INNER + 1 || !state->is_settled)
            return false;
        inner(state, 1, at);
        user_move(at);
        user_press(SDL_SCANCODE_H, 0);
        return true;
    case 28:
        if (view->n_lanes != 0 || view->n_hidden != 1)
            return false;
        user_press(SDL_SCANCODE_H, KMOD_LSHIFT);
        return true;
    case 29:
        if (view->n_lanes != 1)
            return false;
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    return false;
}

static bool act(struct window_steps *steps, const struct rv_window_state *state)
{
    struct user *user = (struct user *)steps;
    return steps->step < 5    ? hover_steps(user, state)
           : steps->step < 9  ? pin_steps(user, state)
           : steps->step < 14 ? focus_steps(user, state)
           : steps->step < 19 ? drag_steps(user, state)
                              : arrange_steps(user, state);
}

int main(void)
{
    struct user user = {.steps.act = act};
    return window_steps_run(&user.steps, 640, 360, 30);
}
