#include "window_steps.h"

#include <stdio.h>

#include "base/clock.h"

#define DEADLINE_NS (120 * 1000 * MS) /* ends before ctest ends the test, which would not print the step */

void window_steps_check(struct window_steps *steps, bool is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "step %u: %s\n", steps->step, what);
    steps->is_failed = true;
}

void window_steps_click(const int at[2], unsigned n_clicks)
{
    user_move(at);
    user_button(SDL_BUTTON_LEFT, at, true, n_clicks);
    user_button(SDL_BUTTON_LEFT, at, false, n_clicks);
}

static void observe(void *context, const struct rv_window_state *state)
{
    struct window_steps *steps = context;
    if (state->n_frames)
        steps->step += steps->act(steps, state);
}

static bool is_late(void *context)
{
    const struct window_steps *steps = context;
    return steps->is_failed || rv_clock_mono_ns() - steps->begin_ns > DEADLINE_NS;
}

int window_steps_run(struct window_steps *steps, int width_px, int height_px, unsigned n_steps)
{
    struct rv_window_params window = steps->window;
    window.width_px = width_px;
    window.height_px = height_px;
    window.should_close = is_late;
    window.observe = observe;
    window.context = steps;
    (void)ended_program_origin();
    steps->begin_ns = rv_clock_mono_ns();
    steps->session =
        rv_session_start(&(struct rv_session_params){.n_workers = 1, .keeps_waits = true, .keeps_flows = true},
                         steps->source ? steps->source : ended_program_create());
    int err = rv_window_run(steps->session, &window);
    rv_session_stop(steps->session);
    rv_session_destroy(steps->session);
    if (!err && !steps->is_failed && steps->step == n_steps)
        return 0;
    fprintf(stderr, "the window ended with %d in step %u of %u%s\n", err, steps->step, n_steps,
            steps->is_failed ? ", failed" : "");
    return 1;
}
