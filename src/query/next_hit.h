/*
 * The nearest search hit from a place outward, in the lanes and in blocks that are not loaded, until nothing that is
 * left can hold a nearer one. Past the end it starts again at the other end. Where exact spans were evicted, cells stand
 * for them: a cell is a hit when the subroutine that has most of it is. Main thread; waits only where that is asked.
 */
#ifndef RV_QUERY_NEXT_HIT_H
#define RV_QUERY_NEXT_HIT_H

#include <stdbool.h>

#include "pipeline/session.h"
#include "query/search.h"

struct rv_search_place { /* order of hits: by start, then lane as rv_lane_compare() has it, then depth */
    uint64_t start_ns;
    uint32_t lane_idx, depth;
};

struct rv_search_hit {
    struct rv_search_place place;
    struct rv_box box;
};

struct rv_next_hit { /* zeroed = none */
    bool is_on, has_come_round;
    bool knows_hits; /* the search has counted all there are: blocks without any are passed over */
    bool is_forward, is_found;
    struct rv_session *session; /* borrowed; NULL = all calls are in the lanes */
    struct rv_lanes *lanes;     /* borrowed */
    struct rv_search_place place;
    uint64_t origin_ns;       /* of the first place */
    struct rv_search_hit hit; /* the nearest so far */
    struct rv_span_reader *reader;
};

struct rv_next_hit_params {
    struct rv_session *session;
    struct rv_lanes *lanes;
    struct rv_search_place place; /* the first hit after it, or the last one before it */
    bool is_forward, knows_hits;
};

/* One that is on has to be ended first. */
void rv_next_hit_begin(struct rv_next_hit *next, const struct rv_search *search,
                       const struct rv_next_hit_params *params);
void rv_next_hit_end(struct rv_next_hit *next);

enum rv_next_hit_status { RV_NEXT_HIT_GOES_ON, RV_NEXT_HIT_FOUND, RV_NEXT_HIT_FAILED };

/*
 * Get on: lanes, of what rv_search_update() has looked at, take microseconds, but for a few nanoseconds per call in
 * columns with hits that are passed over; after a millisecond and a half no new block is begun. The hit is in `hit`. One
 * that is over has to be ended.
 *   wait_ns  for a block that has not come yet, at most
 */
enum rv_next_hit_status rv_next_hit_go_on(struct rv_next_hit *next, struct rv_search *search, uint64_t wait_ns);

#endif
