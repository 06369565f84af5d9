/* A critical path in a window: lit by its key, followed to a call on it, hidden by Escape. The program is that of
 * ended_program.h, which has waited. */
#include "window_steps.h"

#define WAITED_FROM_NS (45 * MS) /* from the beginning, in the second inner call */
#define WAITED_NS (10 * MS)

static void add_wait(struct window_steps *steps)
{
    const uint64_t from_ns = ended_program_origin() + WAITED_FROM_NS;
    rv_waits_add(rv_session_waits(steps->session), &(struct rv_wait){.start_ns = from_ns,
                                                                     .end_ns = from_ns + WAITED_NS,
                                                                     .kind = RV_WAIT_SEMAPHORE,
                                                                     .wake = RV_WAKE_UNKNOWN,
                                                                     .call = 2});
}

static void check_found(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_critical_path_found *found = rv_critical_path_job_found(&state->viewer->path);
    window_steps_check(steps, found && found->n_ns == 100 * MS, "the path is not of all the time in view");
    window_steps_check(steps, found && found->wait_ns == WAITED_NS, "the wait is not on it");
    window_steps_check(steps, state->view->n_steps == 3, "the picture lacks steps");
}

static bool act(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_hover *hover = &state->viewer->pointer.hover;
    switch (steps->step) {
    case 0:
        if (!rv_session_is_done(steps->session) || state->view->n_boxes != N_INNER + 1 || !state->is_settled)
            return false;
        add_wait(steps);
        user_press(SDL_SCANCODE_R, 0);
        return true;
    case 1:
        if (!state->view->has_path || !state->is_settled)
            return false;
        check_found(steps, state);
        user_press(SDL_SCANCODE_P, KMOD_LCTRL);
        return true;
    case 2:
        if (!state->viewer->panels.has_commands || !state->is_settled)
            return false;
        user_enter("critical path waited");
        return true;
    case 3:
        if (state->viewer->panels.has_commands || !state->is_settled)
            return false;
        window_steps_check(steps, hover->is_pinned && hover->box.id == 2, "the call that waited is not pinned");
        window_steps_check(steps, hover->box.start_ns == ended_program_inner_start(1), "another call is pinned");
        user_press(SDL_SCANCODE_ESCAPE, 0);
        return true;
    case 4:
        if (state->view->has_path || !state->is_settled)
            return false;
        window_steps_check(steps, hover->is_pinned && !state->viewer->path.is_on, "more than the path went out");
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    default:
        return false;
    }
}

int main(void)
{
    return window_steps_run(&(struct window_steps){.act = act}, 1000, 600, 5);
}
