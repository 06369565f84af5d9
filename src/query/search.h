/*
 * Search: which calls are of subroutines that a pattern has, and when there were how many; query/next_hit.h goes from
 * one to the next.
 *
 * Every span is looked at once, as it comes, and counted in a grid of columns of time that grow wider as the trace
 * grows longer. One thread at a time.
 */
#ifndef RV_QUERY_SEARCH_H
#define RV_QUERY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/lanes.h"
#include "model/name_set.h"
#include "model/span_iter.h"

#define RV_SEARCH_COLUMNS 4096u

struct rv_search { /* zeroed = no search; a copy is not one */
    struct rv_regex pattern;
    struct rv_name_set matches;
    bool is_on;
    uint64_t generation;        /* of the set that the counts are of */
    struct rv_span_iter *walks; /* by lane */
    size_t n_walks, walks_capacity;
    size_t next_lane;  /* where looking goes on */
    uint64_t n_rounds; /* how often all lanes were looked through, one after the other, to what was their end then */
    bool is_named;     /* all subroutines known at the last update were looked at */
    uint64_t n_hits;   /* finished calls seen that match */
    uint32_t shift;    /* a column is 2^shift ns */
    uint64_t first_column, n_columns;
    uint32_t counts[RV_SEARCH_COLUMNS]; /* hits that start in a column */
    struct rv_box *boxes;               /* scratch */
    size_t boxes_capacity;
};

/* Search for a pattern from now on. 0, or -EINVAL with the reason in `why` and no search. */
int rv_search_start(struct rv_search *search, const char *text, char *why, size_t why_bytes);
void rv_search_stop(struct rv_search *search);

/*
 * Look at new subroutines and new calls, lane after lane, from where the last update ended. What there was at one time
 * has been looked at when the search is named and two more rounds have ended, in one generation.
 *   most     calls to look at now, about 5 ns each, and 1 for 64 as many names
 *   returns  whether everything that there is was looked at
 */
bool rv_search_update(struct rv_search *search, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                      size_t most);

/* Calls that match, those still open included. Some were evicted before they were looked at when *is_partial. */
uint64_t rv_search_n_calls(const struct rv_search *search, struct rv_lanes *lanes, bool *is_partial);

/*
 * Of a summarized recording an update looks at what the lanes have of it. The rest is added: each call once,
 * after a restart, which forgets what was counted.
 */
void rv_search_restart(struct rv_search *search);
void rv_search_add(struct rv_search *search, const struct rv_timeline *calls);

/* Add what another one has counted. */
void rv_search_merge(struct rv_search *search, const struct rv_search *other);

/* Does a hit that was counted begin at about that time? */
bool rv_search_has_hits(const struct rv_search *search, uint64_t from_ns, uint64_t to_ns);

/* Hits that start in each of n equal parts of [from, to). A column is counted where its middle lies. */
void rv_search_hits(const struct rv_search *search, uint64_t from_ns, uint64_t to_ns, uint32_t *out, size_t n);

#endif
