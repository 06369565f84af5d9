#include "viewer/waits.h"

#include <stdlib.h>

#include "base/clock.h"
#include "viewer/show_call.h"
#include "viewer/viewer.h"

#define PAUSE_NS 250000000u /* between two, at least */
#define PAUSE_COSTS 10u     /* and this often what the last one took */

static bool is_wanted(void *context)
{
    return rv_job_thread_is_wanted(context);
}

static void work(void *context)
{
    struct rv_viewer_waits *job = context;
    const uint64_t begin_ns = rv_clock_thread_cpu_ns();
    struct rv_wait_reader *reader = rv_wait_reader_open(job->waits, is_wanted, &job->thread);
    job->made.rows = rv_wait_reader_take_rows(reader, &job->made.n);
    job->made.has_missed = rv_wait_reader_has_missed(reader);
    rv_wait_reader_close(reader);
    job->cost_ns = rv_clock_thread_cpu_ns() - begin_ns;
}

static bool is_old(const struct rv_viewer *viewer)
{
    const struct rv_viewer_waits *job = &viewer->waits;
    if (job->shown.is_final)
        return false;
    return viewer->live_edge.is_done || (rv_waits_n(job->waits) != job->shown.n_waits &&
                                         rv_clock_mono_ns() - job->ended_ns >= PAUSE_NS + PAUSE_COSTS * job->cost_ns);
}

static bool take(struct rv_viewer *viewer)
{
    struct rv_viewer_waits *job = &viewer->waits;
    if (job->thread.is_running || !job->made.rows)
        return false;
    free(job->shown.rows);
    job->shown = job->made;
    job->made = (struct rv_viewer_waits_made){.rows = NULL};
    job->ended_ns = rv_clock_mono_ns();
    return true;
}

bool rv_viewer_waits_advance(struct rv_viewer *viewer)
{
    struct rv_viewer_waits *job = &viewer->waits;
    job->waits = viewer->analysis.session ? rv_session_waits(viewer->analysis.session) : NULL;
    if (!viewer->panels.has_waits || !job->waits)
        return false;
    (void)rv_job_thread_poll(&job->thread, 0);
    const bool has_changed = take(viewer);
    if (!job->thread.is_running && is_old(viewer)) {
        job->made =
            (struct rv_viewer_waits_made){.n_waits = rv_waits_n(job->waits), .is_final = viewer->live_edge.is_done};
        rv_job_thread_start(&job->thread, work, job);
    }
    return has_changed;
}

void rv_viewer_waits_fini(struct rv_viewer *viewer)
{
    rv_job_thread_stop(&viewer->waits.thread);
    free(viewer->waits.made.rows);
    free(viewer->waits.shown.rows);
    viewer->waits.made = viewer->waits.shown = (struct rv_viewer_waits_made){.rows = NULL};
}

/* The innermost call of a side of a wait; of one that is not in memory its time. */
static void show_side(struct rv_viewer *viewer, const struct rv_wait_side *side, uint64_t from_ns, uint64_t to_ns)
{
    struct rv_box box;
    if (!side->lane || !to_ns)
        return;
    struct rv_lane *lane = rv_lanes_get(viewer->lanes, side->lane->idx);
    if (rv_viewer_innermost_around(lane, from_ns, to_ns, &box) || rv_viewer_innermost_around(lane, to_ns, to_ns, &box))
        rv_viewer_show_call(viewer, &box, lane->idx);
    else
        rv_viewer_show_time(viewer, from_ns, to_ns);
}

bool rv_viewer_waits_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    const struct rv_viewer_waits_made *shown = &viewer->waits.shown;
    if (act->action < RV_ACTION_WAITS || act->action > RV_ACTION_SHOW_HOLDER)
        return false;
    if (act->action == RV_ACTION_WAITS)
        viewer->panels.has_waits = !viewer->panels.has_waits;
    else if (act->idx < shown->n) {
        const struct rv_waits_row *row = &shown->rows[act->idx];
        if (act->action == RV_ACTION_SHOW_WAIT)
            show_side(viewer, &row->waiter, row->waited_ns - row->longest_ns, row->waited_ns);
        else
            show_side(viewer, &row->holder, row->released_ns, row->released_ns);
    }
    rv_viewer_point(viewer);
    return true;
}
