#include "viewer/analysis.h"

#include <stdio.h>

#include "base/clock.h"

#define CALLS_PER_PIECE 50000u
#define UPDATE_NS 1500000u /* after which no new piece is begun */
#define NAMES_PER_UPDATE 500u
#define WAIT_NS 10000000u  /* for a block, where all are waited for */
#define ROUNDS_PER_WISH 2u /* the first may have begun before the wish */

void rv_inquiry_fini(struct rv_inquiry *inquiry)
{
    rv_measure_stop(&inquiry->measure);
    rv_measure_stop(&inquiry->call.measure);
    rv_quest_end(&inquiry->quest);
    rv_tally_end(&inquiry->tally);
    rv_search_stop(&inquiry->search);
    rv_lens_fini(&inquiry->lens);
}

void rv_inquiry_find(struct rv_inquiry *inquiry, const char *text)
{
    (void)snprintf(inquiry->find, sizeof inquiry->find, "%s", text ? text : "");
    inquiry->find_why[0] = '\0';
    inquiry->has_hit = inquiry->is_search_whole = inquiry->are_lanes_searched = false;
    inquiry->wish.n_hits = 0;
    rv_quest_end(&inquiry->quest);
    rv_tally_end(&inquiry->tally);
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

static void begin_wish(struct rv_inquiry *inquiry)
{
    inquiry->wish.generation = inquiry->search.generation;
    inquiry->wish.n_rounds = inquiry->search.n_rounds;
}

/* All is counted anew when a tally begins. */
static bool begin_tally(struct rv_inquiry *inquiry)
{
    if (!inquiry->session || !rv_tally_begin(&inquiry->tally, inquiry->session, &inquiry->search))
        return false;
    rv_quest_end(&inquiry->quest);
    begin_wish(inquiry);
    return true;
}

/* What the lanes have, for a while or to the end. */
static bool search(struct rv_inquiry *inquiry, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                   bool to_the_end)
{
    if (to_the_end)
        return rv_search_update(&inquiry->search, lanes, subroutines, SIZE_MAX);
    uint64_t end_ns = rv_clock_mono_ns() + UPDATE_NS;
    bool is_whole = false;
    do
        is_whole = rv_search_update(&inquiry->search, lanes, subroutines, CALLS_PER_PIECE);
    while (!is_whole && rv_clock_mono_ns() < end_ns);
    return is_whole;
}

/* Is all counted that is not in the lanes? While they are still told in sum it is not. */
static bool has_tallied_all(const struct rv_inquiry *inquiry, struct rv_lanes *lanes)
{
    const struct rv_tally *tally = &inquiry->tally;
    if (tally->has_begun || !inquiry->session || !inquiry->search.matches.n_matching)
        return !rv_tally_is_on(tally);
    return !rv_lanes_have_sums(lanes);
}

bool rv_inquiry_update(struct rv_inquiry *inquiry, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                       bool is_whole)
{
    uint64_t generation = generation_of(inquiry), n_hits = inquiry->search.n_hits;
    bool was_whole = inquiry->is_search_whole;
    inquiry->are_lanes_searched = search(inquiry, lanes, subroutines, is_whole);
    if (begin_tally(inquiry))
        inquiry->are_lanes_searched = search(inquiry, lanes, subroutines, is_whole);
    bool has_tallied = rv_tally_poll(&inquiry->tally, &inquiry->search, is_whole);
    inquiry->is_search_whole = inquiry->are_lanes_searched && has_tallied_all(inquiry, lanes);
    (void)rv_lens_update(&inquiry->lens, subroutines, is_whole ? SIZE_MAX : NAMES_PER_UPDATE);
    bool has_measured = rv_measure_poll(&inquiry->measure);
    has_measured |= rv_measure_poll(&inquiry->call.measure);
    return has_measured || has_tallied || generation != generation_of(inquiry) || n_hits != inquiry->search.n_hits ||
           was_whole != inquiry->is_search_whole;
}

/* To the next hit of those that the lanes have. */
static bool go(struct rv_inquiry *inquiry, struct rv_lanes *lanes, const struct rv_search_place *place, bool is_forward)
{
    struct rv_search_place end = {is_forward ? 0 : UINT64_MAX, 0, 0};
    struct rv_search *search = &inquiry->search;
    bool (*find)(struct rv_search *, struct rv_lanes *, const struct rv_search_place *, struct rv_search_hit *) =
        is_forward ? rv_search_next : rv_search_previous;
    inquiry->has_hit = find(search, lanes, place, &inquiry->hit) || find(search, lanes, &end, &inquiry->hit);
    return inquiry->has_hit;
}

void rv_inquiry_wish(struct rv_inquiry *inquiry, bool is_forward)
{
    if (inquiry->wish.n_hits == 0)
        begin_wish(inquiry);
    inquiry->wish.n_hits += is_forward ? 1 : -1;
    if (inquiry->wish.n_hits == 0)
        rv_quest_end(&inquiry->quest);
}

uint64_t rv_inquiry_n_calls(const struct rv_inquiry *inquiry, struct rv_lanes *lanes, bool *is_partial)
{
    uint64_t n_calls = rv_search_n_calls(&inquiry->search, lanes, is_partial);
    if (rv_tally_is_on(&inquiry->tally))
        n_calls += atomic_load_explicit(&inquiry->tally.n_hits, memory_order_relaxed);
    return n_calls;
}

static bool is_time(struct rv_inquiry *inquiry)
{
    const struct rv_search *search = &inquiry->search;
    if (inquiry->wish.generation != search->generation)
        begin_wish(inquiry);
    bool has_gone_round = search->n_rounds - inquiry->wish.n_rounds >= ROUNDS_PER_WISH;
    return inquiry->are_lanes_searched || (search->is_named && has_gone_round);
}

/* The next of the hits that are wished, if the quest for it has come to it. */
static bool go_on_questing(struct rv_inquiry *inquiry, uint64_t wait_ns)
{
    bool is_forward = inquiry->wish.n_hits > 0;
    switch (rv_quest_go_on(&inquiry->quest, inquiry->session, &inquiry->search, wait_ns)) {
    case RV_QUEST_GOES_ON:
        return false;
    case RV_QUEST_FOUND:
        inquiry->hit = inquiry->quest.nearest.hit;
        inquiry->has_hit = true;
        inquiry->wish.n_hits -= is_forward ? 1 : -1;
        break;
    case RV_QUEST_FAILED:
        inquiry->has_hit = false;
        inquiry->wish.n_hits = 0;
        break;
    }
    rv_quest_end(&inquiry->quest);
    return inquiry->has_hit;
}

static struct rv_search_place place_of(const struct rv_inquiry *inquiry, uint64_t from_ns)
{
    return inquiry->has_hit ? inquiry->hit.place : (struct rv_search_place){.start_ns = from_ns};
}

static bool fulfil(struct rv_inquiry *inquiry, struct rv_lanes *lanes, uint64_t from_ns, uint64_t wait_ns)
{
    int n_hits = inquiry->wish.n_hits;
    if (inquiry->quest.is_on)
        return go_on_questing(inquiry, wait_ns);
    if (n_hits == 0 || !is_time(inquiry))
        return false;
    struct rv_search_place place = place_of(inquiry, from_ns);
    if (rv_quest_begin(&inquiry->quest, inquiry->session, &inquiry->search, &place, n_hits > 0,
                       inquiry->is_search_whole))
        return go_on_questing(inquiry, wait_ns);
    inquiry->wish.n_hits = 0;
    bool has_hit = false;
    for (; n_hits != 0; n_hits += n_hits > 0 ? -1 : 1, place = place_of(inquiry, from_ns))
        has_hit = go(inquiry, lanes, &place, n_hits > 0);
    return has_hit;
}

bool rv_inquiry_fulfil(struct rv_inquiry *inquiry, struct rv_lanes *lanes, uint64_t from_ns)
{
    return fulfil(inquiry, lanes, from_ns, 0);
}

bool rv_inquiry_go(struct rv_inquiry *inquiry, struct rv_lanes *lanes, uint64_t from_ns, bool is_forward)
{
    rv_inquiry_wish(inquiry, is_forward);
    bool has_hit = fulfil(inquiry, lanes, from_ns, WAIT_NS);
    while (inquiry->quest.is_on)
        has_hit = fulfil(inquiry, lanes, from_ns, WAIT_NS);
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
        rv_measure_start(&inquiry->measure,
                         &(struct rv_range_params){.from_ns = range->from_ns,
                                                   .to_ns = range->to_ns,
                                                   .lanes = lanes,
                                                   .subroutines = subroutines,
                                                   .lens = &inquiry->lens},
                         inquiry->session);
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
    rv_measure_start(&call->measure,
                     &(struct rv_range_params){.from_ns = box->start_ns,
                                               .to_ns = box->start_ns + call->duration_ns,
                                               .lanes = lanes,
                                               .subroutines = subroutines,
                                               .lane_idxs = &lane_idx,
                                               .n_lane_idxs = 1},
                     inquiry->session);
}

/* What encloses the call fills its time, as the call itself does: the innermost of those, not deeper than it is. */
uint32_t rv_inquiry_call_node(const struct rv_inquiry *inquiry)
{
    const struct rv_inquiry_call *call = &inquiry->call;
    size_t n;
    uint32_t found = 0;
    if (!rv_measure_is_done(&call->measure))
        return 0;
    const struct rv_range_node *nodes = rv_range_nodes(call->measure.range, &n);
    uint32_t at = nodes[0].first_child, id = rv_range_id(call->measure.range, call->id);
    for (uint32_t depth = 0; at && depth <= call->place.depth; depth++, at = nodes[at].first_child)
        if (nodes[at].id == id && nodes[at].n_calls == 1)
            found = at;
    return found;
}
