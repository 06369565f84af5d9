/*
 * The view of tasks: a lane for each task and flow, at its time or aligned at its begin. Its picture is made of the
 * flows that are known; its window of time is the threads', or aligned counts from a task's begin. Part of the viewer.
 * Main thread.
 */
#ifndef RV_VIEWER_TASKS_VIEW_H
#define RV_VIEWER_TASKS_VIEW_H

#include "query/tasks_view.h"
#include "render/view_mode.h"
#include "ui/action.h"
#include "viewer/time_window.h"

#define RV_TASKS_VIEW_BYTES 200

struct rv_viewer;

struct rv_viewer_tasks_view { /* zeroed = at their times, by begin, none followed */
    bool is_aligned, is_longest_first;
    bool is_whole;            /* aligned, the window shows the longest task */
    enum rv_view_mode before; /* the view to go back to */
    struct rv_followed followed;
    struct rv_time_window time_window; /* aligned */
    char caption[RV_TASKS_VIEW_BYTES];
};

/* Is it the view that is shown? */
bool rv_viewer_tasks_view_is_shown(const struct rv_viewer *viewer);

/* It is about to be shown: follow the pinned call's task or flow, and show its time; without one, none is followed. */
void rv_viewer_tasks_view_choose(struct rv_viewer *viewer);

/* Perform an action, if it has a meaning of its own in this view. */
bool rv_viewer_tasks_view_act(struct rv_viewer *viewer, const struct rv_act *act);

/* Follow none; false: none was followed. */
bool rv_viewer_tasks_view_unfollow(struct rv_viewer *viewer);

/* Go back to the view before. */
void rv_viewer_tasks_view_leave(struct rv_viewer *viewer);

/* What pictures are to be made of; borrowed. Changes the window of view to the one of this view. */
struct rv_tasks_view_params rv_viewer_tasks_view_apply(struct rv_viewer *viewer, struct rv_view_params *view);

/* What this view of it shows. */
const char *rv_viewer_tasks_view_caption(struct rv_viewer *viewer, const struct rv_view *view);

#endif
