/*
 * A window over the program of past.h, or another, and a user who does one thing after the other: each step waits for
 * what the one before has brought about, asks the window's state, and does the next thing.
 */
#ifndef RV_TEST_RENDER_VISIT_H
#define RV_TEST_RENDER_VISIT_H

#include "viewer/viewer.h"
#include "window/window.h"
#include "past.h"

struct visit;

/* One step. True when it was done. */
typedef bool (*visit_step_fn)(struct visit *visit, const struct rv_window_state *state);

struct visit { /* zeroed = not begun */
    struct rv_session *session;
    struct rv_source *source; /* NULL = the program of past.h */
    visit_step_fn act;
    struct rv_window_params window; /* what is not zero is as the test wants it */
    unsigned step;                  /* that comes next */
    bool is_failed;
    uint64_t begin_ns;
};

/* Note a failure, with the step in which it was seen. */
void visit_check(struct visit *visit, bool is_right, const char *what);

/*
 * Run the window until it is closed, by the last step or because a step has failed or takes too long.
 *   returns  0 when all steps were done and none has failed, else 1 with what went wrong printed: for main()
 */
int visit_run(struct visit *visit, int width_px, int height_px, unsigned n_steps);

/* A click of the left button. */
void visit_click(const int at[2], unsigned n_clicks);

#endif
