/*
 * The view of calls in a window: all calls of a subroutine behind each other; their order changes by a key; a click goes
 * to a call in the view before.
 */
#include "window_steps.h"

#define WIDTH 1200
#define HEIGHT 700

static void click_row(const struct rv_window_state *state, uint32_t row)
{
    float at[2];
    const struct rv_view_lane *lane = &state->view->lanes[row];
    const struct rv_box *box = &state->view->boxes[lane->first_box];
    (void)rv_scene_project(state->scene,
                           &(struct rv_scene_place){.time_ns = box->start_ns + box->duration_ns / 2, .lane = row}, at);
    window_steps_click((int[2]){(int)at[0], (int)at[1] - 4}, 1);
}

static bool has_rows(const struct rv_window_state *state, bool is_by_time)
{
    const struct rv_viewer_calls_view *calls_view = &state->viewer->calls_view;
    return state->viewer->look.shown == RV_VIEW_MODE_CALLS && calls_view->rows &&
           calls_view->rows->is_by_time == is_by_time && state->view->n_lanes == N_INNER && state->is_settled;
}

static bool act(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_viewer *viewer = state->viewer;
    switch (steps->step) {
    case 0:
        if (!viewer->live_edge.is_done || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_2, 0);
        user_press(SDL_SCANCODE_5, 0);
        return true;
    case 1: /* of the inner calls: the outer one was called once */
        if (!has_rows(state, false))
            return false;
        window_steps_check(steps, viewer->calls_view.id == 2, "the subroutine is not the one with most own time");
        window_steps_check(steps, state->from_ns == 0 && state->to_ns > 20 * MS, "the window is not that of a call");
        user_press(SDL_SCANCODE_5, KMOD_LSHIFT);
        return true;
    case 2:
        if (!has_rows(state, true))
            return false;
        for (unsigned i = 0; i < N_INNER; i++)
            window_steps_check(
                steps, state->view->parts[state->view->lanes[i].first_part].shift_ns == ended_program_inner_start(i),
                "the calls are not in order of time");
        user_press(SDL_SCANCODE_W, 0);
        return true;
    case 3: /* zoomed, and whole again */
        if (!has_rows(state, true) || state->to_ns - state->from_ns >= 19 * MS)
            return false;
        user_press(SDL_SCANCODE_F, 0);
        return true;
    case 4:
        if (!has_rows(state, true) || state->to_ns - state->from_ns <= 20 * MS)
            return false;
        click_row(state, 1);
        return true;
    case 5:
        if (viewer->look.shown != RV_VIEW_MODE_ALIGNED || !state->is_settled)
            return false;
        window_steps_check(steps, viewer->pointer.hover.is_pinned, "the call is not pinned");
        window_steps_check(steps, viewer->pointer.hover.box.start_ns == ended_program_inner_start(1),
                           "another call is pinned");
        window_steps_check(steps, viewer->pointer.hover.box.depth == 1, "it is at another depth");
        window_steps_check(steps, state->view->n_lanes == 1, "the view before has other lanes");
        user_press(SDL_SCANCODE_5, 0);
        return true;
    case 6:
        if (!has_rows(state, true))
            return false;
        user_press(SDL_SCANCODE_ESCAPE, 0);
        return true;
    case 7:
        if (viewer->look.shown != RV_VIEW_MODE_ALIGNED)
            return false;
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    return false;
}

int main(void)
{
    return window_steps_run(&(struct window_steps){.act = act}, WIDTH, HEIGHT, 8);
}
