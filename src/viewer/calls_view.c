#include "viewer/calls_view.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "model/regex.h"
#include "viewer/lane_actions.h"
#include "viewer/navigation.h"
#include "viewer/show_call.h"
#include "viewer/viewer.h"

#define SEEK_NS 300000000u
#define ROOM_SHARE 0.02      /* of the window, behind the longest call */
#define RENEW_NS 2000000000u /* live, its calls are listed again after this, and not more than a tenth of the time */

void rv_viewer_calls_view_fini(struct rv_viewer_calls_view *calls_view)
{
    rv_call_rows_job_stop(&calls_view->making);
    rv_range_renewal_stop(&calls_view->listed);
    rv_call_rows_release(calls_view->rows);
    calls_view->rows = NULL;
    calls_view->is_on = false;
}

bool rv_viewer_calls_view_is_shown(const struct rv_viewer *viewer)
{
    return viewer->look.shown == RV_VIEW_MODE_CALLS;
}

/* ---- the subroutine ---- */

static bool is_meant(const struct rv_viewer *viewer, const struct rv_stats_row *row, const struct rv_regex *pattern)
{
    char name[512];
    if (!viewer->calls_view.pattern)
        return row->n_calls > 1;
    return rv_regex_has(pattern, rv_subroutines_name_of(viewer->subroutines, row->id, name, sizeof name));
}

static uint32_t with_most_of(const struct rv_viewer *viewer, const struct rv_stats *stats,
                             const struct rv_regex *pattern)
{
    uint64_t most_ns = 0;
    uint32_t id = 0;
    size_t n;
    struct rv_stats_row *rows = rv_stats_take_rows(stats, &n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t ns = (viewer->calls_view.pattern ? rows[i].total_ns : rows[i].self_ns) + 1;
        if (ns <= most_ns || !is_meant(viewer, &rows[i], pattern))
            continue;
        most_ns = ns;
        id = rows[i].id;
    }
    free(rows);
    return id;
}

static uint32_t with_most(const struct rv_viewer *viewer)
{
    struct rv_stats *stats = viewer->session ? rv_session_stats(viewer->session) : NULL;
    struct rv_regex pattern = {0};
    char why[160];
    uint32_t id = 0;
    const char *text = viewer->calls_view.pattern;
    if (stats && (!text || rv_regex_init(&pattern, text, why, sizeof why) == 0))
        id = with_most_of(viewer, stats, &pattern);
    rv_regex_fini(&pattern);
    if (stats)
        rv_stats_destroy(stats);
    return id;
}

uint32_t rv_viewer_calls_view_subject(const struct rv_viewer *viewer)
{
    const struct rv_hover *hover = &viewer->pointer.hover;
    if (hover->is_on && hover->is_pinned)
        return hover->box.id;
    if (viewer->statistics.calls.is_on)
        return viewer->statistics.calls.id;
    if (viewer->calls_view.is_on)
        return viewer->calls_view.id;
    return with_most(viewer);
}

/* ---- its calls ---- */

/* In the selected range, else in all. */
static void list(struct rv_viewer *viewer)
{
    struct rv_viewer_calls_view *calls_view = &viewer->calls_view;
    const struct rv_range_ns *selected = &viewer->selected;
    const bool has_range = selected->to_ns > selected->from_ns;
    struct rv_range_statistics_params params = {.from_ns = has_range ? selected->from_ns : viewer->live_edge.first_ns,
                                                .to_ns = has_range ? selected->to_ns : viewer->live_edge.last_ns + 1,
                                                .lanes = viewer->lanes,
                                                .subroutines = viewer->subroutines,
                                                .filter = viewer->search.filter,
                                                .lists_calls = true,
                                                .calls_of = calls_view->id};
    calls_view->listed_until_ns = viewer->live_edge.last_ns;
    rv_range_renewal_start(&calls_view->listed, &params, viewer->session);
}

static void make_rows(struct rv_viewer *viewer)
{
    struct rv_viewer_calls_view *calls_view = &viewer->calls_view;
    const struct rv_range_job *job = rv_range_renewal_shown(&calls_view->listed);
    if (job)
        rv_call_rows_job_start(&calls_view->making,
                               &(struct rv_call_rows_job_params){.list = rv_range_statistics_calls(job->range),
                                                                 .id = calls_view->id,
                                                                 .is_by_time = calls_view->is_by_time,
                                                                 .lanes = viewer->lanes,
                                                                 .session = viewer->session});
}

void rv_viewer_calls_view_choose(struct rv_viewer *viewer, uint32_t id)
{
    struct rv_viewer_calls_view *calls_view = &viewer->calls_view;
    if (!viewer->lanes || !id)
        return;
    rv_viewer_calls_view_fini(calls_view);
    calls_view->is_on = calls_view->is_whole = true;
    calls_view->id = id;
    list(viewer);
}

static void show_whole(struct rv_viewer_calls_view *calls_view)
{
    const uint64_t longest_ns = calls_view->rows ? calls_view->rows->longest_ns : 0;
    rv_time_window_set(&calls_view->time_window, 0, longest_ns + (uint64_t)(ROOM_SHARE * (double)longest_ns) + 1);
    calls_view->is_whole = true;
}

static bool take_rows(struct rv_viewer_calls_view *calls_view)
{
    struct rv_call_rows *rows = rv_call_rows_job_take(&calls_view->making);
    if (!rows)
        return false;
    rv_call_rows_release(calls_view->rows);
    calls_view->rows = rows;
    if (calls_view->is_whole)
        show_whole(calls_view);
    return true;
}

/* Has the program gone on for long enough? */
static bool is_old(const struct rv_viewer *viewer)
{
    const struct rv_range_renewal *listed = &viewer->calls_view.listed;
    return viewer->live_edge.last_ns > viewer->calls_view.listed_until_ns && !rv_range_renewal_is_on(listed) &&
           !viewer->calls_view.making.rows && rv_clock_mono_ns() - listed->begun_ns > RENEW_NS + 10 * listed->took_ns;
}

/* When nothing was chosen, and nothing seen before. */
static void seek(struct rv_viewer *viewer)
{
    const uint64_t clock_ns = rv_clock_mono_ns();
    if (clock_ns - viewer->calls_view.sought_ns < SEEK_NS)
        return;
    viewer->calls_view.sought_ns = clock_ns;
    rv_viewer_calls_view_choose(viewer, rv_viewer_calls_view_subject(viewer));
}

bool rv_viewer_calls_view_advance(struct rv_viewer *viewer)
{
    struct rv_viewer_calls_view *calls_view = &viewer->calls_view;
    if (!rv_viewer_calls_view_is_shown(viewer))
        return false;
    if (!calls_view->is_on)
        seek(viewer);
    if (!calls_view->is_on)
        return false;
    bool has_changed = rv_range_renewal_poll(&calls_view->listed);
    if (rv_range_renewal_is_ready(&calls_view->listed)) {
        rv_range_renewal_turn(&calls_view->listed);
        make_rows(viewer);
        has_changed = true;
    }
    has_changed |= rv_call_rows_job_poll(&calls_view->making);
    has_changed |= take_rows(calls_view);
    if (is_old(viewer))
        list(viewer);
    return has_changed;
}

void rv_viewer_calls_view_wait(struct rv_viewer *viewer)
{
    struct rv_viewer_calls_view *calls_view = &viewer->calls_view;
    (void)rv_viewer_calls_view_advance(viewer);
    rv_range_renewal_wait(&calls_view->listed);
    (void)rv_viewer_calls_view_advance(viewer);
    rv_call_rows_job_wait(&calls_view->making);
    (void)rv_viewer_calls_view_advance(viewer);
}

const char *rv_viewer_calls_view_caption(struct rv_viewer *viewer)
{
    struct rv_viewer_calls_view *calls_view = &viewer->calls_view;
    char name[200];
    rv_subroutines_name_of(viewer->subroutines, calls_view->id, name, sizeof name);
    if (!calls_view->is_on)
        (void)snprintf(
            calls_view->caption, sizeof calls_view->caption,
            "pin a call, or choose a subroutine in the statistics, and press 5: all its calls are shown here");
    else if (calls_view->rows)
        rv_call_rows_text(calls_view->rows, name, calls_view->caption, sizeof calls_view->caption);
    else
        (void)snprintf(calls_view->caption, sizeof calls_view->caption, "%s the calls of %s: %.0f %%",
                       calls_view->making.rows ? "reading" : "finding", name,
                       100.0 * (calls_view->making.rows ? rv_call_rows_job_progress(&calls_view->making)
                                                        : rv_range_renewal_progress(&calls_view->listed)));
    return calls_view->caption;
}

/* ---- actions ---- */

void rv_viewer_calls_view_leave(struct rv_viewer *viewer)
{
    rv_viewer_act(viewer, &(struct rv_act){.action = (enum rv_action)(RV_ACTION_LOOK_3D + viewer->calls_view.before)});
}

/* Go to the call under the cursor, in the view before; of a fold, to the call of its row. */
static void go_there(struct rv_viewer *viewer)
{
    struct rv_pick_hit hit;
    const float *at_px = viewer->pointer.at_px;
    const struct rv_view *view = viewer->view;
    if (!viewer->scene || !view ||
        !rv_scene_pick(viewer->scene, (double)at_px[0] + 0.5, (double)at_px[1] + 0.5, &hit) ||
        hit.lane >= view->n_lanes || !viewer->calls_view.rows || hit.lane >= viewer->calls_view.rows->n)
        return;
    const struct rv_view_lane *lane = &view->lanes[hit.lane];
    struct rv_box box = view->boxes[hit.box];
    for (size_t i = lane->first_box; box.coverage != RV_BOX_EXACT && i < (size_t)lane->first_box + lane->n_boxes; i++)
        if (view->boxes[i].depth == 0)
            box = view->boxes[i];
    struct rv_view_part part;
    (void)rv_view_part_of(view, lane, &box, &part);
    box = rv_view_part_place(&part, &box);
    box.flags &= (uint16_t) ~(RV_BOX_CLIPPED | RV_BOX_DIMMED | RV_BOX_HIT);
    rv_navigation_note(viewer, &(struct rv_act){.action = RV_ACTION_SHOW_CALL});
    rv_viewer_calls_view_leave(viewer);
    rv_viewer_show_call(viewer, &box, part.lane_idx);
}

static void sort(struct rv_viewer *viewer)
{
    viewer->calls_view.is_by_time = !viewer->calls_view.is_by_time;
    make_rows(viewer);
}

bool rv_viewer_calls_view_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    if (!rv_viewer_calls_view_is_shown(viewer))
        return false;
    switch ((int)act->action) {
    case RV_ACTION_FOCUS_OR_FIT:
    case RV_ACTION_FOCUS:
        show_whole(&viewer->calls_view);
        break;
    case RV_ACTION_PIN:
        go_there(viewer);
        break;
    case RV_ACTION_ORDER_CALLS:
        sort(viewer);
        break;
    case RV_ACTION_GLIDE: /* these are about times of the capture */
    case RV_ACTION_SELECT:
    case RV_ACTION_SELECT_BETWEEN:
    case RV_ACTION_MARK:
    case RV_ACTION_NOTE:
        break;
    default:
        if (rv_viewer_lanes_are_meant(act->action))
            break;
        if (!rv_navigation_move_from_start(viewer, &viewer->calls_view.time_window, act))
            return false;
        viewer->calls_view.is_whole = false;
    }
    rv_viewer_touch(viewer);
    return true;
}
