/*
 * Marks of a lane in runs: those that are too dense to tell apart are drawn as ticks with their number, others one by
 * one. No GL.
 */
#ifndef RV_RENDER_MARK_RUNS_H
#define RV_RENDER_MARK_RUNS_H

#include "model/view.h"
#include "render/lane_layout.h"

struct rv_mark_run {
    size_t first, end; /* into the view's notes; others than marks may be between */
    uint64_t n;        /* marks, with merged ones */
    bool is_dense;
};

/*
 * The next run of a lane.
 *   at       the note to begin at, first the lane's first; moved behind the run
 *   returns  false when there is none
 */
bool rv_mark_runs_next(const struct rv_view *view, const struct rv_lane_layout *layout, size_t lane, size_t *at,
                       struct rv_mark_run *run);

#endif
