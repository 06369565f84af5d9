#include "query/recorded_search.h"

#include "base/clock.h"

#define TURN_NS 1500000u /* after which no new block is begun */

static bool has_hits(const void *context, uint64_t from_ns, uint64_t to_ns)
{
    return rv_search_has_hits(context, from_ns, to_ns);
}

static void open_survey(struct rv_recorded_search *recorded_search, struct rv_session *session,
                        const struct rv_search *search)
{
    uint64_t at_ns = recorded_search->origin_ns, after_ns = at_ns < UINT64_MAX ? at_ns + 1 : at_ns;
    bool is_forward = recorded_search->nearest.is_forward, is_behind = is_forward != recorded_search->has_come_round;
    struct rv_block_reader_params params = {.from_ns = is_behind ? at_ns : 0,
                                            .to_ns = is_behind ? UINT64_MAX : after_ns,
                                            .is_backward = !is_forward,
                                            .only = &search->matches,
                                            .wants = recorded_search->knows_hits ? has_hits : NULL,
                                            .context = search};
    recorded_search->edge_ns = is_forward ? params.from_ns : params.to_ns;
    if (search->matches.n_matching && params.from_ns < params.to_ns)
        recorded_search->block_reader = rv_session_survey(session, &params);
}

bool rv_recorded_search_begin(struct rv_recorded_search *recorded_search, struct rv_session *session,
                              const struct rv_search *search, const struct rv_search_place *place, bool is_forward,
                              bool knows_hits)
{
    struct rv_lanes *lanes = session ? rv_session_lanes(session) : NULL;
    *recorded_search =
        (struct rv_recorded_search){.knows_hits = knows_hits,
                                    .origin_ns = place->start_ns,
                                    .nearest = {.lanes = lanes, .place = *place, .is_forward = is_forward}};
    recorded_search->is_on = lanes && rv_lanes_have_sums(lanes);
    if (recorded_search->is_on)
        open_survey(recorded_search, session, search);
    return recorded_search->is_on;
}

void rv_recorded_search_end(struct rv_recorded_search *recorded_search)
{
    rv_block_reader_close(recorded_search->block_reader);
    *recorded_search = (struct rv_recorded_search){.is_on = false};
}

/* Up to where the blocks that are still to come have nothing, the lanes have all. Can there be a nearer one behind? */
static bool is_over(struct rv_recorded_search *recorded_search, struct rv_search *search)
{
    struct rv_search_quest *nearest = &recorded_search->nearest;
    uint64_t end_ns = nearest->is_forward ? UINT64_MAX : 0;
    uint64_t edge_ns = recorded_search->block_reader ? rv_block_reader_edge_ns(recorded_search->block_reader) : end_ns;
    if (nearest->is_forward && edge_ns > recorded_search->edge_ns)
        rv_search_look_into(search, nearest, recorded_search->edge_ns, edge_ns);
    else if (!nearest->is_forward && edge_ns < recorded_search->edge_ns)
        rv_search_look_into(search, nearest, edge_ns, recorded_search->edge_ns);
    recorded_search->edge_ns = edge_ns;
    if (!recorded_search->block_reader || !nearest->is_found)
        return !recorded_search->block_reader;
    return nearest->is_forward ? edge_ns > nearest->hit.place.start_ns : edge_ns <= nearest->hit.place.start_ns;
}

/* Look at the next block. False: it has not come yet. */
static bool look_at_block(struct rv_recorded_search *recorded_search, struct rv_search *search, uint64_t wait_ns)
{
    struct rv_block_reader_page page;
    switch (rv_block_reader_take(recorded_search->block_reader, wait_ns, &page)) {
    case RV_BLOCK_READER_PAGE:
        for (size_t i = 0; i < page.n_lanes; i++)
            rv_search_look_at(search, &recorded_search->nearest, page.lanes[i].lane_idx, page.lanes[i].calls);
        rv_block_reader_page_fini(&page);
        return true;
    case RV_BLOCK_READER_LATER:
        return false;
    case RV_BLOCK_READER_OVER:
        rv_block_reader_close(recorded_search->block_reader);
        recorded_search->block_reader = NULL;
        return true;
    }
    return false;
}

static void come_round(struct rv_recorded_search *recorded_search, struct rv_session *session,
                       const struct rv_search *search)
{
    recorded_search->has_come_round = true;
    recorded_search->nearest.place =
        (struct rv_search_place){recorded_search->nearest.is_forward ? 0 : UINT64_MAX, 0, 0};
    open_survey(recorded_search, session, search);
}

enum rv_recorded_search_status rv_recorded_search_go_on(struct rv_recorded_search *recorded_search,
                                                        struct rv_session *session, struct rv_search *search,
                                                        uint64_t wait_ns)
{
    uint64_t end_ns = rv_clock_mono_ns() + TURN_NS;
    do {
        if (!is_over(recorded_search, search)) {
            if (!look_at_block(recorded_search, search, wait_ns))
                break;
        } else if (recorded_search->nearest.is_found) {
            return RV_RECORDED_SEARCH_FOUND;
        } else if (recorded_search->has_come_round) {
            return RV_RECORDED_SEARCH_FAILED;
        } else {
            come_round(recorded_search, session, search);
        }
    } while (rv_clock_mono_ns() < end_ns);
    return RV_RECORDED_SEARCH_GOES_ON;
}
