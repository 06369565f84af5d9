#include "viewer/waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/vec.h"
#include "viewer/show_call.h"
#include "viewer/viewer.h"
#include "waits/deadlocks.h"

#define PAUSE_NS 250000000u /* least time between two, */
#define PAUSE_COSTS 10u     /* and least multiple of what the last one took */

static bool is_wanted(void *context)
{
    return rv_job_thread_is_wanted(context);
}

static struct rv_wait_side side_of(const struct rv_lane *lane, uint32_t call)
{
    return (struct rv_wait_side){.lane = lane, .tid = lane->tid, .call = call};
}

/* As if it was the only wait for its object. */
static struct rv_waits_row row_of(const struct rv_deadlocked_wait *in_cycle, const struct rv_lanes *lanes)
{
    const struct rv_wait *wait = &in_cycle->wait;
    const uint64_t n_ns = rv_wait_duration_ns(wait);
    return (struct rv_waits_row){.object = wait->object,
                                 .kind = wait->kind,
                                 .n_waits = 1,
                                 .total_ns = n_ns,
                                 .p99_ns = n_ns,
                                 .longest_ns = n_ns,
                                 .waiter = side_of(rv_lanes_get(lanes, wait->lane), wait->call),
                                 .waited_ns = wait->end_ns,
                                 .holder = side_of(in_cycle->holder, 0),
                                 .held_ns = n_ns,
                                 .released_ns = wait->end_ns};
}

static void make_rows(struct rv_viewer_waits *job, struct rv_wait_reader *reader)
{
    struct rv_viewer_waits_made *made = &job->made;
    size_t n_objects = 0;
    struct rv_deadlocked_wait *deadlocked = rv_deadlocks_take(reader, job->lanes, &made->n_deadlocked);
    struct rv_waits_row *objects = made->has_objects ? rv_wait_reader_take_rows(reader, &n_objects) : NULL;
    struct rv_waits_row *arcs = made->has_arcs ? rv_wait_reader_take_arcs(reader, &made->n_arcs) : NULL;
    made->n = made->n_deadlocked + n_objects;
    made->rows = rv_alloc(made->n + made->n_arcs + 1, sizeof *made->rows);
    for (size_t i = 0; i < made->n_deadlocked; i++)
        made->rows[i] = row_of(&deadlocked[i], job->lanes);
    for (size_t i = 0; i < n_objects; i++)
        made->rows[made->n_deadlocked + i] = objects[i];
    for (size_t i = 0; i < made->n_arcs; i++)
        made->rows[made->n + i] = arcs[i];
    free(arcs);
    free(objects);
    free(deadlocked);
}

static void work(void *context)
{
    struct rv_viewer_waits *job = context;
    const uint64_t begin_ns = rv_clock_thread_cpu_ns();
    struct rv_wait_reader *reader = rv_wait_reader_open(job->waits, is_wanted, &job->thread);
    make_rows(job, reader);
    job->made.has_missed = rv_wait_reader_has_missed(reader);
    rv_wait_reader_close(reader);
    job->cost_ns = rv_clock_thread_cpu_ns() - begin_ns;
}

/* With time alone an open wait may become part of a deadlock. */
static bool is_old(const struct rv_viewer *viewer)
{
    const struct rv_viewer_waits *job = &viewer->waits;
    const struct rv_viewer_waits_made *shown = &job->shown;
    const bool lacks_objects =
        viewer->panels.has_waits && (!shown->has_objects || (viewer->panels.has_arcs && !shown->has_arcs));
    const bool has_news = rv_waits_n_open(job->waits) || shown->n_deadlocked ||
                          (viewer->panels.has_waits && rv_waits_n(job->waits) != shown->n_waits);
    if (shown->is_final)
        return lacks_objects;
    return viewer->live_edge.is_done || lacks_objects ||
           (has_news && rv_clock_mono_ns() - job->ended_ns >= PAUSE_NS + PAUSE_COSTS * job->cost_ns);
}

static bool take(struct rv_viewer *viewer)
{
    struct rv_viewer_waits *job = &viewer->waits;
    if (job->thread.is_running || !job->made.rows)
        return false;
    const bool has_changed = viewer->panels.has_waits || job->made.n_deadlocked != job->shown.n_deadlocked;
    free(job->shown.rows);
    job->shown = job->made;
    job->made = (struct rv_viewer_waits_made){.rows = NULL};
    job->ended_ns = rv_clock_mono_ns();
    return has_changed;
}

bool rv_viewer_waits_advance(struct rv_viewer *viewer)
{
    struct rv_viewer_waits *job = &viewer->waits;
    job->waits = viewer->session ? rv_session_waits(viewer->session) : NULL;
    job->lanes = viewer->lanes;
    if (!job->waits)
        return false;
    (void)rv_job_thread_poll(&job->thread, 0);
    const bool has_changed = take(viewer);
    if (!job->thread.is_running && is_old(viewer)) {
        job->made = (struct rv_viewer_waits_made){.n_waits = rv_waits_n(job->waits),
                                                  .has_objects = viewer->panels.has_waits,
                                                  .has_arcs = viewer->panels.has_waits && viewer->panels.has_arcs,
                                                  .is_final = viewer->live_edge.is_done};
        rv_job_thread_start(&job->thread, work, job);
    }
    return has_changed;
}

void rv_viewer_waits_wait(struct rv_viewer *viewer)
{
    rv_job_thread_wait(&viewer->waits.thread); /* it may be of fewer tables */
    (void)rv_viewer_waits_advance(viewer);
    rv_job_thread_wait(&viewer->waits.thread);
    (void)take(viewer);
}

static size_t add_thread(const struct rv_viewer *viewer, const struct rv_wait_side *side, const char *before, char *out,
                         size_t out_bytes)
{
    struct rv_lane *lane = rv_lanes_get(viewer->lanes, side->lane->idx);
    pthread_rwlock_wrlock(&lane->lock);
    const int n = snprintf(out, out_bytes, "%s%s (%" PRIu32 ")", before, lane->name, lane->tid);
    pthread_rwlock_unlock(&lane->lock);
    return n < (int)out_bytes ? (size_t)n : out_bytes - 1;
}

void rv_viewer_waits_describe_deadlock(const struct rv_viewer *viewer, char *out, size_t out_bytes)
{
    const struct rv_viewer_waits_made *shown = &viewer->waits.shown;
    size_t n = add_thread(viewer, &shown->rows[0].waiter, "deadlock: ", out, out_bytes);
    for (size_t i = 0; i < shown->n_deadlocked; i++) {
        n += add_thread(viewer, &shown->rows[i].holder, " -> ", out + n, out_bytes - n);
        if (shown->rows[i].holder.lane == shown->rows[0].waiter.lane)
            break;
    }
}

void rv_viewer_waits_fini(struct rv_viewer *viewer)
{
    rv_job_thread_stop(&viewer->waits.thread);
    free(viewer->waits.made.rows);
    free(viewer->waits.shown.rows);
    viewer->waits.made = viewer->waits.shown = (struct rv_viewer_waits_made){.rows = NULL};
}

/* Show the innermost call of one side of a wait, or where it is not in memory, its time. */
static void show_side(struct rv_viewer *viewer, const struct rv_wait_side *side, uint64_t from_ns, uint64_t to_ns)
{
    if (side->lane && to_ns)
        rv_viewer_show_innermost(viewer, side->lane->idx, from_ns, to_ns);
}

static struct rv_viewer_arc_chosen arc_of(const struct rv_waits_row *row)
{
    return (struct rv_viewer_arc_chosen){.is_on = row->waiter.lane && row->holder.lane,
                                         .from_lane = row->holder.lane ? row->holder.lane->idx : 0,
                                         .to_lane = row->waiter.lane ? row->waiter.lane->idx : 0,
                                         .waited_ns = row->waited_ns};
}

static void show_row(struct rv_viewer *viewer, size_t idx, bool is_holder)
{
    const struct rv_viewer_waits_made *shown = &viewer->waits.shown;
    const struct rv_waits_row *row = &shown->rows[idx];
    if (idx >= shown->n)
        viewer->waits.chosen = arc_of(row);
    if (is_holder)
        show_side(viewer, &row->holder, row->released_ns, row->released_ns);
    else
        show_side(viewer, &row->waiter, row->waited_ns - row->longest_ns, row->waited_ns);
}

bool rv_viewer_waits_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    const struct rv_viewer_waits_made *shown = &viewer->waits.shown;
    if (act->action < RV_ACTION_WAITS || act->action > RV_ACTION_SHOW_HOLDER)
        return false;
    if (act->action == RV_ACTION_WAITS)
        viewer->panels.has_waits = !viewer->panels.has_waits;
    else if (act->action == RV_ACTION_LIST_ARCS)
        viewer->panels.has_arcs = !viewer->panels.has_arcs;
    else if (act->idx < shown->n + shown->n_arcs)
        show_row(viewer, act->idx, act->action == RV_ACTION_SHOW_HOLDER);
    rv_viewer_point(viewer);
    return true;
}

bool rv_viewer_waits_is_chosen(const struct rv_viewer *viewer, size_t idx)
{
    const struct rv_viewer_waits_made *shown = &viewer->waits.shown;
    const struct rv_viewer_arc_chosen *chosen = &viewer->waits.chosen;
    if (!chosen->is_on || idx < shown->n || idx >= shown->n + shown->n_arcs)
        return false;
    const struct rv_viewer_arc_chosen arc = arc_of(&shown->rows[idx]);
    return arc.is_on && arc.from_lane == chosen->from_lane && arc.to_lane == chosen->to_lane &&
           arc.waited_ns == chosen->waited_ns;
}

/* Of arcs between the same lanes the nearest one: it stands for those around it. */
size_t rv_viewer_waits_arc(const struct rv_viewer *viewer, const struct rv_arc_list *list)
{
    const struct rv_viewer_arc_chosen *chosen = &viewer->waits.chosen;
    uint64_t least_ns = UINT64_MAX;
    size_t found = 0;
    if (!chosen->is_on || !viewer->panels.has_waits || !viewer->panels.has_arcs)
        return 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct rv_arc *arc = &list->items[i].arc;
        const uint64_t away_ns =
            arc->to_ns > chosen->waited_ns ? arc->to_ns - chosen->waited_ns : chosen->waited_ns - arc->to_ns;
        if (arc->from_lane != chosen->from_lane || arc->to_lane != chosen->to_lane || away_ns >= least_ns)
            continue;
        least_ns = away_ns;
        found = i + 1;
    }
    return found;
}
