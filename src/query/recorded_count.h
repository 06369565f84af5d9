/* The number of search hits in blocks that are not loaded, counted by a thread of its own. Main thread. */
#ifndef RV_QUERY_RECORDED_COUNT_H
#define RV_QUERY_RECORDED_COUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "query/job_thread.h"
#include "query/search.h"
#include "pipeline/session.h"

struct rv_recorded_count { /* zeroed = none; does not move while it runs */
    bool has_begun;
    uint64_t generation;                  /* of the search then */
    struct rv_block_reader *block_reader; /* the worker's; NULL: there is nothing to read, or all is counted */
    struct rv_search *found;              /* the worker's, until it is over */
    struct rv_job_thread worker;
    atomic_uint_least64_t n_hits; /* so far */
    atomic_uint percent;
};

/* Begin a new one, when another is needed and everything is known that it takes: true, and the search has forgotten
 * what it has counted.
 */
bool rv_recorded_count_begin(struct rv_recorded_count *recorded_count, struct rv_session *session,
                             struct rv_search *search);
void rv_recorded_count_end(struct rv_recorded_count *recorded_count);

/* Add what was counted, once all is. Has it got on since it was last asked? */
bool rv_recorded_count_poll(struct rv_recorded_count *recorded_count, struct rv_search *search, bool waits);

/* Something is still to be counted: n_hits are not in the search yet. */
static inline bool rv_recorded_count_is_on(const struct rv_recorded_count *recorded_count)
{
    return recorded_count->block_reader;
}

#endif
