/*
 * Search: counts the calls of subroutines that match a pattern, or whose arguments do, or that waited for an object
 * whose name does, and pass a filter, over time; query/next_hit.h finds the next one.
 *
 * Every span is visited once, as it comes, and counted in a grid of time columns, which widen as the trace grows. One
 * thread at a time.
 */
#ifndef RV_QUERY_SEARCH_H
#define RV_QUERY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/filter.h"
#include "model/lanes.h"
#include "model/name_set.h"
#include "model/span_iter.h"
#include "model/waited_calls.h"

#define RV_SEARCH_COLUMNS 4096u

struct rv_search { /* zeroed = no search; not copyable */
    struct rv_regex pattern;
    struct rv_name_set matches;           /* of names of subroutines, or with is_for_waits of objects */
    bool is_for_waits;                    /* the text was "wait:REGEX": calls that waited for these, */
    const struct rv_waited_calls *waited; /* of these; held; NULL: not known */
    const struct rv_filter *arguments;    /* held: the text was "arg:REGEX"; else NULL */
    bool is_on;
    const struct rv_filter *filter; /* held; NULL = all pass */
    uint64_t n_filters;             /* number of filters so far */
    uint64_t generation;            /* of the matching names and the filter, as counted */
    struct rv_span_iter *walks;     /* by lane */
    size_t n_walks, walks_capacity;
    size_t next_lane;  /* the lane to continue with */
    uint64_t n_rounds; /* number of complete rounds over all lanes */
    bool is_named;     /* all subroutines known at the last update were matched */
    uint64_t n_hits;   /* matching finished calls */
    uint32_t shift;    /* a column is 2^shift ns */
    uint64_t first_column, n_columns;
    uint32_t counts[RV_SEARCH_COLUMNS]; /* hits that start in a column */
    struct rv_box *boxes;               /* scratch */
    size_t boxes_capacity;
};

/* Start a search for REGEX, "wait:REGEX", or "arg:REGEX" (model/filter.h). 0, or -EINVAL with the reason in `why` and
 * no search. */
int rv_search_start(struct rv_search *search, const char *text, char *why, size_t why_bytes);
void rv_search_stop(struct rv_search *search);

/* Set the calls that waited; then all is counted again. */
void rv_search_set_waited(struct rv_search *search, const struct rv_waited_calls *waited);

/* Set the filter; then all is counted again. Returns whether it is another one. */
bool rv_search_obey(struct rv_search *search, const struct rv_filter *filter);

/* Is the call a hit? The thread must pass besides. */
static inline bool rv_search_is_hit(const struct rv_search *search, const struct rv_lane *lane,
                                    const struct rv_box *box)
{
    const bool is_found = search->arguments      ? rv_filter_passes_box(search->arguments, lane, box)
                          : search->is_for_waits ? rv_waited_calls_has(search->waited, lane->idx, box, &search->matches)
                                                 : rv_name_set_has(&search->matches, box->id);
    return is_found && rv_filter_passes_box(search->filter, lane, box);
}

/* Can there be hits at all? */
static inline bool rv_search_has_any(const struct rv_search *search)
{
    return search->arguments || search->matches.n_matching;
}

/* The subroutines that hits are calls of; NULL: any. */
static inline const struct rv_name_set *rv_search_only(const struct rv_search *search)
{
    return search->arguments || search->is_for_waits ? NULL : &search->matches;
}

/* Takes the lane's lock. */
bool rv_search_passes_lane(const struct rv_search *search, struct rv_lane *lane);

/*
 * Visit new subroutines and new calls, lane after lane, continuing the last update. Everything that existed at some
 * time has been searched when the search is named and two more rounds have ended in one generation.
 *   most     calls to visit now, about 5 ns each, and 1/64 as many names
 *   returns  whether everything was searched
 */
bool rv_search_update(struct rv_search *search, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                      size_t most);

/* Number of matching calls, with open ones. *is_partial: some were evicted before they were searched. */
uint64_t rv_search_n_calls(const struct rv_search *search, struct rv_lanes *lanes, bool *is_partial);

/*
 * In a recording opened by its index, an update only searches the calls in the lanes; others are added by
 * rv_search_merge(). Restart: reset the count, so that each call is counted once.
 */
void rv_search_restart(struct rv_search *search);
void rv_search_pass(struct rv_search *search, const struct rv_lanes *lanes, uint32_t lane_idx,
                    uint64_t paged_before_ns); /* after it: rv_span_iter_pass() */
void rv_search_add(struct rv_search *search, const struct rv_timeline *calls, struct rv_lane *lane);

/* Add the counts of another search. */
void rv_search_merge(struct rv_search *search, const struct rv_search *other);

/* Does a counted hit begin in about [from, to)? */
bool rv_search_has_hits(const struct rv_search *search, uint64_t from_ns, uint64_t to_ns);

/* Hits that start in each of n equal parts of [from, to). A column counts in the part of its middle. */
void rv_search_hits(const struct rv_search *search, uint64_t from_ns, uint64_t to_ns, uint32_t *out, size_t n);

#endif
