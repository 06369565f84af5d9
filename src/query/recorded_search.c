#include "query/recorded_search.h"

#include "base/clock.h"

#define TURN_NS 1500000u /* after which no new block is begun */

static bool has_hits(const void *context, uint64_t from_ns, uint64_t to_ns)
{
    return rv_search_has_hits(context, from_ns, to_ns);
}

static void open_survey(struct rv_quest *quest, struct rv_session *session, const struct rv_search *search)
{
    uint64_t at_ns = quest->origin_ns, after_ns = at_ns < UINT64_MAX ? at_ns + 1 : at_ns;
    bool is_forward = quest->nearest.is_forward, is_behind = is_forward != quest->has_come_round;
    struct rv_survey_params params = {.from_ns = is_behind ? at_ns : 0,
                                      .to_ns = is_behind ? UINT64_MAX : after_ns,
                                      .is_backward = !is_forward,
                                      .only = &search->matches,
                                      .wants = quest->knows_hits ? has_hits : NULL,
                                      .context = search};
    quest->edge_ns = is_forward ? params.from_ns : params.to_ns;
    if (search->matches.n_matching && params.from_ns < params.to_ns)
        quest->survey = rv_session_survey(session, &params);
}

bool rv_quest_begin(struct rv_quest *quest, struct rv_session *session, const struct rv_search *search,
                    const struct rv_search_place *place, bool is_forward, bool knows_hits)
{
    struct rv_lanes *lanes = session ? rv_session_lanes(session) : NULL;
    *quest = (struct rv_quest){.knows_hits = knows_hits,
                               .origin_ns = place->start_ns,
                               .nearest = {.lanes = lanes, .place = *place, .is_forward = is_forward}};
    quest->is_on = lanes && rv_lanes_have_sums(lanes);
    if (quest->is_on)
        open_survey(quest, session, search);
    return quest->is_on;
}

void rv_quest_end(struct rv_quest *quest)
{
    rv_survey_close(quest->survey);
    *quest = (struct rv_quest){.is_on = false};
}

/* Up to where blocks that are still to come tell of nothing, the lanes tell all. Can there be a nearer one behind? */
static bool is_over(struct rv_quest *quest, struct rv_search *search)
{
    struct rv_search_quest *nearest = &quest->nearest;
    uint64_t end_ns = nearest->is_forward ? UINT64_MAX : 0;
    uint64_t edge_ns = quest->survey ? rv_survey_edge_ns(quest->survey) : end_ns;
    if (nearest->is_forward && edge_ns > quest->edge_ns)
        rv_search_look_into(search, nearest, quest->edge_ns, edge_ns);
    else if (!nearest->is_forward && edge_ns < quest->edge_ns)
        rv_search_look_into(search, nearest, edge_ns, quest->edge_ns);
    quest->edge_ns = edge_ns;
    if (!quest->survey || !nearest->is_found)
        return !quest->survey;
    return nearest->is_forward ? edge_ns > nearest->hit.place.start_ns : edge_ns <= nearest->hit.place.start_ns;
}

/* Look at the next block. False: it has not come yet. */
static bool look_at_block(struct rv_quest *quest, struct rv_search *search, uint64_t wait_ns)
{
    struct rv_survey_page page;
    switch (rv_survey_take(quest->survey, wait_ns, &page)) {
    case RV_SURVEY_PAGE:
        for (size_t i = 0; i < page.n_lanes; i++)
            rv_search_look_at(search, &quest->nearest, page.lanes[i].lane_idx, page.lanes[i].calls);
        rv_survey_page_fini(&page);
        return true;
    case RV_SURVEY_LATER:
        return false;
    case RV_SURVEY_OVER:
        rv_survey_close(quest->survey);
        quest->survey = NULL;
        return true;
    }
    return false;
}

static void come_round(struct rv_quest *quest, struct rv_session *session, const struct rv_search *search)
{
    quest->has_come_round = true;
    quest->nearest.place = (struct rv_search_place){quest->nearest.is_forward ? 0 : UINT64_MAX, 0, 0};
    open_survey(quest, session, search);
}

enum rv_quest_status rv_quest_go_on(struct rv_quest *quest, struct rv_session *session, struct rv_search *search,
                                    uint64_t wait_ns)
{
    uint64_t end_ns = rv_clock_mono_ns() + TURN_NS;
    do {
        if (!is_over(quest, search)) {
            if (!look_at_block(quest, search, wait_ns))
                break;
        } else if (quest->nearest.is_found) {
            return RV_QUEST_FOUND;
        } else if (quest->has_come_round) {
            return RV_QUEST_FAILED;
        } else {
            come_round(quest, session, search);
        }
    } while (rv_clock_mono_ns() < end_ns);
    return RV_QUEST_GOES_ON;
}
