/* The number of search hits in blocks that are not loaded, counted by a separate thread. Main thread. */
#ifndef RV_QUERY_HIT_COUNT_JOB_H
#define RV_QUERY_HIT_COUNT_JOB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "query/job_thread.h"
#include "query/search.h"
#include "pipeline/session.h"

struct rv_hit_count_job { /* zeroed = none; must not move while running */
    bool has_begun;
    uint64_t generation;           /* the search's generation at the start */
    struct rv_span_reader *reader; /* the job's; NULL: nothing to read, or done */
    struct rv_lanes *lanes;        /* the session's */
    struct rv_search *found;       /* the job's, until it ends */
    struct rv_job_thread job;
    atomic_uint_least64_t n_hits; /* so far */
    atomic_uint percent;
    atomic_bool is_damaged; /* calls of damaged blocks are not counted */
};

/* Start a new count if needed and possible: true, and the search's count was reset. */
bool rv_hit_count_job_begin(struct rv_hit_count_job *count, struct rv_session *session, struct rv_search *search);
void rv_hit_count_job_end(struct rv_hit_count_job *count);

/* Add the count to the search once complete. Returns whether there was progress since the last call. */
bool rv_hit_count_job_poll(struct rv_hit_count_job *count, struct rv_search *search, bool waits);

/* Is the count incomplete? Then n_hits are not in the search yet. */
static inline bool rv_hit_count_job_is_on(const struct rv_hit_count_job *count)
{
    return count->reader;
}

#endif
