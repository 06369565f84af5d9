/*
 * Lanes of what was waited for, in a window: a key shows them before the threads, hovering tells who had it and who waited, a
 * click goes to the call.
 */
#include "window_steps.h"

#define WAIT_BEGIN_NS (5 * MS) /* from the beginning, in the first inner call */
#define WAIT_NS (40 * MS)

static void add_waits(struct window_steps *steps)
{
    struct rv_waits *waits = rv_session_waits(steps->session);
    const uint64_t begin_ns = ended_program_origin() + WAIT_BEGIN_NS;
    rv_waits_add(waits, &(struct rv_wait){.start_ns = begin_ns,
                                          .end_ns = begin_ns + WAIT_NS,
                                          .kind = RV_WAIT_MUTEX,
                                          .wake = RV_WAKE_EXACT,
                                          .waker = rv_lanes_get(rv_session_lanes(steps->session), 0)->tid,
                                          .object = 1,
                                          .call = 2});
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = begin_ns + WAIT_NS / 2, .object = 1, .call = 2});
}

/* The place of the box in a row of the first lane; row 1: who waits. */
static bool find_row(const struct rv_window_state *state, uint32_t row, int at[2])
{
    float at_px[2];
    for (uint32_t i = 0; i < state->view->lanes[0].n_boxes; i++) {
        const struct rv_box *box = &state->view->boxes[state->view->lanes[0].first_box + i];
        if (box->depth != row)
            continue;
        (void)rv_scene_project(state->scene,
                               &(struct rv_scene_place){.time_ns = box->start_ns + box->duration_ns / 3, .depth = row},
                               at_px);
        at[0] = (int)at_px[0];
        at[1] = (int)at_px[1] - 3;
        return true;
    }
    return false;
}

static bool has_lane(const struct rv_window_state *state)
{
    return state->view->n_lanes == 2 && state->view->lanes[0].object == 1 && !state->view->lanes[1].object;
}

static bool is_hovered(const struct rv_viewer *viewer, bool is_wait)
{
    const struct rv_lock_hover *lock = &viewer->pointer.lock;
    return lock->is_on && lock->object == 1 && !lock->is_cell && lock->hold.is_wait == is_wait &&
           !viewer->pointer.hover.is_on;
}

static bool act(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_viewer *viewer = state->viewer;
    int at[2];
    switch (steps->step) {
    case 0:
        if (!viewer->live_edge.is_done || !state->is_settled)
            return false;
        add_waits(steps);
        user_press(SDL_SCANCODE_3, 0);
        user_press(SDL_SCANCODE_F9, KMOD_LSHIFT);
        return true;
    case 1:
        if (!has_lane(state) || !state->is_settled)
            return false;
        window_steps_check(steps, find_row(state, 0, at), "nobody has it");
        user_move(at);
        return true;
    case 2:
        if (!is_hovered(viewer, false) || !state->is_settled)
            return false;
        window_steps_check(steps, viewer->pointer.lock.hold.to_ns - viewer->pointer.lock.hold.from_ns == WAIT_NS / 2,
                           "the holder had it for another time");
        window_steps_check(steps, viewer->pointer.lock.n_waiting == 1, "nobody waits");
        window_steps_check(steps, find_row(state, 1, at), "nobody waits for it");
        user_move(at);
        return true;
    case 3:
        if (!is_hovered(viewer, true) || !find_row(state, 1, at))
            return false;
        window_steps_click(at, 1);
        return true;
    case 4:
        if (!viewer->pointer.hover.is_pinned || !state->is_settled)
            return false;
        window_steps_check(steps, viewer->pointer.hover.lane_idx == 0, "the call is in no thread");
        user_press(SDL_SCANCODE_4, 0);
        return true;
    case 5:
        if (state->view->n_lanes != 1 || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_2, 0);
        return true;
    case 6:
        if (!has_lane(state) || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_F9, KMOD_LSHIFT);
        return true;
    case 7:
        if (state->view->n_lanes != 1)
            return false;
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    return false;
}

int main(void)
{
    return window_steps_run(&(struct window_steps){.act = act}, 1200, 700, 8);
}
