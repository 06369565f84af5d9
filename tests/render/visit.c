#include "visit.h"

#include <stdio.h>

#include "base/clock.h"

#define DEADLINE_NS (300 * 1000 * MS)

void visit_check(struct visit *visit, bool is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "step %u: %s\n", visit->step, what);
    visit->is_failed = true;
}

void visit_click(const int at[2], unsigned n_clicks)
{
    past_move(at);
    past_button(SDL_BUTTON_LEFT, at, true, n_clicks);
    past_button(SDL_BUTTON_LEFT, at, false, n_clicks);
}

static void observe(void *context, const struct rv_window_state *state)
{
    struct visit *visit = context;
    if (state->n_frames)
        visit->step += visit->act(visit, state);
}

static bool is_late(void *context)
{
    const struct visit *visit = context;
    return visit->is_failed || rv_clock_mono_ns() - visit->begin_ns > DEADLINE_NS;
}

int visit_run(struct visit *visit, int width_px, int height_px, unsigned n_steps)
{
    struct rv_window_params window = visit->window;
    window.width_px = width_px;
    window.height_px = height_px;
    window.should_close = is_late;
    window.observe = observe;
    window.context = visit;
    (void)past_origin();
    visit->begin_ns = rv_clock_mono_ns();
    visit->session =
        rv_session_start(&(struct rv_session_params){.n_workers = 1}, visit->source ? visit->source : past_create());
    int err = rv_window_run(visit->session, &window);
    rv_session_stop(visit->session);
    rv_session_destroy(visit->session);
    if (!err && !visit->is_failed && visit->step == n_steps)
        return 0;
    fprintf(stderr, "the window ended with %d in step %u of %u%s\n", err, visit->step, n_steps,
            visit->is_failed ? ", failed" : "");
    return 1;
}
