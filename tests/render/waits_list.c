/* The list of what threads waited for, in a window with the program of ended_program.h: a key opens it, a row leads to the call
 * that waited, kinds of arcs are switched off and on. The program's last wait is for a lock of its own. */
#include "window_steps.h"

#define WAITED_UNTIL_NS (55 * MS) /* from the beginning, in the second inner call */
#define WAITED_NS (120 * MS)

static void add_waits(struct window_steps *steps)
{
    const uint64_t until_ns = ended_program_origin() + WAITED_UNTIL_NS;
    const uint32_t own_tid = rv_lanes_get(rv_session_lanes(steps->session), 0)->tid;
    for (uint64_t i = 1; i <= 2; i++)
        rv_waits_add(rv_session_waits(steps->session), &(struct rv_wait){.start_ns = until_ns - i * WAITED_NS / 2,
                                                                         .end_ns = until_ns,
                                                                         .kind = RV_WAIT_MUTEX,
                                                                         .wake = RV_WAKE_UNKNOWN,
                                                                         .waker = i == 2 ? own_tid : 0,
                                                                         .object = i == 2 ? 1 : 2,
                                                                         .call = 2});
}

static void ask(const struct rv_window_state *state, enum rv_action action, uint32_t idx)
{
    rv_viewer_act((struct rv_viewer *)(uintptr_t)state->viewer, &(struct rv_act){.action = action, .idx = idx});
}

static bool act(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_viewer *viewer = state->viewer;
    const struct rv_viewer_waits_made *shown = &viewer->waits.shown;
    switch (steps->step) {
    case 0:
        if (!viewer->live_edge.is_done || !state->is_settled)
            return false;
        add_waits(steps);
        user_press(SDL_SCANCODE_F9, 0);
        return true;
    case 1:
        if (!viewer->panels.has_waits || shown->n != 3 || !state->is_settled)
            return false;
        window_steps_check(steps, shown->n_deadlocked == 1 && shown->rows[0].object == 1,
                           "the deadlock is not the first");
        window_steps_check(steps, shown->rows[1].object == 1 && shown->rows[1].total_ns == WAITED_NS,
                           "the object with most waiting is not the next");
        user_press(SDL_SCANCODE_P, KMOD_LCTRL);
        return true;
    case 2:
        if (!viewer->panels.has_commands || !state->is_settled)
            return false;
        user_type("longest wait deadlock");
        user_press(SDL_SCANCODE_RETURN, 0);
        return true;
    case 3:
        if (!viewer->pointer.hover.is_pinned || !state->is_settled)
            return false;
        window_steps_check(steps, viewer->pointer.hover.box.start_ns == ended_program_inner_start(1),
                           "another call is pinned");
        ask(state, RV_ACTION_SHOW_HOLDER, 2); /* unknown */
        ask(state, RV_ACTION_LIST_ARCS, 0);
        window_steps_check(steps, !rv_viewer_waits_is_chosen(viewer, shown->n), "an object's row chose an arc");
        ask(state, RV_ACTION_ARC_KIND, RV_ARC_LOCK);
        return true;
    case 4:
        if (!state->is_settled || viewer->arcs.all.left_out != 1u << RV_ARC_LOCK || !shown->has_arcs)
            return false;
        window_steps_check(steps,
                           shown->n_arcs == 1 && shown->rows[shown->n].holder.tid != 0 &&
                               shown->rows[shown->n].total_ns == WAITED_NS,
                           "the arc is not listed");
        window_steps_check(steps, viewer->pointer.hover.box.start_ns == ended_program_inner_start(1),
                           "an unknown holder leads somewhere");
        user_press(SDL_SCANCODE_P, KMOD_LCTRL);
        return true;
    case 5:
        if (!viewer->panels.has_commands || !state->is_settled)
            return false;
        user_type("which waited for");
        user_press(SDL_SCANCODE_RETURN, 0);
        return true;
    case 6:
        if (viewer->panels.has_commands || !state->is_settled)
            return false;
        window_steps_check(steps, rv_viewer_waits_is_chosen(viewer, shown->n), "the row is not the chosen one");
        user_press(SDL_SCANCODE_R, KMOD_LSHIFT); /* some are shown: then none */
        return true;
    case 7:
        if (viewer->settings.arcs_left_out != RV_ARC_OF_WAITS)
            return false;
        user_press(SDL_SCANCODE_R, KMOD_LSHIFT);
        return true;
    case 8:
        if (viewer->settings.arcs_left_out != 0)
            return false;
        user_press(SDL_SCANCODE_ESCAPE, 0);
        return true;
    case 9:
        if (viewer->panels.has_waits)
            return false;
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    return false;
}

int main(void)
{
    return window_steps_run(&(struct window_steps){.act = act}, 1200, 700, 10);
}
