/* The number of search hits in blocks that are not loaded, counted by a thread of its own. Main thread. */
#ifndef RV_QUERY_HIT_COUNT_H
#define RV_QUERY_HIT_COUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "query/job_thread.h"
#include "query/search.h"
#include "pipeline/session.h"

struct rv_hit_count { /* zeroed = none; does not move while it runs */
    bool has_begun;
    uint64_t generation;           /* of the search then */
    struct rv_span_reader *reader; /* the job's; NULL: there is nothing to read, or all is counted */
    struct rv_search *found;       /* the job's, until it is over */
    struct rv_job_thread job;
    atomic_uint_least64_t n_hits; /* so far */
    atomic_uint percent;
};

/* Begin a new one, when another is needed and everything is known that it takes: true, and the search has forgotten
 * what it has counted.
 */
bool rv_hit_count_begin(struct rv_hit_count *count, struct rv_session *session, struct rv_search *search);
void rv_hit_count_end(struct rv_hit_count *count);

/* Add what was counted, once all is. Has it got on since it was last asked? */
bool rv_hit_count_poll(struct rv_hit_count *count, struct rv_search *search, bool waits);

/* Something is still to be counted: n_hits are not in the search yet. */
static inline bool rv_hit_count_is_on(const struct rv_hit_count *count)
{
    return count->reader;
}

#endif
