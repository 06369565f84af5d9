/*
 * The view of calls: all calls of one subroutine behind each other, aligned at their start. Its calls are listed and
 * read by other threads; its window of time counts from a call's start. Part of the viewer. Main thread.
 */
#ifndef RV_VIEWER_CALLS_VIEW_H
#define RV_VIEWER_CALLS_VIEW_H

#include "query/call_rows_job.h"
#include "query/range_renewal.h"
#include "render/view_mode.h"
#include "ui/action.h"
#include "viewer/time_window.h"

#define RV_CALLS_VIEW_BYTES 320

struct rv_viewer;

struct rv_viewer_calls_view {
    bool is_on;               /* a subroutine was chosen */
    bool is_by_time;          /* else the longest are in front */
    bool is_whole;            /* the window shows the longest call: with another list, too */
    uint32_t id;              /* the subroutine */
    const char *pattern;      /* that its full name must match if none is chosen; NULL = any. Borrowed */
    uint64_t sought_ns;       /* by the clock, when one was last sought */
    enum rv_view_mode before; /* the view to go back to */
    struct rv_range_renewal listed;
    uint64_t listed_until_ns; /* end of what is listed or was last */
    struct rv_call_rows_job making;
    struct rv_call_rows *rows; /* shown; NULL = none yet */
    struct rv_time_window time_window;
    char caption[RV_CALLS_VIEW_BYTES];
};

void rv_viewer_calls_view_fini(struct rv_viewer_calls_view *calls_view);

/* Show the calls of this subroutine; 0 = of one that is still to be seen. */
void rv_viewer_calls_view_choose(struct rv_viewer *viewer, uint32_t id);

/* The subroutine that the user means: of the pinned call, else of the chosen row, else the one shown before, else with
 * most time of those whose name matches the pattern, else with most own time of those called more than once; 0:
 * none. */
uint32_t rv_viewer_calls_view_subject(const struct rv_viewer *viewer);

/* Continue: list, read, take what is ready. Returns whether the picture changes. */
bool rv_viewer_calls_view_advance(struct rv_viewer *viewer);
void rv_viewer_calls_view_wait(struct rv_viewer *viewer); /* until its calls are shown */

/* Perform an action, if it has a meaning of its own in this view. */
bool rv_viewer_calls_view_act(struct rv_viewer *viewer, const struct rv_act *act);

/* Go back to the view before. */
void rv_viewer_calls_view_leave(struct rv_viewer *viewer);

/* Is it the view that is shown? */
bool rv_viewer_calls_view_is_shown(const struct rv_viewer *viewer);

/* What is shown, or done. */
const char *rv_viewer_calls_view_caption(struct rv_viewer *viewer);

#endif
