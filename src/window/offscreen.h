/*
 * Pictures without a window: one, or one after the other by the same context. The same content gives the same pixels.
 * Main thread.
 */
#ifndef RV_WINDOW_OFFSCREEN_H
#define RV_WINDOW_OFFSCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/playhead.h"
#include "model/color.h"
#include "model/lanes.h"
#include "model/subroutines.h"
#include "model/view.h"
#include "pipeline/session.h"
#include "render/view_mode.h"

struct rv_screenshot_params { /* zero = default */
    const char *path;
    int width_px, height_px; /* 1600 x 900 */
    size_t box_budget;       /* 200,000 */
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_session *session; /* where the lanes' calls come from; NULL = they are all there */
    enum rv_view_mode look;
    enum rv_color_scheme scheme;
    enum rv_color_theme theme;
    uint64_t at_ns;          /* where the window begins, from the first event */
    uint64_t window_ns;      /* to the end */
    uint64_t from_ns, to_ns; /* a range, from the first event: the window, or marked in one that at or window chose */
    const char *find;        /* pointed out; the window moves to the first, unless it was chosen */
    const struct rv_filter *filter;   /* lets through; NULL = all */
    const struct rv_compare *compare; /* of the two runs that there are; NULL = one run */
    const char *program;              /* shown in the top bar; NULL = no bar */
    uint32_t pid;
    uint64_t n_dropped;
    bool (*fetch)(void *context, const struct rv_view *view); /* ask for what the view lacks and wait a little for it;
                                                                 false: it lacks nothing. May be NULL */
    void *context;
};

struct rv_offscreen; /* opaque */

/*
 * Get ready to draw; what params borrow outlives it.
 *   returns  0 through *headless, or a negative errno with one line printed: -ENODEV, -ENOTSUP (no OpenGL 3.3), -EINVAL
 *            (size)
 */
int rv_offscreen_open(struct rv_offscreen **offscreen, const struct rv_screenshot_params *params);
void rv_offscreen_close(struct rv_offscreen *offscreen);

/* The bounds of what there is, and the window that params chose. */
struct rv_offscreen_times {
    uint64_t first_ns, last_ns, from_ns, to_ns;
};
struct rv_offscreen_times rv_offscreen_times(const struct rv_offscreen *offscreen);

/* From now on pictures show nothing that is later than the playhead. */
void rv_offscreen_play(struct rv_offscreen *offscreen, const struct rv_playhead *playhead);

/*
 * Draw what is from from_ns to to_ns.
 *   returns  RGBA, rows top first, of the size that is asked for or 1600 x 900; valid until the next call. NULL, with
 *            one line printed, when OpenGL failed or the context was lost
 */
const uint8_t *rv_offscreen_draw(struct rv_offscreen *offscreen, uint64_t from_ns, uint64_t to_ns);
void rv_offscreen_size(const struct rv_offscreen *offscreen, int out_px[2]);

/* The window that params chose, into a PNG file. 0, or a negative errno with one line printed. */
int rv_offscreen_screenshot(const struct rv_screenshot_params *params);

#endif
