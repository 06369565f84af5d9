#include "viewer/arcs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "viewer/show_call.h"

#define MOST_ARCS ((size_t)1 << 20) /* single ones */
#define MOST_COUNTED 4096u          /* folded ones */
#define PAUSE_NS 250000000u         /* least time between two of all time, */
#define PAUSE_COSTS 10u             /* and least multiple of what the last one took, also of a part */
#define SHORT_COST_NS 1000000u      /* a part that takes no longer is waited for, so that the next picture has it */

struct making {
    struct rv_viewer_arc_job *job;
    struct rv_wait_reader *reader;
    struct rv_arc_collector collector;
    struct rv_holder_collector holders; /* of the same waits */
};

static bool is_wanted(void *context)
{
    return rv_job_thread_is_wanted(context);
}

static bool add(void *context, const struct rv_wait *wait, rv_wait_place place)
{
    struct making *making = context;
    (void)place;
    if (wait->waker || making->job->made.has_holders) {
        const struct rv_wait_edge edge = rv_wait_reader_edge(making->reader, wait);
        rv_arc_collector_add(&making->collector, &edge);
        if (making->job->made.has_holders)
            rv_holder_collector_add(&making->holders, &edge);
    }
    return rv_job_thread_is_wanted(&making->job->thread);
}

static bool add_release(void *context, const struct rv_release *release)
{
    struct making *making = context;
    rv_holder_collector_add_release(&making->holders, release);
    return rv_job_thread_is_wanted(&making->job->thread);
}

static void add_waits(struct making *making)
{
    struct rv_viewer_arc_job *job = making->job;
    making->reader = rv_wait_reader_open(job->waits, is_wanted, &job->thread);
    rv_wait_reader_each(making->reader, job->made.from_ns, job->made.to_ns, add, making);
    if (job->made.has_holders) {
        rv_wait_reader_each_release(making->reader, job->made.from_ns, job->made.to_ns, add_release, making);
        job->made.holders = rv_holders_create(&making->holders);
    }
    rv_wait_reader_close(making->reader);
}

static void add_flows(struct making *making)
{
    struct rv_viewer_arc_job *job = making->job;
    job->made.flows = rv_flow_table_create(job->flows, job->lanes);
    if (RV_ARC_OF_FLOWS & ~job->made.left_out)
        rv_arc_collector_add_flows(&making->collector, job->made.flows, job->made.from_ns, job->made.to_ns);
}

static void work(void *context)
{
    struct rv_viewer_arc_job *job = context;
    const uint64_t begin_ns = rv_clock_thread_cpu_ns();
    struct making making = {.job = job,
                            .collector = {.most = MOST_ARCS, .left_out = job->made.left_out},
                            .holders = {.most = MOST_ARCS, .like = job->is_of_part ? job->all.holders : NULL}};
    if (job->made.has_holders || RV_ARC_OF_WAITS & ~job->made.left_out)
        add_waits(&making);
    if (job->flows)
        add_flows(&making);
    job->made.index = rv_arc_levels_create(&making.collector);
    job->made.cost_ns = rv_clock_thread_cpu_ns() - begin_ns;
}

static struct rv_waits *waits_of(const struct rv_viewer *viewer)
{
    return viewer->session ? rv_session_waits(viewer->session) : NULL;
}

static struct rv_flows *flows_of(const struct rv_viewer *viewer)
{
    return viewer->session ? rv_session_flows(viewer->session) : NULL;
}

static size_t n_steps_of(const struct rv_viewer *viewer)
{
    struct rv_flows *flows = flows_of(viewer);
    return flows ? rv_flows_n(flows) : 0;
}

static void start(struct rv_viewer *viewer, bool is_of_part, uint64_t from_ns, uint64_t to_ns)
{
    struct rv_viewer_arc_job *job = &viewer->arcs;
    job->waits = waits_of(viewer);
    job->flows = flows_of(viewer);
    job->lanes = viewer->lanes;
    job->is_of_part = is_of_part;
    job->made = (struct rv_viewer_arc_made){.from_ns = from_ns,
                                            .to_ns = to_ns,
                                            .seen_ns = viewer->live_edge.live_ns,
                                            .n_waits = rv_waits_n(job->waits),
                                            .is_final = viewer->live_edge.is_done,
                                            .n_steps = n_steps_of(viewer),
                                            .left_out = viewer->settings.arcs_left_out,
                                            .has_holders = viewer->settings.has_lock_lanes};
    rv_job_thread_start(&job->thread, work, job);
}

/* Releases may come after the waits that they ended: only what is made after the end has all. */
static bool is_old(const struct rv_viewer *viewer, const struct rv_viewer_arc_made *made)
{
    const uint64_t pause_ns = made == &viewer->arcs.part ? 0 : PAUSE_NS;
    const size_t n_waits = rv_waits_n(waits_of(viewer)), n_steps = n_steps_of(viewer);
    const bool is_other =
        made->left_out != viewer->settings.arcs_left_out || (viewer->settings.has_lock_lanes && !made->has_holders);
    if ((n_waits == 0 && n_steps == 0) || (made->is_final && !is_other))
        return false;
    if (viewer->live_edge.is_done || is_other)
        return true;
    return (n_waits != made->n_waits || n_steps != made->n_steps) &&
           rv_clock_mono_ns() - made->ended_ns >= pause_ns + PAUSE_COSTS * made->cost_ns;
}

static bool has_window(const struct rv_viewer_arc_made *made, uint64_t from_ns, uint64_t to_ns)
{
    return made->index && made->from_ns <= from_ns && made->to_ns >= to_ns;
}

/* While live, what is in view is newer than the arcs made. */
static bool is_behind(const struct rv_viewer *viewer, const struct rv_viewer_arc_made *made, uint64_t to_ns)
{
    return !viewer->live_edge.is_done && made->seen_ns < to_ns;
}

/*
 * Single arcs of what is in view: worth it where those of all time are folded or behind, and so many are not in view.
 * Asked in every pass, so they are counted where they are few enough.
 */
static bool wants_part(const struct rv_viewer *viewer, uint64_t from_ns, uint64_t to_ns)
{
    const struct rv_viewer_arc_job *job = &viewer->arcs;
    const struct rv_arc_levels *levels = job->all.index;
    uint64_t n_waits = 0;
    size_t n;
    if (!levels || (rv_arc_levels_is_exact(levels) && !is_behind(viewer, &job->all, to_ns)) ||
        (has_window(&job->part, from_ns, to_ns) && !is_old(viewer, &job->part)))
        return false;
    const size_t level = rv_arc_levels_choose(levels, from_ns, to_ns, MOST_COUNTED);
    const struct rv_arc *arcs = rv_arc_levels_window(levels, level, from_ns, to_ns, &n);
    for (size_t i = 0; i < n && n_waits <= MOST_ARCS; i++)
        n_waits += arcs[i].n;
    return n_waits <= MOST_ARCS;
}

/* As far to both sides as is in view. */
static void begin_next(struct rv_viewer *viewer)
{
    uint64_t from_ns, to_ns;
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    const uint64_t width_ns = to_ns - from_ns;
    if (viewer->arcs.thread.is_running)
        return;
    if (is_old(viewer, &viewer->arcs.all))
        start(viewer, false, 0, UINT64_MAX);
    else if (wants_part(viewer, from_ns, to_ns))
        start(viewer, true, from_ns > width_ns ? from_ns - width_ns : 0, rv_clock_after_ns(to_ns, width_ns));
}

static void release(struct rv_viewer_arc_made *made)
{
    rv_arc_levels_release(made->index);
    rv_holders_release(made->holders);
    rv_flow_table_release(made->flows);
}

static bool take(struct rv_viewer *viewer)
{
    struct rv_viewer_arc_job *job = &viewer->arcs;
    if (job->thread.is_running || !job->made.index)
        return false;
    struct rv_viewer_arc_made *into = job->is_of_part ? &job->part : &job->all;
    release(into);
    *into = job->made;
    into->ended_ns = rv_clock_mono_ns();
    job->made = (struct rv_viewer_arc_made){.index = NULL};
    viewer->pointer.flows = job->all.flows;
    job->n_lacking = rv_waits_state(job->waits).n_gone;
    return true;
}

static bool is_short(const struct rv_viewer_arc_job *job)
{
    return job->is_of_part && job->part.index && job->part.cost_ns <= SHORT_COST_NS;
}

bool rv_viewer_arcs_advance(struct rv_viewer *viewer)
{
    if (!waits_of(viewer))
        return false;
    begin_next(viewer);
    if (is_short(&viewer->arcs))
        rv_job_thread_wait(&viewer->arcs.thread);
    (void)rv_job_thread_poll(&viewer->arcs.thread, 0);
    const bool has_changed = take(viewer);
    viewer->pointer.holders = rv_viewer_holders(viewer);
    return has_changed;
}

void rv_viewer_arcs_wait(struct rv_viewer *viewer)
{
    if (!waits_of(viewer))
        return;
    rv_job_thread_wait(&viewer->arcs.thread);
    (void)take(viewer);
    start(viewer, false, 0, UINT64_MAX);
    do {
        rv_job_thread_wait(&viewer->arcs.thread);
        (void)take(viewer);
        begin_next(viewer);
    } while (viewer->arcs.thread.is_running);
}

/* That of what is in view, where there is one. */
static const struct rv_viewer_arc_made *shown_of(const struct rv_viewer *viewer)
{
    const struct rv_viewer_arc_job *job = &viewer->arcs;
    uint64_t from_ns, to_ns;
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    const bool is_part = job->all.index && has_window(&job->part, from_ns, to_ns) &&
                         (!rv_arc_levels_is_exact(job->all.index) ||
                          (is_behind(viewer, &job->all, to_ns) && job->part.seen_ns > job->all.seen_ns));
    return is_part ? &job->part : &job->all;
}

const struct rv_arc_levels *rv_viewer_arcs(const struct rv_viewer *viewer)
{
    return rv_viewer_shows_rows(viewer) ? NULL : shown_of(viewer)->index;
}

const struct rv_holders *rv_viewer_holders(const struct rv_viewer *viewer)
{
    const struct rv_view_mode_params *look = rv_view_mode_get(viewer->look.shown);
    const bool has_lanes = viewer->settings.has_lock_lanes && !look->has_rows && !look->has_leaves;
    return has_lanes ? shown_of(viewer)->holders : NULL;
}

void rv_viewer_arcs_fini(struct rv_viewer *viewer)
{
    rv_job_thread_stop(&viewer->arcs.thread);
    viewer->pointer.flows = NULL;
    viewer->pointer.holders = NULL;
    release(&viewer->arcs.made);
    release(&viewer->arcs.all);
    release(&viewer->arcs.part);
}

void rv_viewer_show_arc(struct rv_viewer *viewer, const struct rv_arc *arc)
{
    const uint64_t begin_ns = arc->to_ns > arc->longest_ns ? arc->to_ns - arc->longest_ns : 0;
    rv_viewer_show_innermost(viewer, arc->to_lane, begin_ns, arc->to_ns);
}

/* ---- the tooltip ---- */

static bool is_of_flow(const struct rv_arc *arc)
{
    return RV_ARC_OF_FLOWS & 1u << arc->kind;
}

/* One end of the arc, which stands for n_others more. */
struct side {
    uint32_t lane_idx, call, n_others;
};

static struct side side_of(const struct rv_arc *arc, bool is_from)
{
    const uint32_t n_others = rv_arc_hub_is_from(arc) == is_from ? 0 : arc->n_others;
    return is_from ? (struct side){arc->from_lane, arc->from_call, n_others}
                   : (struct side){arc->to_lane, arc->to_call, n_others};
}

static void add_side(struct rv_tooltip *tooltip, const char *label, struct rv_session *session, struct side side)
{
    struct rv_tooltip_line *line = rv_tooltip_add_line(tooltip, label);
    char others[32] = "";
    rv_lane_copy_label(rv_lanes_get(rv_session_lanes(session), side.lane_idx), line->text);
    rv_subroutines_append_brief_name(rv_session_subroutines(session), " in ", side.call, line->text,
                                     sizeof line->text - sizeof others);
    if (side.n_others)
        (void)snprintf(others, sizeof others, ", and %" PRIu32 " other%s", side.n_others,
                       rv_units_word(side.n_others, "", "s"));
    rv_text_append(line->text, sizeof line->text, others, SIZE_MAX);
}

static void add_times(struct rv_tooltip *tooltip, const struct rv_arc *arc)
{
    char total[32], longest[32];
    rv_units_format_ns(total, sizeof total, arc->total_ns);
    rv_units_format_ns(longest, sizeof longest, arc->longest_ns);
    const bool is_flow = is_of_flow(arc);
    struct rv_tooltip_line *line = rv_tooltip_add_line(tooltip, is_flow ? "took" : "waited");
    if (arc->n == 1)
        (void)snprintf(line->text, sizeof line->text, "%s", total);
    else
        (void)snprintf(line->text, sizeof line->text, "%s in %" PRIu32 " %s, the longest %s", total, arc->n,
                       is_flow ? "steps" : "waits", longest);
}

void rv_arc_tooltip_fill(struct rv_tooltip *tooltip, const struct rv_arc_hover *hover, struct rv_session *session,
                         double scale)
{
    *tooltip = (struct rv_tooltip){.at = {hover->at_px[0] / (float)scale, hover->at_px[1] / (float)scale},
                                   .foot = is_of_flow(&hover->arc) ? "click: go to where it leads"
                                                                   : "click: go to who waited"};
    const bool is_flow = is_of_flow(&hover->arc);
    (void)snprintf(tooltip->title, sizeof tooltip->title, "%s",
                   hover->arc.kind == RV_ARC_TASK   ? "task"
                   : hover->arc.kind == RV_ARC_FLOW ? "flow"
                                                    : rv_wait_kind_name(hover->arc.wait));
    rv_subroutines_append_brief_name(rv_session_subroutines(session), " ", hover->arc.object, tooltip->title,
                                     sizeof tooltip->title);
    add_times(tooltip, &hover->arc);
    add_side(tooltip, is_flow ? "to" : "waiter", session, side_of(&hover->arc, false));
    add_side(tooltip, is_flow ? "from" : "ended by", session, side_of(&hover->arc, true));
}
