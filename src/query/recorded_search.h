/*
 * The nearest search hit in blocks that are not loaded: from a place outward, in the lanes and in the blocks, until no
 * block that is left can hold a nearer one. Past the end it starts again at the other end. Main thread; waits only where
 * that is asked.
 */
#ifndef RV_QUERY_RECORDED_SEARCH_H
#define RV_QUERY_RECORDED_SEARCH_H

#include <stdbool.h>

#include "query/search.h"
#include "pipeline/session.h"

struct rv_recorded_search { /* zeroed = none */
    bool is_on, has_come_round;
    bool knows_hits; /* the search has counted all there are: blocks without any are passed over */
    uint64_t origin_ns;
    struct rv_search_quest nearest;
    uint64_t edge_ns;                     /* what starts on this side was looked at */
    struct rv_block_reader *block_reader; /* NULL: no block is left */
};

enum rv_recorded_search_status { RV_RECORDED_SEARCH_GOES_ON, RV_RECORDED_SEARCH_FOUND, RV_RECORDED_SEARCH_FAILED };

/* false, and it is not on: all calls are in the lanes, where rv_search_next() finds them. */
bool rv_recorded_search_begin(struct rv_recorded_search *recorded_search, struct rv_session *session,
                              const struct rv_search *search, const struct rv_search_place *place, bool is_forward,
                              bool knows_hits);
void rv_recorded_search_end(struct rv_recorded_search *recorded_search);

/*
 * Get on, for about a millisecond and a half; the hit is in `nearest`. One that is over has to be ended.
 *   wait_ns  for a block that has not come yet, at most
 */
enum rv_recorded_search_status rv_recorded_search_go_on(struct rv_recorded_search *recorded_search,
                                                        struct rv_session *session, struct rv_search *search,
                                                        uint64_t wait_ns);

#endif
