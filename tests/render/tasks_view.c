/*
 * The view of tasks in a window: a lane a task, at its time or from its begin; a click goes to the call in its thread's lane,
 * and from there the key comes back to its task.
 */
#include "window_steps.h"

#include "tasks/flows.h"

#define WIDTH 1200
#define HEIGHT 700

static void add_turn(struct rv_session *session, uint64_t id, enum rv_step_kind kind, unsigned inner)
{
    const uint64_t at_ns = ended_program_inner_start(inner);
    (void)rv_flows_add(rv_session_flows(session),
                       &(struct rv_flow_step){
                           .at_ns = at_ns, .until_ns = at_ns + 15 * MS, .id = id, .name = 1, .call = 2, .kind = kind});
}

/* The box of a call of Inner::step in a lane. */
static size_t inner_in(const struct rv_view *view, size_t lane)
{
    for (size_t i = view->lanes[lane].first_box; i < (size_t)view->lanes[lane].first_box + view->lanes[lane].n_boxes;
         i++)
        if (view->boxes[i].id == 2)
            return i;
    return SIZE_MAX;
}

static void click_inner(const struct rv_window_state *state, uint32_t lane)
{
    float at[2];
    const struct rv_box *box = &state->view->boxes[inner_in(state->view, lane)];
    (void)rv_scene_project(
        state->scene,
        &(struct rv_scene_place){.time_ns = box->start_ns + box->duration_ns / 2, .lane = lane, .depth = box->depth},
        at);
    window_steps_click((int[2]){(int)at[0], (int)at[1] - 4}, 1);
}

static bool has_tasks(const struct rv_window_state *state, bool is_aligned)
{
    return state->viewer->look.shown == RV_VIEW_MODE_TASKS && state->viewer->tasks_view.is_aligned == is_aligned &&
           state->view->n_lanes == 2 && state->is_settled;
}

static bool act(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_viewer *viewer = state->viewer;
    const struct rv_view *view = state->view;
    switch (steps->step) {
    case 0:
        if (!viewer->live_edge.is_done || !state->is_settled)
            return false;
        add_turn(steps->session, 1, RV_STEP_TASK_BEGIN, 0);
        add_turn(steps->session, 1, RV_STEP_TASK_SWITCH, 2);
        add_turn(steps->session, 2, RV_STEP_TASK_BEGIN, 1);
        user_press(SDL_SCANCODE_2, 0);
        user_press(SDL_SCANCODE_6, 0);
        return true;
    case 1:
        if (!has_tasks(state, false))
            return false;
        window_steps_check(steps, view->boxes[view->lanes[0].first_box].start_ns == ended_program_inner_start(0),
                           "the first task is not at its time");
        window_steps_check(steps, view->boxes[view->lanes[1].first_box].start_ns == ended_program_inner_start(1),
                           "the second task is not at its time");
        window_steps_check(steps, view->n_links == 1, "there is no way from turn to turn");
        user_press(SDL_SCANCODE_6, KMOD_LSHIFT);
        return true;
    case 2:
        if (!has_tasks(state, true))
            return false;
        for (size_t i = 0; i < 2; i++)
            window_steps_check(steps, view->boxes[view->lanes[i].first_box].start_ns == 0,
                               "a task does not begin at 0");
        window_steps_check(steps, state->from_ns == 0, "the window does not begin with the tasks");
        user_press(SDL_SCANCODE_5, KMOD_LSHIFT);
        user_press(SDL_SCANCODE_6, KMOD_LSHIFT);
        return true;
    case 3:
        if (!has_tasks(state, false) || !viewer->tasks_view.is_longest_first)
            return false;
        click_inner(state, 1);
        return true;
    case 4: /* in its thread's lane, whole */
        if (viewer->look.shown != RV_VIEW_MODE_ALIGNED || !state->is_settled)
            return false;
        window_steps_check(steps, viewer->pointer.hover.is_pinned, "the call is not pinned");
        window_steps_check(steps, viewer->pointer.hover.box.start_ns == ended_program_inner_start(1),
                           "another call is pinned");
        window_steps_check(steps, viewer->pointer.hover.box.duration_ns > 15 * MS, "only a part of it is pinned");
        user_press(SDL_SCANCODE_6, 0);
        return true;
    case 5: /* and back */
        if (!has_tasks(state, false))
            return false;
        window_steps_check(steps, viewer->tasks_view.followed.is_on && viewer->tasks_view.followed.id == 2,
                           "its task is not followed");
        user_press(SDL_SCANCODE_ESCAPE, 0);
        user_press(SDL_SCANCODE_ESCAPE, 0);
        return true;
    case 6:
        if (viewer->look.shown != RV_VIEW_MODE_ALIGNED)
            return false;
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    return false;
}

int main(void)
{
    return window_steps_run(&(struct window_steps){.act = act}, WIDTH, HEIGHT, 7);
}
