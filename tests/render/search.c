/*
 * Searching, filtering, selecting and inspecting in a window, by synthetic keys and mouse; checked by the window's
 * state and by what is known of the program.
 */
#include <string.h>

#include "window_steps.h"

static void enter(const char *text)
{
    user_type(text);
    user_press(SDL_SCANCODE_RETURN, 0);
}

static bool is_pinned(const struct rv_window_state *state, uint32_t id, uint64_t start_ns)
{
    const struct rv_hover *hover = &state->viewer->pointer.hover;
    return hover->is_pinned && hover->box.id == id && hover->box.start_ns == start_ns;
}

static unsigned n_marked(const struct rv_view *view, unsigned flag)
{
    unsigned n = 0;
    for (size_t i = 0; i < view->n_boxes; i++)
        n += (view->boxes[i].flags & flag) != 0;
    return n;
}

/* What is typed after "/" is searched for; Enter, n and N go from hit to hit, and wrap around. */
static bool search_steps(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_viewer_search *search = &state->viewer->search;
    switch (steps->step) {
    case 0:
        if (!rv_session_is_done(steps->session) || state->view->n_boxes != N_INNER + 1)
            return false;
        user_press(SDL_SCANCODE_SLASH, 0);
        return true;
    case 1:
        if (!state->viewer->panels.has_search || !state->is_settled)
            return false;
        user_type("step");
        return true;
    case 2:
        if (strcmp(search->find, "step") != 0 || !search->is_search_whole || !state->is_settled)
            return false;
        steps->is_failed |= search->search.n_hits != N_INNER || search->search.matches.n_matching != 1;
        steps->is_failed |= n_marked(state->view, RV_BOX_HIT) != N_INNER || n_marked(state->view, RV_BOX_DIMMED) != 1;
        user_press(SDL_SCANCODE_RETURN, 0);
        return true;
    case 3:
        if (!is_pinned(state, 2, ended_program_inner_start(0)))
            return false;
        user_press(SDL_SCANCODE_N, 0);
        return true;
    case 4:
        if (!is_pinned(state, 2, ended_program_inner_start(1)))
            return false;
        user_press(SDL_SCANCODE_N, KMOD_LSHIFT);
        user_press(SDL_SCANCODE_N, KMOD_LSHIFT);
        return true;
    case 5:
        return is_pinned(state, 2, ended_program_inner_start(2));
    }
    return false;
}

/* The pinned call is measured: it fills its time, within the outer one. */
static bool inspect_steps(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_pinned_call *call = &state->viewer->pinned_call;
    uint32_t node = rv_pinned_call_node(call);
    size_t n;
    if (node == 0)
        return false;
    const struct rv_range_node *nodes = rv_range_statistics_nodes(call->measure.range, &n);
    steps->is_failed |= n != 3 || nodes[node].id != 2 || nodes[node].n_calls != 1 || nodes[node].first_child;
    steps->is_failed |= nodes[node].total_ns != 20 * MS || nodes[node].self_ns != 20 * MS;
    steps->is_failed |= nodes[nodes[node].parent].id != 1 || nodes[nodes[node].parent].parent != 0;
    user_press(SDL_SCANCODE_ESCAPE, 0);
    user_press(SDL_SCANCODE_ESCAPE, 0);
    return true;
}

static void go_to_rules(void)
{
    user_press(SDL_SCANCODE_F, KMOD_LCTRL | KMOD_LSHIFT);
    user_press(SDL_SCANCODE_UNKNOWN, 0); /* a pass, in which the field takes the keyboard */
}

/*
 * A filter rule dims calls that do not pass, or hides them; without rules the picture is as before. Keys alone write a rule, and
 * take it back to change it.
 */
static bool filter_steps(struct window_steps *steps, const struct rv_window_state *state)
{
    struct rv_viewer *viewer = (struct rv_viewer *)(uintptr_t)state->viewer;
    const struct rv_filter *filter = state->viewer->search.filter;
    switch (steps->step) {
    case 7: /* both are over */
        if (state->viewer->pointer.hover.is_pinned || state->viewer->search.search.is_on || !state->is_settled)
            return false;
        steps->is_failed |= n_marked(state->view, RV_BOX_HIT | RV_BOX_DIMMED) != 0;
        go_to_rules();
        return true;
    case 8:
        if (!state->viewer->panels.has_search || !state->is_settled)
            return false;
        enter("!name:step$");
        return true;
    case 9:
        if (rv_filter_n_rules(filter) != 1 || n_marked(state->view, RV_BOX_DIMMED) != N_INNER)
            return false;
        rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_HIDE});
        return true;
    case 10:
        if (state->view->n_boxes != 1)
            return false;
        rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_INVERT_RULE});
        return true;
    case 11:
        if (state->view->n_boxes != N_INNER || !state->is_settled)
            return false;
        go_to_rules();
        user_press(SDL_SCANCODE_UP, 0);
        return true;
    case 12:
        if (rv_filter_n_rules(filter) != 0 || state->view->n_boxes != N_INNER + 1 || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_HOME, 0);
        enter("!");
        return true;
    case 13:
        if (rv_filter_n_rules(filter) != 1 || state->view->n_boxes != 1)
            return false;
        steps->is_failed |= strcmp(rv_filter_text(filter, 0), "!name:step$") != 0;
        rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_LET, .text = "depth:what"});
        rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_REMOVE_RULE});
        return true;
    case 14:
        if (rv_filter_n_rules(filter) != 0 || state->view->n_boxes != N_INNER + 1)
            return false;
        steps->is_failed |= !state->viewer->rule_why[0];
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    return false;
}

static bool act(struct window_steps *steps, const struct rv_window_state *state)
{
    return steps->step < 6    ? search_steps(steps, state)
           : steps->step == 6 ? inspect_steps(steps, state)
                              : filter_steps(steps, state);
}

int main(void)
{
    struct window_steps steps = {.act = act};
    return window_steps_run(&steps, 640, 360, 15);
}
