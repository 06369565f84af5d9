/* The window: shows a session while it runs and after it has ended. Main thread. */
#ifndef RV_APP_WINDOW_H
#define RV_APP_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "pipeline/session.h"

struct rv_window_params {                /* zero = default */
    const char *title;                   /* the program or file shown */
    uint32_t pid;                        /* 0 = not shown */
    int width_px, height_px;             /* 1600 x 900 */
    uint64_t window_ns;                  /* span of time shown at first: 100 ms */
    bool (*should_close)(void *context); /* asked ten times a second; NULL = only the user closes */
    void *context;
};

/* Is there a display for a window? 0, or -ENODEV with one line printed. To be asked before anything is started. */
int rv_window_check(void);

/*
 * Run until the user closes the window. Keys by scancode: W S zoom at the cursor, A D and the arrows pan, the wheel
 * zooms at the cursor (Ctrl finer, Shift faster), dragging pans, Space freezes the view while capture goes on, End or L
 * follow the present, F fits everything, Ctrl+Q closes. returns  0, or a negative errno with one line printed: -ENODEV
 * no display, -ENOTSUP no OpenGL 3.3
 */
int rv_window_run(struct rv_session *session, const struct rv_window_params *params);

#endif
