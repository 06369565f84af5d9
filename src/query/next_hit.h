/*
 * Finds the nearest search hit from a place, in the lanes and in blocks that are not loaded, until nothing left can
 * have a nearer one. Wraps around at the end. Where exact spans were evicted, cells are used: a cell is a hit when its
 * majority subroutine is. Main thread; waits only if told so by wait_ns.
 */
#ifndef RV_QUERY_NEXT_HIT_H
#define RV_QUERY_NEXT_HIT_H

#include <stdbool.h>

#include "model/lane_choices.h"
#include "pipeline/session.h"
#include "query/search.h"

struct rv_search_place { /* order of hits: by start, then lane by rv_lane_compare(), then depth */
    uint64_t start_ns;
    uint32_t lane_idx, depth;
};

struct rv_search_hit {
    struct rv_search_place place;
    struct rv_box box;
};

struct rv_next_hit { /* zeroed = none */
    bool is_on, has_come_round;
    bool knows_hits; /* the search has counted all hits: blocks without any are skipped */
    bool is_forward, is_found;
    const struct rv_lane_choices *lane_order; /* borrowed; NULL = all lanes are shown */
    struct rv_session *session;               /* borrowed; NULL = all calls are in the lanes */
    struct rv_lanes *lanes;                   /* borrowed */
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
    const struct rv_lane_choices *lane_order; /* hits that it hides are no hits; NULL = none is hidden */
};

/* End a previous one first. */
void rv_next_hit_begin(struct rv_next_hit *next, const struct rv_search *search,
                       const struct rv_next_hit_params *params);
void rv_next_hit_end(struct rv_next_hit *next);

enum rv_next_hit_status { RV_NEXT_HIT_GOES_ON, RV_NEXT_HIT_FOUND, RV_NEXT_HIT_FAILED };

/*
 * Continue: a search of the lanes (up to rv_search_update()'s progress) takes microseconds, plus some ns per call in
 * skipped columns with hits; after 1.5 ms no new block is started. The hit is in `hit`. End it when it is over.
 *   wait_ns  longest wait for a block
 */
enum rv_next_hit_status rv_next_hit_go_on(struct rv_next_hit *next, struct rv_search *search, uint64_t wait_ns);

#endif
