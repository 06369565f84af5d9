#include "viewer/arcs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "viewer/show_call.h"

#define PAUSE_NS 250000000u /* between two, at least */
#define PAUSE_COSTS 10u     /* and this often what the last one took */

static void work(void *context)
{
    struct rv_viewer_arc_job *job = context;
    const uint64_t begin_ns = rv_clock_thread_cpu_ns();
    size_t n;
    struct rv_wait_edge *edges = rv_waits_take_edges(job->waits, job->lanes, &n, &job->n_more);
    job->made = rv_arc_index_create(edges, n);
    free(edges);
    job->cost_ns = rv_clock_thread_cpu_ns() - begin_ns;
}

static struct rv_waits *waits_of(const struct rv_viewer *viewer)
{
    return viewer->analysis.session ? rv_session_waits(viewer->analysis.session) : NULL;
}

/* Releases may come after the waits that they ended: what is made after the end has all. */
static bool is_time(const struct rv_viewer *viewer, size_t n_waits)
{
    const struct rv_viewer_arc_job *job = &viewer->arcs;
    if (job->thread.is_running || n_waits == 0 || job->is_final)
        return false;
    if (viewer->live_edge.is_done)
        return true;
    return n_waits != job->n_waits && rv_clock_mono_ns() - job->ended_ns >= PAUSE_NS + PAUSE_COSTS * job->cost_ns;
}

static void start(struct rv_viewer *viewer, size_t n_waits)
{
    struct rv_viewer_arc_job *job = &viewer->arcs;
    job->lanes = viewer->lanes;
    job->waits = waits_of(viewer);
    job->n_waits = n_waits;
    job->is_final = viewer->live_edge.is_done;
    rv_job_thread_start(&job->thread, work, job);
}

static bool take(struct rv_viewer_arc_job *job)
{
    if (job->thread.is_running || !job->made)
        return false;
    rv_arc_index_release(job->shown);
    job->shown = job->made;
    job->n_lacking = job->n_more;
    job->made = NULL;
    job->ended_ns = rv_clock_mono_ns();
    return true;
}

bool rv_viewer_arcs_advance(struct rv_viewer *viewer)
{
    struct rv_waits *waits = waits_of(viewer);
    if (!waits || !viewer->settings.has_arcs)
        return false;
    const size_t n_waits = rv_waits_n(waits);
    if (is_time(viewer, n_waits))
        start(viewer, n_waits);
    (void)rv_job_thread_poll(&viewer->arcs.thread, 0);
    return take(&viewer->arcs);
}

void rv_viewer_arcs_wait(struct rv_viewer *viewer)
{
    struct rv_waits *waits = waits_of(viewer);
    if (!waits)
        return;
    rv_job_thread_wait(&viewer->arcs.thread);
    start(viewer, rv_waits_n(waits));
    rv_job_thread_wait(&viewer->arcs.thread);
    (void)take(&viewer->arcs);
}

const struct rv_arc_index *rv_viewer_arcs(const struct rv_viewer *viewer)
{
    return viewer->settings.has_arcs && !rv_viewer_calls_view_is_shown(viewer) ? viewer->arcs.shown : NULL;
}

void rv_viewer_arcs_fini(struct rv_viewer *viewer)
{
    rv_job_thread_wait(&viewer->arcs.thread);
    rv_arc_index_release(viewer->arcs.made);
    rv_arc_index_release(viewer->arcs.shown);
}

void rv_viewer_show_arc(struct rv_viewer *viewer, const struct rv_arc *arc)
{
    struct rv_lane *lane = rv_lanes_get(viewer->lanes, arc->to_lane);
    const uint64_t begin_ns = arc->to_ns > arc->longest_ns ? arc->to_ns - arc->longest_ns : 0;
    struct rv_box box;
    if (rv_viewer_innermost_around(lane, begin_ns, arc->to_ns, &box) ||
        rv_viewer_innermost_around(lane, arc->to_ns, arc->to_ns, &box))
        rv_viewer_show_call(viewer, &box, arc->to_lane);
    else
        rv_viewer_show_time(viewer, begin_ns, arc->to_ns);
}

/* ---- the tooltip ---- */

static struct rv_tooltip_line *add_line(struct rv_tooltip *tooltip, const char *label)
{
    struct rv_tooltip_line *line = &tooltip->lines[tooltip->n_lines++];
    line->label = label;
    line->text[0] = '\0';
    return line;
}

static void add_side(struct rv_tooltip *tooltip, const char *label, struct rv_session *session, uint32_t lane_idx,
                     uint32_t call)
{
    struct rv_tooltip_line *line = add_line(tooltip, label);
    struct rv_lane *lane = rv_lanes_get(rv_session_lanes(session), lane_idx);
    char name[RV_LANE_NAME_BYTES], subroutine[60] = "";
    pthread_mutex_lock(&lane->lock);
    memcpy(name, lane->name, sizeof name);
    pthread_mutex_unlock(&lane->lock);
    if (call)
        (void)rv_subroutines_name_of(rv_session_subroutines(session), call, subroutine, sizeof subroutine);
    (void)snprintf(line->text, sizeof line->text, "%s%s%s", name, *subroutine ? " in " : "", subroutine);
}

static void add_times(struct rv_tooltip *tooltip, const struct rv_arc *arc)
{
    char total[32], longest[32];
    rv_units_format_ns(total, sizeof total, arc->total_ns);
    rv_units_format_ns(longest, sizeof longest, arc->longest_ns);
    struct rv_tooltip_line *line = add_line(tooltip, "waited");
    if (arc->n == 1)
        (void)snprintf(line->text, sizeof line->text, "%s", total);
    else
        (void)snprintf(line->text, sizeof line->text, "%s in %" PRIu32 " waits, the longest %s", total, arc->n,
                       longest);
}

void rv_arc_tooltip_fill(struct rv_tooltip *tooltip, const struct rv_arc_hover *hover, struct rv_session *session,
                         double scale)
{
    struct rv_subroutines *subroutines = rv_session_subroutines(session);
    struct rv_wait_edge edge = {.waker_call = 0};
    char object[160] = "";
    *tooltip = (struct rv_tooltip){.at = {hover->at_px[0] / (float)scale, hover->at_px[1] / (float)scale},
                                   .foot = "click: go to who waited"};
    (void)rv_wait_index_get(rv_session_wait_index(session), hover->arc.longest, &edge);
    if (edge.wait.object)
        (void)rv_subroutines_name_of(subroutines, edge.wait.object, object, sizeof object);
    (void)snprintf(tooltip->title, sizeof tooltip->title, "%s%s%s", rv_wait_kind_name(edge.wait.kind),
                   *object ? " " : "", object);
    add_times(tooltip, &hover->arc);
    add_side(tooltip, "waiter", session, hover->arc.to_lane, edge.wait.call);
    add_side(tooltip, "ended by", session, hover->arc.from_lane, edge.waker_call);
}
