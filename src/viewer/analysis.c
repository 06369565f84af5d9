#include "viewer/analysis.h"

#include <stdio.h>

#include "base/clock.h"

#define CALLS_PER_PIECE 50000u
#define UPDATE_NS 1500000u /* after this, start no new piece */
#define NAMES_PER_UPDATE 500u
#define WAIT_NS 10000000u     /* for a block, where all are waited for */
#define ROUNDS_PER_REQUEST 2u /* the first may have begun before the request */

void rv_analysis_fini(struct rv_analysis *analysis)
{
    rv_range_job_stop(&analysis->call.measure);
    rv_next_hit_end(&analysis->next_hit);
    rv_hit_count_end(&analysis->count);
    rv_search_stop(&analysis->search);
    rv_waited_job_stop(&analysis->waited);
    rv_filter_release(analysis->filter);
}

void rv_analysis_find(struct rv_analysis *analysis, const char *text)
{
    (void)snprintf(analysis->find, sizeof analysis->find, "%s", text ? text : "");
    analysis->find_why[0] = '\0';
    analysis->has_hit = analysis->is_search_whole = analysis->are_lanes_searched = false;
    analysis->request.n_hits = 0;
    analysis->n_calls = 0;
    rv_next_hit_end(&analysis->next_hit);
    rv_hit_count_end(&analysis->count);
    if (analysis->find[0])
        (void)rv_search_start(&analysis->search, analysis->find, analysis->find_why, sizeof analysis->find_why);
    else
        rv_search_stop(&analysis->search);
}

bool rv_analysis_let(struct rv_analysis *analysis, const char *rule)
{
    analysis->rule_why[0] = '\0';
    return rv_filter_add(&analysis->filter, rule, analysis->rule_why, sizeof analysis->rule_why) == 0;
}

static uint64_t generation_of(const struct rv_analysis *analysis)
{
    return rv_name_set_generation(&analysis->search.matches) + rv_filter_generation(analysis->search.arguments) +
           rv_filter_generation(analysis->filter);
}

static void begin_request(struct rv_analysis *analysis)
{
    analysis->request.generation = analysis->search.generation;
    analysis->request.n_rounds = analysis->search.n_rounds;
}

/* All is counted anew when a count begins. */
static bool begin_count(struct rv_analysis *analysis)
{
    if (!analysis->session || !rv_hit_count_begin(&analysis->count, analysis->session, &analysis->search))
        return false;
    rv_next_hit_end(&analysis->next_hit);
    begin_request(analysis);
    return true;
}

/* What the lanes have, for a while or to the end. */
static bool search(struct rv_analysis *analysis, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                   bool to_the_end)
{
    if (to_the_end)
        return rv_search_update(&analysis->search, lanes, subroutines, SIZE_MAX);
    uint64_t end_ns = rv_clock_mono_ns() + UPDATE_NS;
    bool is_whole = false;
    do
        is_whole = rv_search_update(&analysis->search, lanes, subroutines, CALLS_PER_PIECE);
    while (!is_whole && rv_clock_mono_ns() < end_ns);
    return is_whole;
}

/* Is all counted that is not in the lanes? While they are only summarized it is not. */
static bool has_counted_all(const struct rv_analysis *analysis, struct rv_lanes *lanes)
{
    const struct rv_hit_count *count = &analysis->count;
    if (count->has_begun || !analysis->session || !rv_search_has_any(&analysis->search))
        return !rv_hit_count_is_on(count);
    return !rv_lanes_have_sums(lanes);
}

/* What is counted again is shown once it is complete, or more than before. */
static void update_count(struct rv_analysis *analysis, struct rv_lanes *lanes)
{
    uint64_t n_calls = rv_search_n_calls(&analysis->search, lanes, &analysis->is_partial);
    analysis->is_partial |= analysis->search.is_for_waits && analysis->waited.is_partial;
    analysis->is_damaged = atomic_load_explicit(&analysis->count.is_damaged, memory_order_relaxed);
    if (rv_hit_count_is_on(&analysis->count))
        n_calls += atomic_load_explicit(&analysis->count.n_hits, memory_order_relaxed);
    if (analysis->is_search_whole || n_calls > analysis->n_calls)
        analysis->n_calls = n_calls;
}

/* Under another filter, other calls are hits. */
static void obey_filter(struct rv_analysis *analysis)
{
    if (!rv_search_obey(&analysis->search, analysis->filter))
        return;
    rv_next_hit_end(&analysis->next_hit);
    analysis->n_calls = 0;
}

/* Are the calls that waited known as far as there are waits? */
static bool find_waited(struct rv_analysis *analysis, bool is_whole)
{
    struct rv_search *search = &analysis->search;
    if (!search->is_on || !search->is_for_waits)
        return true;
    const bool are_all = rv_waited_job_update(&analysis->waited,
                                              analysis->session ? rv_session_waits(analysis->session) : NULL, is_whole);
    if (search->waited == analysis->waited.waited)
        return are_all;
    rv_next_hit_end(&analysis->next_hit);
    rv_search_set_waited(search, analysis->waited.waited);
    return are_all;
}

bool rv_analysis_update(struct rv_analysis *analysis, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                        bool is_whole)
{
    uint64_t generation = generation_of(analysis), n_hits = analysis->search.n_hits;
    bool was_whole = analysis->is_search_whole;
    bool is_filtered = rv_filter_update(analysis->filter, subroutines, is_whole ? SIZE_MAX : NAMES_PER_UPDATE);
    obey_filter(analysis);
    const bool knows_waited = find_waited(analysis, is_whole);
    analysis->are_lanes_searched = search(analysis, lanes, subroutines, is_whole);
    if (begin_count(analysis))
        analysis->are_lanes_searched = search(analysis, lanes, subroutines, is_whole);
    bool has_counted = rv_hit_count_poll(&analysis->count, &analysis->search, is_whole);
    analysis->is_search_whole =
        is_filtered && knows_waited && analysis->are_lanes_searched && has_counted_all(analysis, lanes);
    update_count(analysis, lanes);
    bool has_measured = rv_range_job_poll(&analysis->call.measure);
    return has_measured || has_counted || generation != generation_of(analysis) || n_hits != analysis->search.n_hits ||
           was_whole != analysis->is_search_whole;
}

void rv_hit_request(struct rv_analysis *analysis, bool is_forward)
{
    if (analysis->request.n_hits == 0)
        begin_request(analysis);
    analysis->request.n_hits += is_forward ? 1 : -1;
    if (analysis->request.n_hits == 0)
        rv_next_hit_end(&analysis->next_hit);
}

static bool is_time(struct rv_analysis *analysis)
{
    const struct rv_search *search = &analysis->search;
    if (analysis->request.generation != search->generation)
        begin_request(analysis);
    bool has_gone_round = search->n_rounds - analysis->request.n_rounds >= ROUNDS_PER_REQUEST;
    return analysis->are_lanes_searched || (search->is_named && has_gone_round);
}

static void begin_next(struct rv_analysis *analysis, struct rv_lanes *lanes, uint64_t from_ns)
{
    struct rv_next_hit_params params = {
        .session = analysis->session,
        .lanes = lanes,
        .place = analysis->has_hit ? analysis->hit.place : (struct rv_search_place){.start_ns = from_ns},
        .is_forward = analysis->request.n_hits > 0,
        .knows_hits = analysis->is_search_whole,
        .lane_order = analysis->lane_order,
    };
    rv_next_hit_begin(&analysis->next_hit, &analysis->search, &params);
}

/* Get on to the next of the hits that are requested. Returns whether it is known. */
static bool go_on(struct rv_analysis *analysis, uint64_t wait_ns)
{
    switch (rv_next_hit_go_on(&analysis->next_hit, &analysis->search, wait_ns)) {
    case RV_NEXT_HIT_GOES_ON:
        return false;
    case RV_NEXT_HIT_FOUND:
        analysis->hit = analysis->next_hit.hit;
        analysis->has_hit = true;
        analysis->request.n_hits -= analysis->request.n_hits > 0 ? 1 : -1;
        break;
    case RV_NEXT_HIT_FAILED:
        analysis->has_hit = false;
        analysis->request.n_hits = 0;
        break;
    }
    rv_next_hit_end(&analysis->next_hit);
    return true;
}

static bool fulfil(struct rv_analysis *analysis, struct rv_lanes *lanes, uint64_t from_ns, uint64_t wait_ns)
{
    bool has_moved = false;
    while (analysis->request.n_hits != 0) {
        if (!analysis->next_hit.is_on) {
            if (!is_time(analysis))
                break;
            begin_next(analysis, lanes, from_ns);
        }
        if (!go_on(analysis, wait_ns))
            break;
        has_moved = analysis->has_hit;
    }
    return has_moved;
}

bool rv_analysis_fulfil(struct rv_analysis *analysis, struct rv_lanes *lanes, uint64_t from_ns)
{
    return fulfil(analysis, lanes, from_ns, 0);
}

bool rv_analysis_go(struct rv_analysis *analysis, struct rv_lanes *lanes, uint64_t from_ns, bool is_forward)
{
    rv_hit_request(analysis, is_forward);
    bool has_hit = fulfil(analysis, lanes, from_ns, WAIT_NS);
    while (analysis->next_hit.is_on)
        has_hit = fulfil(analysis, lanes, from_ns, WAIT_NS);
    return has_hit;
}

void rv_analysis_apply(const struct rv_analysis *analysis, struct rv_view_params *params)
{
    params->filter = analysis->filter;
    const struct rv_search *search = &analysis->search;
    const bool is_known = search->is_on && !search->arguments && (!search->is_for_waits || search->waited);
    params->hits = is_known ? &search->matches : NULL;
    params->waited = search->waited;
    params->found = analysis->search.arguments;
}

static bool is_same_call(const struct rv_analysis_call *call, const struct rv_box *box, uint32_t lane_idx)
{
    return call->measure.range && call->place.start_ns == box->start_ns && call->place.depth == box->depth &&
           call->place.lane_idx == lane_idx && call->id == box->id;
}

void rv_analysis_look_into(struct rv_analysis *analysis, const struct rv_box *box, uint32_t lane_idx,
                           struct rv_lanes *lanes, struct rv_subroutines *subroutines)
{
    struct rv_analysis_call *call = &analysis->call;
    bool is_call = box && box->coverage == RV_BOX_EXACT;
    if (is_call && is_same_call(call, box, lane_idx))
        return;
    rv_range_job_stop(&call->measure);
    if (!is_call)
        return;
    call->place = (struct rv_search_place){box->start_ns, lane_idx, box->depth};
    call->id = box->id;
    call->duration_ns = box->duration_ns ? box->duration_ns : 1;
    rv_range_job_start(&call->measure,
                       &(struct rv_range_params){.from_ns = box->start_ns,
                                                 .to_ns = box->start_ns + call->duration_ns,
                                                 .lanes = lanes,
                                                 .subroutines = subroutines,
                                                 .lane_idxs = &lane_idx,
                                                 .n_lane_idxs = 1},
                       analysis->session);
}

/* What encloses the call fills its time, as the call itself does: the innermost of those, not deeper than it is. */
uint32_t rv_analysis_call_node(const struct rv_analysis *analysis)
{
    const struct rv_analysis_call *call = &analysis->call;
    size_t n;
    uint32_t found = 0;
    if (!rv_range_job_is_done(&call->measure))
        return 0;
    const struct rv_range_node *nodes = rv_range_nodes(call->measure.range, &n);
    uint32_t at = nodes[0].first_child, id = rv_range_id(call->measure.range, call->id);
    for (uint32_t depth = 0; at && depth <= call->place.depth; depth++, at = nodes[at].first_child)
        if (nodes[at].id == id && nodes[at].n_calls == 1)
            found = at;
    return found;
}
