#include "viewer/self_times.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "model/color.h"
#include "viewer/viewer.h"

/* What moves is measured again after a while: at most a tenth of one CPU's time goes there. */
#define PAUSE_NS 500000000u
#define PAUSE_TIMES 9u
#define OLD_NS 3000000000u               /* then times of what moves are not taken for the present ones */
#define LATE_NS 1000000000u              /* after so much time no more calls of a moment come */
#define MOST_AWAITED (UINT64_C(1) << 26) /* calls: about 3 s of one CPU */

static struct rv_shown_calls hold(struct rv_shown_calls calls)
{
    calls.filter = rv_filter_hold(calls.filter);
    return calls;
}

void rv_viewer_self_times_fini(struct rv_viewer_self_times *times)
{
    rv_range_renewal_stop(&times->measured);
    rv_range_result_fini(&times->sample);
    rv_filter_release(times->asked.filter);
    rv_filter_release(times->shown.filter);
}

/* ---- what is to be measured ---- */

static bool are_wanted(const struct rv_viewer *viewer)
{
    return viewer->lanes && viewer->subroutines && viewer->settings.has_legend && !rv_viewer_shows_rows(viewer) &&
           rv_color_is_by_package(viewer->look.scheme);
}

static uint64_t hash_hidden(const struct rv_lane_choices *choices)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < choices->n_lanes; i++)
        if (choices->lanes[i].is_hidden)
            hash = rv_hash_combine(hash, i + 1);
    return hash;
}

static struct rv_shown_calls shown_calls(const struct rv_viewer *viewer)
{
    const struct rv_live_edge *edge = &viewer->live_edge;
    struct rv_shown_calls calls = {.filter = viewer->search.filter,
                                   .hidden = hash_hidden(&viewer->lane_order),
                                   .at_ns = rv_clock_mono_ns(),
                                   .is_following = viewer->time_window.is_following};
    rv_time_window_get(&viewer->time_window, &calls.range.from_ns, &calls.range.to_ns);
    calls.range.to_ns = rv_clock_earlier_ns(calls.range.to_ns, rv_clock_after_ns(edge->last_ns, 1));
    if (viewer->playhead.is_on)
        calls.range.to_ns = rv_clock_earlier_ns(calls.range.to_ns, rv_clock_after_ns(viewer->playhead.at_ns, 1));
    if (!edge->is_done && edge->last_ns < rv_clock_after_ns(calls.range.to_ns, LATE_NS))
        calls.last_ns = edge->last_ns;
    return calls;
}

static bool is_of(const struct rv_shown_calls *a, const struct rv_shown_calls *b)
{
    return a->filter == b->filter && a->hidden == b->hidden;
}

static bool is_same(const struct rv_shown_calls *a, const struct rv_shown_calls *b)
{
    return is_of(a, b) && a->range.from_ns == b->range.from_ns && a->range.to_ns == b->range.to_ns;
}

static uint64_t length_of(const struct rv_range_ns *range)
{
    return range->to_ns > range->from_ns ? range->to_ns - range->from_ns : 0;
}

/* Does each have half of the other, or more? */
static bool are_near(const struct rv_range_ns *a, const struct rv_range_ns *b)
{
    const struct rv_range_ns both = {rv_clock_later_ns(a->from_ns, b->from_ns),
                                     rv_clock_earlier_ns(a->to_ns, b->to_ns)};
    return length_of(&both) > 0 && length_of(&both) >= rv_clock_later_ns(length_of(a), length_of(b)) / 2;
}

/* Is one what the other was before it moved by itself? */
static bool has_followed(const struct rv_shown_calls *before, const struct rv_shown_calls *calls)
{
    const uint64_t length_ns = length_of(&calls->range), before_ns = length_of(&before->range);
    return before->is_following && calls->is_following && length_ns / 2 <= before_ns && before_ns / 2 <= length_ns;
}

/* Then the session keeps the times, once the capture has ended. */
static bool are_all(const struct rv_viewer *viewer, const struct rv_shown_calls *calls)
{
    const struct rv_live_edge *edge = &viewer->live_edge;
    return viewer->session && edge->is_done && calls->range.from_ns <= edge->first_ns &&
           calls->range.to_ns > edge->last_ns && !calls->hidden && rv_filter_n_rules(calls->filter) == 0;
}

/* ---- measuring ---- */

/* Those that are not hidden, for free(). */
static uint32_t *list_lanes(const struct rv_viewer *viewer, size_t *n)
{
    const struct rv_lane_choices *choices = &viewer->lane_order;
    const size_t n_lanes = rv_lanes_n(viewer->lanes);
    uint32_t *lane_idxs = rv_alloc_scratch(n_lanes, sizeof *lane_idxs);
    *n = 0;
    for (uint32_t i = 0; i < n_lanes; i++)
        if (i >= choices->n_lanes || !choices->lanes[i].is_hidden)
            lane_idxs[(*n)++] = i;
    return lane_idxs;
}

/* most: so many of the calls; 0: all. */
static void measure(struct rv_viewer *viewer, const struct rv_shown_calls *calls, uint64_t most)
{
    struct rv_viewer_self_times *times = &viewer->self_times;
    struct rv_range_statistics_params params = {.from_ns = calls->range.from_ns,
                                                .to_ns = calls->range.to_ns,
                                                .lanes = viewer->lanes,
                                                .subroutines = viewer->subroutines,
                                                .filter = calls->filter,
                                                .memory = viewer->statistics.memory,
                                                .n_calls_sampled = most};
    uint32_t *lane_idxs = calls->hidden ? list_lanes(viewer, &params.n_lane_idxs) : NULL;
    params.lane_idxs = lane_idxs;
    rv_filter_release(times->asked.filter);
    times->asked = hold(*calls);
    rv_range_renewal_start(&times->measured, &params, viewer->session);
    free(lane_idxs);
}

/* What moves is measured beside the picture, and where it stops at once. */
static void measure_wanted(struct rv_viewer *viewer, const struct rv_shown_calls *calls)
{
    struct rv_viewer_self_times *times = &viewer->self_times;
    const bool is_moving = rv_viewer_is_moving(viewer), is_asked = is_same(&times->asked, calls);
    const bool at_once = !is_moving && !is_asked;
    if (calls->range.to_ns <= calls->range.from_ns || are_all(viewer, calls) ||
        (is_asked && times->asked.last_ns == calls->last_ns) ||
        (!at_once && !rv_range_renewal_has_paused(&times->measured, PAUSE_TIMES, PAUSE_NS)))
        return;
    times->wants_sample = at_once;
    times->measured.n_calls_sampled = at_once ? RV_SAMPLED_CALLS : 0;
    times->measured.is_one_thread = is_moving;
    if (at_once)
        rv_range_ahead_stop(&viewer->statistics.ahead);
    measure(viewer, calls, 0);
}

static void show(struct rv_viewer_self_times *times, const struct rv_stats_row *rows, size_t n_rows)
{
    rv_filter_release(times->shown.filter);
    times->shown = hold(times->asked);
    times->rows = rows;
    times->n_rows = n_rows;
    times->version++;
}

static bool show_measured(struct rv_viewer_self_times *times)
{
    if (!rv_range_renewal_is_ready(&times->measured))
        return false;
    rv_range_renewal_turn(&times->measured);
    rv_range_result_fini(&times->sample);
    const struct rv_range_job *job = rv_range_renewal_shown(&times->measured);
    times->wants_sample = false;
    times->is_sample = rv_range_statistics_sampled(job->range) < 1.0;
    show(times, job->rows, job->n_rows);
    return true;
}

static bool show_sample(struct rv_viewer_self_times *times)
{
    struct rv_range_result sample = {0};
    if (times->wants_sample)
        sample = rv_range_renewal_take_sample(&times->measured);
    if (!sample.range)
        return false;
    rv_range_result_fini(&times->sample);
    times->sample = sample;
    times->wants_sample = false;
    times->is_sample = true;
    show(times, sample.rows, sample.n_rows);
    return true;
}

static bool show_totals(struct rv_viewer *viewer, const struct rv_shown_calls *calls)
{
    struct rv_viewer_self_times *times = &viewer->self_times;
    const bool had_totals = times->has_totals;
    times->has_totals = are_all(viewer, calls) && rv_totals_job_is_done(rv_viewer_statistics_totals(viewer));
    times->version += times->has_totals != had_totals;
    return times->has_totals != had_totals;
}

bool rv_viewer_self_times_advance(struct rv_viewer *viewer)
{
    struct rv_viewer_self_times *times = &viewer->self_times;
    if (!are_wanted(viewer))
        return false;
    const struct rv_shown_calls calls = shown_calls(viewer);
    measure_wanted(viewer, &calls);
    (void)rv_range_renewal_poll(&times->measured);
    bool has_changed = show_totals(viewer, &calls);
    has_changed |= show_measured(times);
    has_changed |= show_sample(times);
    return has_changed;
}

void rv_viewer_self_times_wait(struct rv_viewer *viewer)
{
    struct rv_viewer_self_times *times = &viewer->self_times;
    const struct rv_shown_calls calls = shown_calls(viewer);
    if (!are_wanted(viewer) || calls.range.to_ns <= calls.range.from_ns)
        return;
    if (are_all(viewer, &calls)) {
        (void)rv_viewer_statistics_totals(viewer);
        rv_totals_job_wait(&viewer->statistics.totals);
    } else if (!is_same(&times->asked, &calls)) {
        measure(viewer, &calls, MOST_AWAITED);
    }
    rv_range_renewal_wait(&times->measured);
    (void)rv_viewer_self_times_advance(viewer);
}

bool rv_viewer_self_times_are_coming(const struct rv_viewer *viewer)
{
    const struct rv_viewer_self_times *times = &viewer->self_times;
    const struct rv_shown_calls calls = shown_calls(viewer);
    return are_wanted(viewer) &&
           (rv_range_renewal_is_on(&times->measured) || (are_all(viewer, &calls) && !times->has_totals));
}

struct rv_self_times rv_viewer_self_times_get(const struct rv_viewer *viewer)
{
    const struct rv_viewer_self_times *times = &viewer->self_times;
    const struct rv_totals_job *totals = &viewer->statistics.totals;
    const struct rv_shown_calls calls = shown_calls(viewer);
    if (!are_wanted(viewer))
        return (struct rv_self_times){0};
    if (times->has_totals && are_all(viewer, &calls) && rv_totals_job_is_done(totals))
        return (struct rv_self_times){totals->rows, totals->n_rows, times->version, true};
    const bool is_before = has_followed(&times->shown, &calls);
    if (!times->rows || !is_of(&times->shown, &calls) || !(is_before || are_near(&times->shown.range, &calls.range)))
        return (struct rv_self_times){0};
    const bool is_exact = is_same(&times->shown, &calls) || (is_before && calls.at_ns - times->shown.at_ns < OLD_NS);
    return (struct rv_self_times){times->rows, times->n_rows, times->version, is_exact && !times->is_sample};
}
