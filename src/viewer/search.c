#include "viewer/search.h"

#include <stdio.h>

#include "base/clock.h"
#include "viewer/show_call.h"
#include "viewer/viewer.h"

#define CALLS_PER_PIECE 50000u
#define UPDATE_NS 1500000u /* after this, start no new piece */
#define NAMES_PER_UPDATE 500u
#define WAIT_NS 10000000u     /* for a block, where all are waited for */
#define ROUNDS_PER_REQUEST 2u /* the first may have begun before the request */
#define HIT_SHARE 0.4         /* share of the window before the hit */

void rv_viewer_search_fini(struct rv_viewer_search *state)
{
    rv_next_hit_end(&state->next_hit);
    rv_hit_count_job_end(&state->count);
    rv_search_stop(&state->search);
    rv_waited_job_stop(&state->waited);
    rv_filter_release(state->filter);
}

void rv_viewer_search_find(struct rv_viewer_search *state, const char *text)
{
    (void)snprintf(state->find, sizeof state->find, "%s", text ? text : "");
    state->find_why[0] = '\0';
    state->has_hit = state->is_search_whole = state->are_lanes_searched = false;
    state->request.n_hits = 0;
    state->n_calls = 0;
    rv_next_hit_end(&state->next_hit);
    rv_hit_count_job_end(&state->count);
    if (state->find[0])
        (void)rv_search_start(&state->search, state->find, state->find_why, sizeof state->find_why);
    else
        rv_search_stop(&state->search);
}

static uint64_t generation_of(const struct rv_viewer_search *state)
{
    return rv_name_set_generation(&state->search.matches) + rv_filter_generation(state->search.arguments) +
           rv_filter_generation(state->filter);
}

static void begin_request(struct rv_viewer_search *state)
{
    state->request.generation = state->search.generation;
    state->request.n_rounds = state->search.n_rounds;
}

/* All is counted anew when a count begins. */
static bool begin_count(struct rv_viewer_search *state)
{
    if (!state->session || !rv_hit_count_job_begin(&state->count, state->session, &state->search))
        return false;
    rv_next_hit_end(&state->next_hit);
    begin_request(state);
    return true;
}

/* What the lanes have, for a while or to the end. */
static bool search(struct rv_viewer_search *state, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                   bool to_the_end)
{
    if (to_the_end)
        return rv_search_update(&state->search, lanes, subroutines, SIZE_MAX);
    uint64_t end_ns = rv_clock_mono_ns() + UPDATE_NS;
    bool is_whole = false;
    do
        is_whole = rv_search_update(&state->search, lanes, subroutines, CALLS_PER_PIECE);
    while (!is_whole && rv_clock_mono_ns() < end_ns);
    return is_whole;
}

/* Is all counted that is not in the lanes? While they are only summarized it is not. */
static bool has_counted_all(const struct rv_viewer_search *state, struct rv_lanes *lanes)
{
    const struct rv_hit_count_job *count = &state->count;
    if (count->has_begun || !state->session || !rv_search_has_any(&state->search))
        return !rv_hit_count_job_is_on(count);
    return !rv_lanes_have_sums(lanes);
}

/* What is counted again is shown once it is complete, or more than before. */
static void update_count(struct rv_viewer_search *state, struct rv_lanes *lanes)
{
    uint64_t n_calls = rv_search_n_calls(&state->search, lanes, &state->is_partial);
    state->is_partial |= state->search.is_for_waits && state->waited.is_partial;
    state->is_damaged = atomic_load_explicit(&state->count.is_damaged, memory_order_relaxed);
    if (rv_hit_count_job_is_on(&state->count))
        n_calls += atomic_load_explicit(&state->count.n_hits, memory_order_relaxed);
    if (state->is_search_whole || n_calls > state->n_calls)
        state->n_calls = n_calls;
}

/* Under another filter, other calls are hits. */
static void obey_filter(struct rv_viewer_search *state)
{
    if (!rv_search_obey(&state->search, state->filter))
        return;
    rv_next_hit_end(&state->next_hit);
    state->n_calls = 0;
}

/* Are the calls that waited known as far as there are waits? */
static bool find_waited(struct rv_viewer_search *state, bool is_whole)
{
    struct rv_search *search = &state->search;
    if (!search->is_on || !search->is_for_waits)
        return true;
    const bool are_all =
        rv_waited_job_update(&state->waited, state->session ? rv_session_waits(state->session) : NULL, is_whole);
    if (search->waited == state->waited.waited)
        return are_all;
    rv_next_hit_end(&state->next_hit);
    rv_search_set_waited(search, state->waited.waited);
    return are_all;
}

bool rv_viewer_search_update(struct rv_viewer_search *state, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                             bool is_whole)
{
    uint64_t generation = generation_of(state), n_hits = state->search.n_hits;
    bool was_whole = state->is_search_whole;
    bool is_filtered = rv_filter_update(state->filter, subroutines, is_whole ? SIZE_MAX : NAMES_PER_UPDATE);
    obey_filter(state);
    const bool knows_waited = find_waited(state, is_whole);
    state->are_lanes_searched = search(state, lanes, subroutines, is_whole);
    if (begin_count(state))
        state->are_lanes_searched = search(state, lanes, subroutines, is_whole);
    bool has_counted = rv_hit_count_job_poll(&state->count, &state->search, is_whole);
    state->is_search_whole = is_filtered && knows_waited && state->are_lanes_searched && has_counted_all(state, lanes);
    update_count(state, lanes);
    return has_counted || generation != generation_of(state) || n_hits != state->search.n_hits ||
           was_whole != state->is_search_whole;
}

void rv_viewer_search_request(struct rv_viewer_search *state, bool is_forward)
{
    if (state->request.n_hits == 0)
        begin_request(state);
    state->request.n_hits += is_forward ? 1 : -1;
    if (state->request.n_hits == 0)
        rv_next_hit_end(&state->next_hit);
}

static bool is_time(struct rv_viewer_search *state)
{
    const struct rv_search *search = &state->search;
    if (state->request.generation != search->generation)
        begin_request(state);
    bool has_gone_round = search->n_rounds - state->request.n_rounds >= ROUNDS_PER_REQUEST;
    return state->are_lanes_searched || (search->is_named && has_gone_round);
}

static void begin_next(struct rv_viewer_search *state, struct rv_lanes *lanes, uint64_t from_ns)
{
    struct rv_next_hit_params params = {
        .session = state->session,
        .lanes = lanes,
        .place = state->has_hit ? state->hit.place : (struct rv_search_place){.start_ns = from_ns},
        .is_forward = state->request.n_hits > 0,
        .knows_hits = state->is_search_whole,
        .lane_order = state->lane_order,
    };
    rv_next_hit_begin(&state->next_hit, &state->search, &params);
}

/* Get on to the next of the hits that are requested. Returns whether it is known. */
static bool go_on(struct rv_viewer_search *state, uint64_t wait_ns)
{
    switch (rv_next_hit_go_on(&state->next_hit, &state->search, wait_ns)) {
    case RV_NEXT_HIT_GOES_ON:
        return false;
    case RV_NEXT_HIT_FOUND:
        state->hit = state->next_hit.hit;
        state->has_hit = true;
        state->request.n_hits -= state->request.n_hits > 0 ? 1 : -1;
        break;
    case RV_NEXT_HIT_FAILED:
        state->has_hit = false;
        state->request.n_hits = 0;
        break;
    }
    rv_next_hit_end(&state->next_hit);
    return true;
}

static bool fulfil(struct rv_viewer_search *state, struct rv_lanes *lanes, uint64_t from_ns, uint64_t wait_ns)
{
    bool has_moved = false;
    while (state->request.n_hits != 0) {
        if (!state->next_hit.is_on) {
            if (!is_time(state))
                break;
            begin_next(state, lanes, from_ns);
        }
        if (!go_on(state, wait_ns))
            break;
        has_moved = state->has_hit;
    }
    return has_moved;
}

bool rv_viewer_search_fulfil(struct rv_viewer_search *state, struct rv_lanes *lanes, uint64_t from_ns)
{
    return fulfil(state, lanes, from_ns, 0);
}

bool rv_viewer_search_go(struct rv_viewer_search *state, struct rv_lanes *lanes, uint64_t from_ns, bool is_forward)
{
    rv_viewer_search_request(state, is_forward);
    bool has_hit = fulfil(state, lanes, from_ns, WAIT_NS);
    while (state->next_hit.is_on)
        has_hit = fulfil(state, lanes, from_ns, WAIT_NS);
    return has_hit;
}

void rv_viewer_search_apply(const struct rv_viewer_search *state, struct rv_view_params *params)
{
    params->filter = state->filter;
    const struct rv_search *search = &state->search;
    const bool is_known = search->is_on && !search->arguments && (!search->is_for_waits || search->waited);
    params->hits = is_known ? &search->matches : NULL;
    params->waited = search->waited;
    params->found = state->search.arguments;
}

/* Pin the hit, and move the window if it does not show the hit's begin. */
static void show_hit(struct rv_viewer *viewer, const struct rv_search_hit *hit)
{
    uint64_t from_ns, to_ns;
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    viewer->time_window.is_following = false;
    if (hit->place.start_ns < from_ns || hit->place.start_ns >= to_ns) {
        uint64_t before_ns = (uint64_t)(HIT_SHARE * (double)(to_ns - from_ns));
        from_ns = hit->place.start_ns > before_ns ? hit->place.start_ns - before_ns : 0;
        rv_time_window_set(&viewer->time_window, from_ns, from_ns + (uint64_t)viewer->time_window.window_ns);
    }
    rv_viewer_pin_call(viewer, &hit->box, hit->place.lane_idx);
}

void rv_viewer_search_go_on(struct rv_viewer *viewer)
{
    uint64_t from_ns, to_ns;
    struct rv_viewer_search *state = &viewer->search;
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    if (!rv_viewer_search_fulfil(state, viewer->lanes, from_ns))
        return;
    show_hit(viewer, &state->hit);
    viewer->is_dirty = true;
}

/* At once if the trace has been searched, else when it has. */
static void go_to_hit(struct rv_viewer *viewer, bool is_forward)
{
    struct rv_viewer_search *state = &viewer->search;
    if (!state->search.is_on || !viewer->lanes)
        return;
    rv_viewer_search_request(state, is_forward);
    (void)rv_viewer_search_update(state, viewer->lanes, viewer->subroutines, false);
    rv_viewer_search_go_on(viewer);
    viewer->is_touched = true;
}

static void end_search(struct rv_viewer *viewer)
{
    rv_viewer_search_find(&viewer->search, NULL);
    viewer->panels.has_search = false;
}

bool rv_viewer_search_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    switch ((int)act->action) {
    case RV_ACTION_SEARCH:
        viewer->panels.has_search = true;
        viewer->panels.n_asked++;
        break;
    case RV_ACTION_FIND:
        rv_viewer_search_find(&viewer->search, act->text);
        viewer->statistics.calls.stands_out = false;
        break;
    case RV_ACTION_END_SEARCH:
        end_search(viewer);
        break;
    case RV_ACTION_NEXT_HIT:
    case RV_ACTION_PREVIOUS_HIT:
        go_to_hit(viewer, act->action == RV_ACTION_NEXT_HIT);
        break;
    default:
        return false;
    }
    rv_viewer_point(viewer);
    return true;
}

bool rv_viewer_search_end(struct rv_viewer *viewer)
{
    if (!viewer->panels.has_search && !viewer->search.find[0])
        return false;
    end_search(viewer);
    rv_viewer_point(viewer);
    return true;
}
