#include "app/inquiry.h"

#include <stdio.h>

#include "base/clock.h"

#define CALLS_PER_PIECE 50000u
#define UPDATE_NS 1500000u /* after which no new piece is begun */
#define NAMES_PER_UPDATE 500u
#define ROUNDS_PER_WISH 2u /* the first may have begun before the wish */

void rv_inquiry_fini(struct rv_inquiry *inquiry)
{
    rv_measure_stop(&inquiry->measure);
    rv_measure_stop(&inquiry->call.measure);
    rv_search_stop(&inquiry->search);
    rv_lens_fini(&inquiry->lens);
}

void rv_inquiry_find(struct rv_inquiry *inquiry, const char *text)
{
    (void)snprintf(inquiry->find, sizeof inquiry->find, "%s", text ? text : "");
    inquiry->find_why[0] = '\0';
    inquiry->has_hit = inquiry->is_search_whole = false;
    inquiry->wish.n_hits = 0;
    if (inquiry->find[0])
        (void)rv_search_start(&inquiry->search, inquiry->find, inquiry->find_why, sizeof inquiry->find_why);
    else
        rv_search_stop(&inquiry->search);
}

bool rv_inquiry_let(struct rv_inquiry *inquiry, const char *rule)
{
    inquiry->rule_why[0] = '\0';
    return rv_lens_add(&inquiry->lens, rule, inquiry->rule_why, sizeof inquiry->rule_why) == 0;
}

static uint64_t generation_of(const struct rv_inquiry *inquiry)
{
    uint64_t sum = inquiry->search.matches.generation;
    for (size_t i = 0; i < inquiry->lens.n_rules; i++)
        sum += inquiry->lens.rules[i].matches.generation;
    return sum;
}

static bool search_for_a_while(struct rv_inquiry *inquiry, struct rv_lanes *lanes, struct rv_subroutines *subroutines)
{
    uint64_t end_ns = rv_clock_mono_ns() + UPDATE_NS;
    bool is_whole = false;
    do
        is_whole = rv_search_update(&inquiry->search, lanes, subroutines, CALLS_PER_PIECE);
    while (!is_whole && rv_clock_mono_ns() < end_ns);
    return is_whole;
}

bool rv_inquiry_update(struct rv_inquiry *inquiry, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                       bool is_whole)
{
    uint64_t generation = generation_of(inquiry), n_hits = inquiry->search.n_hits;
    bool was_whole = inquiry->is_search_whole;
    inquiry->is_search_whole = is_whole ? rv_search_update(&inquiry->search, lanes, subroutines, SIZE_MAX)
                                        : search_for_a_while(inquiry, lanes, subroutines);
    (void)rv_lens_update(&inquiry->lens, subroutines, is_whole ? SIZE_MAX : NAMES_PER_UPDATE);
    bool has_measured = rv_measure_poll(&inquiry->measure);
    has_measured |= rv_measure_poll(&inquiry->call.measure);
    return has_measured || generation != generation_of(inquiry) || n_hits != inquiry->search.n_hits ||
           was_whole != inquiry->is_search_whole;
}

bool rv_inquiry_go(struct rv_inquiry *inquiry, struct rv_lanes *lanes, uint64_t from_ns, bool is_forward)
{
    struct rv_search_place place = {.start_ns = from_ns}, end = {is_forward ? 0 : UINT64_MAX, 0, 0};
    if (inquiry->has_hit)
        place = inquiry->hit.place;
    struct rv_search *search = &inquiry->search;
    bool (*go)(struct rv_search *, struct rv_lanes *, const struct rv_search_place *, struct rv_search_hit *) =
        is_forward ? rv_search_next : rv_search_previous;
    inquiry->has_hit = go(search, lanes, &place, &inquiry->hit) || go(search, lanes, &end, &inquiry->hit);
    return inquiry->has_hit;
}

static void begin_wish(struct rv_inquiry *inquiry)
{
    inquiry->wish.generation = inquiry->search.generation;
    inquiry->wish.n_rounds = inquiry->search.n_rounds;
}

void rv_inquiry_wish(struct rv_inquiry *inquiry, bool is_forward)
{
    if (inquiry->wish.n_hits == 0)
        begin_wish(inquiry);
    inquiry->wish.n_hits += is_forward ? 1 : -1;
}

static bool is_time(struct rv_inquiry *inquiry)
{
    const struct rv_search *search = &inquiry->search;
    if (inquiry->wish.generation != search->generation)
        begin_wish(inquiry);
    bool has_gone_round = search->n_rounds - inquiry->wish.n_rounds >= ROUNDS_PER_WISH;
    return inquiry->is_search_whole || (search->is_named && has_gone_round);
}

bool rv_inquiry_fulfil(struct rv_inquiry *inquiry, struct rv_lanes *lanes, uint64_t from_ns)
{
    int n_hits = inquiry->wish.n_hits;
    if (n_hits == 0 || !is_time(inquiry))
        return false;
    inquiry->wish.n_hits = 0;
    bool has_hit = false;
    for (; n_hits != 0; n_hits += n_hits > 0 ? -1 : 1)
        has_hit = rv_inquiry_go(inquiry, lanes, from_ns, n_hits > 0);
    return has_hit;
}

void rv_inquiry_apply(const struct rv_inquiry *inquiry, struct rv_view_params *params)
{
    params->lens = inquiry->lens.n_rules ? &inquiry->lens : NULL;
    params->hits = inquiry->search.is_on ? &inquiry->search.matches : NULL;
}

void rv_inquiry_select(struct rv_inquiry *inquiry, const struct rv_range_ns *range, struct rv_lanes *lanes,
                       struct rv_subroutines *subroutines)
{
    rv_measure_stop(&inquiry->measure);
    inquiry->selected = *range;
    if (range->to_ns > range->from_ns && lanes)
        rv_measure_start(&inquiry->measure, &(struct rv_range_params){.from_ns = range->from_ns,
                                                                      .to_ns = range->to_ns,
                                                                      .lanes = lanes,
                                                                      .subroutines = subroutines,
                                                                      .lens = &inquiry->lens});
}

static bool is_same_call(const struct rv_inquiry_call *call, const struct rv_box *box, uint32_t lane_idx)
{
    return call->measure.range && call->place.start_ns == box->start_ns && call->place.depth == box->depth &&
           call->place.lane_idx == lane_idx && call->id == box->id;
}

void rv_inquiry_look_into(struct rv_inquiry *inquiry, const struct rv_box *box, uint32_t lane_idx,
                          struct rv_lanes *lanes, struct rv_subroutines *subroutines)
{
    struct rv_inquiry_call *call = &inquiry->call;
    bool is_call = box && box->coverage == RV_BOX_EXACT;
    if (is_call && is_same_call(call, box, lane_idx))
        return;
    rv_measure_stop(&call->measure);
    if (!is_call)
        return;
    call->place = (struct rv_search_place){box->start_ns, lane_idx, box->depth};
    call->id = box->id;
    call->duration_ns = box->duration_ns ? box->duration_ns : 1;
    rv_measure_start(&call->measure, &(struct rv_range_params){.from_ns = box->start_ns,
                                                               .to_ns = box->start_ns + call->duration_ns,
                                                               .lanes = lanes,
                                                               .subroutines = subroutines,
                                                               .lane_idxs = &lane_idx,
                                                               .n_lane_idxs = 1});
}

/* What encloses the call fills its time, as the call itself does: the innermost of those, not deeper than it is. */
uint32_t rv_inquiry_call_node(const struct rv_inquiry *inquiry)
{
    const struct rv_inquiry_call *call = &inquiry->call;
    size_t n;
    uint32_t found = 0;
    if (!call->measure.is_done)
        return 0;
    const struct rv_range_node *nodes = rv_range_nodes(call->measure.range, &n);
    uint32_t at = nodes[0].first_child, id = rv_range_id(call->measure.range, call->id);
    for (uint32_t depth = 0; at && depth <= call->place.depth; depth++, at = nodes[at].first_child)
        if (nodes[at].id == id && nodes[at].n_calls == 1)
            found = at;
    return found;
}
