/*
 * A window over the program of ended_program.h, or another, and a user who does one thing after the other: each step
 * waits for the effect of the one before, asks the window's state, and does the next thing.
 */
#ifndef RV_TEST_RENDER_WINDOW_STEPS_H
#define RV_TEST_RENDER_WINDOW_STEPS_H

#include "viewer/viewer.h"
#include "window/window.h"
#include "ended_program.h"

struct window_steps;

/* One step. True when it was done. */
typedef bool (*window_step_fn)(struct window_steps *steps, const struct rv_window_state *state);

struct window_steps { /* zeroed = not begun */
    struct rv_session *session;
    struct rv_source *source; /* NULL = the program of ended_program.h */
    window_step_fn act;
    struct rv_window_params window; /* 0 in a field: the default of these tests */
    unsigned step;                  /* that comes next */
    bool is_failed;
    uint64_t begin_ns;
};

/* Note a failure, with the step in which it was seen. */
void window_steps_check(struct window_steps *steps, bool is_right, const char *what);

/*
 * Run the window until it is closed, by the last step or because a step has failed or takes too long.
 *   returns  0 when all steps were done and none has failed, else 1 with what went wrong printed: for main()
 */
int window_steps_run(struct window_steps *steps, int width_px, int height_px, unsigned n_steps);

/* A click of the left button. */
void window_steps_click(const int at[2], unsigned n_clicks);

#endif
