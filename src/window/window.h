/* The window: shows a session while it runs and after it has ended. Main thread. */
#ifndef RV_WINDOW_WINDOW_H
#define RV_WINDOW_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "pipeline/session.h"

struct rv_compare;
struct rv_filter;
struct rv_map;
struct rv_scene;
struct rv_settings;
struct rv_view;
struct rv_viewer;

struct rv_window_state {          /* for observers; valid during the call */
    const struct rv_scene *scene; /* of the last frame, as the view is */
    const struct rv_view *view;
    const struct rv_viewer *viewer;
    uint64_t from_ns, to_ns; /* the window as it is drawn */
    uint64_t n_frames;
    bool is_settled; /* no other frame comes unless something changes */
};

struct rv_window_params {                /* zero = default */
    const char *title;                   /* the program or file shown */
    uint32_t pid;                        /* 0 = not shown */
    int width_px, height_px;             /* 1600 x 900 */
    struct rv_settings *settings;        /* what it begins with, and, at its end, what was chosen; NULL = nothing yet */
    const char *settings_path;           /* where they are kept; NULL = nowhere */
    uint64_t window_ns;                  /* span of time shown at first: 100 ms */
    double speed;                        /* to play at once capture has ended; 0 = not */
    uint64_t start_ns, stop_ns;          /* where that begins and ends, from the first event; stop_ns 0 = at the end */
    const char *find;                    /* searched for at first; NULL = nothing */
    const struct rv_filter *filter;      /* lets through at first; NULL = all */
    const struct rv_compare *compare;    /* of the two runs that the session has; NULL = it is one run */
    bool (*should_close)(void *context); /* asked ten times a second; NULL = only the user closes */
    struct rv_map *map;                  /* of the program's trace file: its threads can be steered; NULL = none */
    bool is_recording;                   /* at first */
    bool (*record)(void *context,
                   bool is_on); /* the user's request; returns what is; NULL = there is nothing to record */
    void (*observe)(void *context, const struct rv_window_state *state); /* in each turn; NULL = nobody */
    void *context;
};

/*
 * Run until the user closes the window. What keys and mouse do stands in viewer/action.c.
 *   returns  0, or a negative errno with one line printed: -ENODEV no display, -ENOTSUP no OpenGL 3.3, -EIO OpenGL
 *            failed
 */
int rv_window_run(struct rv_session *session, const struct rv_window_params *params);

#endif
