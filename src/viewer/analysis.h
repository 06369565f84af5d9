/*
 * What the user asks of the trace: a search, filter rules, a selected range. No GL, no SDL. Main thread.
 */
#ifndef RV_VIEWER_ANALYSIS_H
#define RV_VIEWER_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/filter.h"
#include "model/view.h"
#include "query/hit_count.h"
#include "query/next_hit.h"
#include "query/range_job.h"
#include "query/search.h"
#include "query/waited_job.h"
#include "render/selection.h"

#define RV_ANALYSIS_TEXT_BYTES 256

struct rv_analysis_call { /* a call that the user looks into: its time on its lane is measured */
    struct rv_search_place place;
    uint32_t id;
    uint64_t duration_ns;
    struct rv_range_job measure;
};

struct rv_hit_request {            /* to go to a hit, once all calls present at the request are searched */
    int n_hits;                    /* hits to go forward; below 0: back; 0: no request */
    uint64_t generation, n_rounds; /* of the search at the request */
};

struct rv_analysis {            /* zeroed = no search, no filter, no range */
    struct rv_session *session; /* borrowed: reads blocks that are not loaded. NULL: all calls are in the lanes */
    struct rv_search search;
    char find[RV_ANALYSIS_TEXT_BYTES];      /* the search pattern; "" = none */
    char find_why[160];                     /* why the pattern is invalid; "" = it is valid */
    struct rv_search_hit hit;               /* the current one */
    bool has_hit, is_search_whole;          /* all calls so far are searched */
    bool are_lanes_searched;                /* those in the lanes are */
    const struct rv_lane_order *lane_order; /* also of blocks that are not loaded */
    uint64_t n_calls;                       /* calls in the lanes are searched */
    bool is_partial;                        /* some calls were evicted before they were searched */
    bool is_damaged;                        /* of the search; while hits are counted again, not less than before */
    struct rv_hit_request request;
    struct rv_next_hit next_hit; /* of the request */
    struct rv_waited_job waited; /* while such calls are searched for */
    struct rv_hit_count count;   /* of hits in blocks that are not loaded */
    const struct rv_filter *filter;
    char rule_why[160]; /* why the last rule was not added; "" = it was */
    struct rv_range_ns selected;
    struct rv_analysis_call call;
};

void rv_analysis_fini(struct rv_analysis *analysis);

/* Search for this from now on; "" or NULL = nothing. */
void rv_analysis_find(struct rv_analysis *analysis, const char *text);

/* Add a rule to the filter. False, with rule_why set, when it is invalid. */
bool rv_analysis_let(struct rv_analysis *analysis, const char *rule);

/*
 * Search and measure what is new: for about two milliseconds, or completely when is_whole.
 *   returns  whether the picture or a panel changes
 */
bool rv_analysis_update(struct rv_analysis *analysis, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                        bool is_whole);

/* Go to the next hit, or the one before. Requests add up. */
void rv_hit_request(struct rv_analysis *analysis, bool is_forward);

/*
 * Fulfil the request, if there is one and it is time: go to the hit after the last one, or before it, as often as was
 * requested; when there was none, from from_ns on. Past the end it comes round. Where blocks have to be read, as they come.
 *   returns  whether there is one: it is in `hit`
 */
bool rv_analysis_fulfil(struct rv_analysis *analysis, struct rv_lanes *lanes, uint64_t from_ns);

/* The same for one request, after an update of all, waiting for the blocks. */
bool rv_analysis_go(struct rv_analysis *analysis, struct rv_lanes *lanes, uint64_t from_ns, bool is_forward);

/* What views are to be made with. Borrowed. */
void rv_analysis_apply(const struct rv_analysis *analysis, struct rv_view_params *params);

/* Look into a call of this lane; NULL or a cell = into none. Does nothing when that is looked into already. */
void rv_analysis_look_into(struct rv_analysis *analysis, const struct rv_box *box, uint32_t lane_idx,
                           struct rv_lanes *lanes, struct rv_subroutines *subroutines);

/* The call among the nodes of its measured time; 0 while it is not measured. */
uint32_t rv_analysis_call_node(const struct rv_analysis *analysis);

#endif
