/* A tree of calls, made by a separate thread of a measured range. Main thread. */
#ifndef RV_QUERY_CALL_TREE_JOB_H
#define RV_QUERY_CALL_TREE_JOB_H

#include "model/call_tree.h"
#include "query/job_thread.h"

struct rv_call_tree_job { /* zeroed = none; must not move while running */
    const struct rv_range_statistics *range;
    enum rv_call_tree_kind kind;
    uint32_t id;
    struct rv_call_tree tree; /* complete once done */
    bool is_on;               /* started */
    struct rv_job_thread thread;
};

/* Stop a previous job and start. The range is complete and outlives the job's work. */
void rv_call_tree_job_start(struct rv_call_tree_job *job, const struct rv_range_statistics *range,
                            enum rv_call_tree_kind kind, uint32_t id);

/* Wait for the end of the work; _stop also forgets the tree. */
void rv_call_tree_job_wait(struct rv_call_tree_job *job);
void rv_call_tree_job_stop(struct rv_call_tree_job *job);

/* Has it ended since the last call? */
bool rv_call_tree_job_poll(struct rv_call_tree_job *job);

static inline bool rv_call_tree_job_is_done(const struct rv_call_tree_job *job)
{
    return job->is_on && !job->thread.is_running;
}

#endif
