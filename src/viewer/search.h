/*
 * The search: its pattern, hits so far, and the one that was gone to; only calls that pass the filter are hits. No GL,
 * no SDL. Main thread.
 */
#ifndef RV_VIEWER_SEARCH_H
#define RV_VIEWER_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/filter.h"
#include "model/view.h"
#include "query/hit_count_job.h"
#include "query/next_hit.h"
#include "query/search.h"
#include "query/waited_job.h"
#include "ui/action.h"

#define RV_SEARCH_TEXT_BYTES 256

struct rv_viewer;

struct rv_hit_request {            /* to go to a hit, once all calls present at the request are searched */
    int n_hits;                    /* hits to go forward; below 0: back; 0: no request */
    uint64_t generation, n_rounds; /* of the search at the request */
};

struct rv_viewer_search {       /* zeroed = no search, no filter */
    struct rv_session *session; /* borrowed: reads blocks that are not loaded. NULL: all calls are in the lanes */
    struct rv_search search;
    char find[RV_SEARCH_TEXT_BYTES];          /* the search pattern; "" = none */
    char find_why[160];                       /* why the pattern is invalid; "" = it is valid */
    struct rv_search_hit hit;                 /* the current one */
    bool has_hit, is_search_whole;            /* all calls so far are searched */
    bool are_lanes_searched;                  /* those in the lanes are */
    const struct rv_lane_choices *lane_order; /* also of blocks that are not loaded */
    uint64_t n_calls;                         /* calls in the lanes are searched */
    bool is_partial;                          /* some calls were evicted before they were searched */
    bool is_damaged;                          /* of the search; while hits are counted again, not less than before */
    struct rv_hit_request request;
    struct rv_next_hit next_hit;   /* of the request */
    struct rv_waited_job waited;   /* while such calls are searched for */
    struct rv_hit_count_job count; /* of hits in blocks that are not loaded */
    const struct rv_filter *filter;
    char rule_why[160]; /* why the last rule was not added; "" = it was */
};

void rv_viewer_search_fini(struct rv_viewer_search *state);

/* Search for this from now on; "" or NULL = nothing. */
void rv_viewer_search_find(struct rv_viewer_search *state, const char *text);

/*
 * Search what is new: for about two milliseconds, or completely when is_whole.
 *   returns  whether the picture or a panel changes
 */
bool rv_viewer_search_update(struct rv_viewer_search *state, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                             bool is_whole);

/* Go to the next hit, or the one before. Requests add up. */
void rv_viewer_search_request(struct rv_viewer_search *state, bool is_forward);

/*
 * Fulfil the request, if there is one and it is time: go to the hit after the last one, or before it, as often as was
 * requested; when there was none, from from_ns on. Past the end it comes round. Where blocks have to be read, as they
 * come.
 *   returns  whether there is one: it is in `hit`
 */
bool rv_viewer_search_fulfil(struct rv_viewer_search *state, struct rv_lanes *lanes, uint64_t from_ns);

/* The same for one request, after an update of all, waiting for the blocks. */
bool rv_viewer_search_go(struct rv_viewer_search *state, struct rv_lanes *lanes, uint64_t from_ns, bool is_forward);

/* What views are to be made with. Borrowed. */
void rv_viewer_search_apply(const struct rv_viewer_search *state, struct rv_view_params *params);

/* Perform an action of searching; false for other actions. */
bool rv_viewer_search_act(struct rv_viewer *viewer, const struct rv_act *act);

/* Go to a requested hit once it is known. Call after each update. */
void rv_viewer_search_go_on(struct rv_viewer *viewer);

/* End the search; false when there was none. */
bool rv_viewer_search_end(struct rv_viewer *viewer);

#endif
