/*
 * The way to a hit of a recording that is told in sum: from a place outward, through what the lanes have and through
 * the blocks, until none that is left can hold a nearer one; past the end it comes round. Main thread; waits only when
 * told to.
 */
#ifndef RV_QUERY_RECORDED_SEARCH_H
#define RV_QUERY_RECORDED_SEARCH_H

#include <stdbool.h>

#include "query/search.h"
#include "pipeline/session.h"

struct rv_quest { /* zeroed = none */
    bool is_on, has_come_round;
    bool knows_hits; /* the search has counted all there are: blocks without any are passed over */
    uint64_t origin_ns;
    struct rv_search_quest nearest;
    uint64_t edge_ns;         /* what starts on this side was looked at */
    struct rv_survey *survey; /* NULL: no block is left */
};

enum rv_quest_status { RV_QUEST_GOES_ON, RV_QUEST_FOUND, RV_QUEST_FAILED };

/* false, and it is not on: all calls are in the lanes, where rv_search_next() finds them. */
bool rv_quest_begin(struct rv_quest *quest, struct rv_session *session, const struct rv_search *search,
                    const struct rv_search_place *place, bool is_forward, bool knows_hits);
void rv_quest_end(struct rv_quest *quest);

/*
 * Get on, for about a millisecond and a half; the hit is in `nearest`. One that is over has to be ended.
 *   wait_ns  for a block that has not come yet, at most
 */
enum rv_quest_status rv_quest_go_on(struct rv_quest *quest, struct rv_session *session, struct rv_search *search,
                                    uint64_t wait_ns);

#endif
