/*
 * Offscreen pictures: one, or several in the same context. Equal contents give equal pixels.
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
#include "query/critical_path_job.h"
#include "render/view_mode.h"

struct rv_screenshot_params { /* zero = default */
    const char *path;
    int width_px, height_px; /* 1600 x 900 */
    size_t box_budget;       /* 200,000 */
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_session *session; /* loads pages on demand; NULL = all calls are in the lanes */
    enum rv_view_mode look;
    bool aligns_tasks;       /* of the view of tasks */
    bool has_other_order;    /* of calls or tasks, in their views */
    const char *lanes_asked; /* model/lane_choices_text.h; NULL = as they come */
    uint32_t most_depth;     /* of calls that are shown; 0 = all */
    float turn[2];           /* of the 3D eye to the right and up, radians */
    bool has_lock_lanes;     /* with lanes of what was waited for */
    const char *calls_of;    /* of the view of calls: a regular expression; NULL = a sensible subroutine */
    enum rv_color_scheme scheme;
    enum rv_color_theme theme;
    uint64_t at_ns;                 /* begin of the window, from the first event */
    uint64_t window_ns;             /* default: to the end */
    uint64_t from_ns, to_ns;        /* a range, from the first event: the window, or marked in a given one */
    const char *find;               /* highlighted; the window moves to the first hit, unless given */
    const struct rv_filter *filter; /* filter; NULL = all */
    const struct rv_diff *diff;     /* comparison of two runs; NULL = one run */
    const struct rv_critical_path_request *lit; /* whose critical path is lit; NULL = none */
    const char *bookmarks_of;                   /* file beside which bookmarks lie that are drawn; NULL = none */
    const char *program;                        /* shown in the top bar; NULL = no bar */
    uint32_t pid;
    uint64_t n_dropped;
    bool (*fetch)(void *context, const struct rv_view *view); /* request pages that the view lacks and wait a little;
                                                                 false: none is lacking. May be NULL */
    void *context;
};

struct rv_offscreen; /* opaque */

/*
 * Prepare drawing; data borrowed by params must outlive it.
 *   returns  0 with *offscreen set, or a negative errno with one line printed: -ENODEV, -ENOTSUP (no OpenGL 3.3),
 *            -EINVAL (size)
 */
int rv_offscreen_open(struct rv_offscreen **offscreen, const struct rv_screenshot_params *params);
void rv_offscreen_close(struct rv_offscreen *offscreen);

/* The bounds of the trace, and the window given by params. */
struct rv_offscreen_times {
    uint64_t first_ns, last_ns, from_ns, to_ns;
};
struct rv_offscreen_times rv_offscreen_times(const struct rv_offscreen *offscreen);

/* Later pictures show nothing after the playhead. */
void rv_offscreen_play(struct rv_offscreen *offscreen, const struct rv_playhead *playhead);

/*
 * Draw [from_ns, to_ns).
 *   returns  RGBA, rows top first, of the requested size or 1600 x 900; valid until the next call. NULL, with
 *            one line printed, when OpenGL failed or the context was lost
 */
const uint8_t *rv_offscreen_draw(struct rv_offscreen *offscreen, uint64_t from_ns, uint64_t to_ns);
void rv_offscreen_size(const struct rv_offscreen *offscreen, int out_px[2]);

/* Draw the window given by params to a PNG file. 0, or a negative errno with one line printed. */
int rv_offscreen_screenshot(const struct rv_screenshot_params *params);

#endif
