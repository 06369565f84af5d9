/*
 * Analysis in a window over a recording opened by its index: the panels' numbers are those of all calls, by the
 * recording's totals and by the same recording read in full.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "query/step.h"
#include "source/recording_on_demand.h"
#include "source/replay.h"

#include "../unit/pipeline/recorded.h"
#include "window_steps.h"

enum { SOUGHT = 7, N_STEPS = 7 };

static struct rv_session *whole; /* the same recording, read in full */

static uint64_t n_calls_of(struct rv_session *session, uint32_t id)
{
    struct rv_stats *stats = rv_session_stats(session);
    struct rv_stats_row rows[RECORDED_IDS + 2];
    size_t n = rv_stats_rows(stats, rows, RECORDED_IDS + 2);
    uint64_t n_calls = 0;
    for (size_t i = 0; i < n; i++)
        n_calls += rows[i].id == id ? rows[i].n_calls : 0;
    rv_stats_destroy(stats);
    return n_calls;
}

/* The first hit from a time on, in the recording that was read in full. */
static uint64_t first_from(uint64_t from_ns)
{
    static struct rv_search search;
    struct rv_next_hit next = {.is_on = false};
    struct rv_next_hit_params params = {
        .lanes = rv_session_lanes(whole), .place = {.start_ns = from_ns}, .is_forward = true};
    char why[160];
    if (rv_search_start(&search, "f7$", why, sizeof why) == 0 &&
        rv_search_update(&search, rv_session_lanes(whole), rv_session_subroutines(whole), SIZE_MAX)) {
        rv_next_hit_begin(&next, &search, &params);
        (void)rv_next_hit_go_on(&next, &search, 0);
    }
    uint64_t start_ns = next.hit.place.start_ns;
    rv_next_hit_end(&next);
    rv_search_stop(&search);
    return start_ns;
}

static uint64_t next_event(uint64_t at_ns)
{
    uint64_t best_ns = UINT64_MAX, ns;
    struct rv_lanes *lanes = rv_session_lanes(whole);
    for (size_t i = 0; i < rv_lanes_n(lanes); i++)
        if (rv_step_next(rv_lanes_get(lanes, i), at_ns, &ns) && ns < best_ns)
            best_ns = ns;
    return best_ns;
}

static void act_on(const struct rv_window_state *state, const struct rv_act *act)
{
    rv_viewer_act((struct rv_viewer *)(uintptr_t)state->viewer, act);
}

static void check_range(struct window_steps *steps, const struct rv_range_statistics *range)
{
    struct rv_stats_row rows[RECORDED_IDS + 2];
    size_t n = rv_stats_rows(rv_range_statistics_stats(range), rows, RECORDED_IDS + 2);
    window_steps_check(steps, n == RECORDED_IDS, "not all subroutines are in the range");
    for (size_t i = 0; i < n; i++)
        window_steps_check(steps, rows[i].n_calls == n_calls_of(whole, rows[i].id), "a range of all has other totals");
}

static bool act(struct window_steps *steps, const struct rv_window_state *state)
{
    static uint64_t from_ns, at_ns;
    const struct rv_viewer *viewer = state->viewer;
    const struct rv_viewer_search *search = &viewer->search;
    uint64_t to_ns,
        middle_ns = viewer->live_edge.first_ns + (viewer->live_edge.last_ns - viewer->live_edge.first_ns) / 2;
    switch (steps->step) {
    case 0:
        if (!viewer->live_edge.is_done || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_SLASH, 0);
        return true;
    case 1:
        if (!viewer->panels.has_search || !state->is_settled)
            return false;
        user_type("f7$");
        return true;
    case 2:
        if (strcmp(search->find, "f7$") != 0 || !search->is_search_whole)
            return false;
        window_steps_check(steps, search->search.n_hits == n_calls_of(whole, SOUGHT), "other hits are counted");
        window_steps_check(steps, rv_timeline_sums_level(rv_lanes_get(viewer->lanes, 0)->timeline) > 0,
                           "nothing is summarized");
        rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
        user_press(SDL_SCANCODE_RETURN, 0);
        return true;
    case 3:
        if (!viewer->pointer.hover.is_pinned)
            return false;
        window_steps_check(steps, viewer->pointer.hover.box.id == SOUGHT, "another call is pinned");
        window_steps_check(steps, search->hit.place.start_ns == first_from(from_ns), "the view goes to another hit");
        user_press(SDL_SCANCODE_ESCAPE, 0);
        act_on(state, &(struct rv_act){.action = RV_ACTION_SELECT, .to_ns = UINT64_MAX, .amount = 1.0});
        return true;
    case 4:
        if (!rv_viewer_statistics_range(&viewer->statistics) || viewer->pointer.hover.is_pinned)
            return false;
        check_range(steps, rv_viewer_statistics_range(&viewer->statistics));
        at_ns = next_event(middle_ns);
        act_on(state, &(struct rv_act){.action = RV_ACTION_SEEK, .from_ns = middle_ns});
        act_on(state, &(struct rv_act){.action = RV_ACTION_STEP_FORWARD});
        return true;
    case 5:
        if (viewer->step.n_steps != 0)
            return false;
        window_steps_check(steps, viewer->playhead.at_ns == at_ns, "a step has led elsewhere");
        act_on(state, &(struct rv_act){.action = RV_ACTION_STEP_FORWARD});
        act_on(state, &(struct rv_act){.action = RV_ACTION_STEP_FORWARD});
        return true;
    case 6:
        if (viewer->step.n_steps != 0)
            return false;
        window_steps_check(steps, viewer->playhead.at_ns == next_event(next_event(at_ns)),
                           "two steps have led elsewhere");
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    return false;
}

int main(void)
{
    char path[] = "/tmp/ringviz-asking-XXXXXX";
    struct window_steps steps = {.act = act};
    int fd = mkstemp(path), failed = 1;
    if (fd < 0)
        return 1;
    close(fd);
    recorded_make(path,
                  &(struct recorded_params){.n_events = {400000, 200000, 5000, 1}, .step_ns = {40, 90, 9000, 10}});
    whole = rv_session_start(&(struct rv_session_params){.n_workers = 1}, rv_replay_open(path));
    if (rv_session_wait(whole, 30000 * MS) && rv_recording_on_demand_open(&steps.source, path, 0) == 0 && steps.source)
        failed = window_steps_run(&steps, 640, 360, N_STEPS);
    rv_session_destroy(whole);
    unlink(path);
    return failed;
}
