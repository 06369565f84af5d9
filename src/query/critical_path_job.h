/*
 * The critical path of a call or a range of time, and what it is made of, found by a separate thread. Main thread.
 */
#ifndef RV_QUERY_CRITICAL_PATH_JOB_H
#define RV_QUERY_CRITICAL_PATH_JOB_H

#include <stdbool.h>

#include "model/lanes.h"
#include "model/lit_path.h"
#include "waits/waits.h"
#include "query/job_thread.h"

#define RV_CRITICAL_PATH_MOST_STEPS ((size_t)1 << 23) /* of a path that is shown; of a longer one, the last steps are */
#define RV_CRITICAL_PATH_LAST UINT32_MAX              /* lane_idx: the thread that lasts longest in the range */

struct rv_critical_path_request {
    uint32_t lane_idx; /* of the call, or RV_CRITICAL_PATH_LAST */
    uint32_t call;     /* id of its subroutine; 0: of a range */
    uint64_t from_ns, to_ns;
};

struct rv_critical_path_part { /* stretches of the path that are alike */
    enum rv_critical_path_step_kind kind;
    bool has_wait; /* RUN: the stretch ended waits; WAIT: it was one, */
    enum rv_wait_kind wait;
    uint32_t object; /* id of the object waited for; 0: unknown */
    uint32_t call;   /* id of the call that ended the wait, or that waited; 0: unknown */
    uint64_t n_ns;
    uint32_t lane_idx; /* the longest stretch */
    uint64_t from_ns, to_ns;
};

struct rv_critical_path_found {
    struct rv_critical_path_request request;
    const struct rv_lit_path *path; /* held; NULL: nothing had begun */
    uint64_t n_ns;                  /* total of all steps */
    uint64_t run_ns, wait_ns, woken_ns;
    struct rv_critical_path_part *parts; /* most time first */
    size_t n_parts;
    uint64_t n_waits;       /* waits that there were then */
    uint64_t known_from_ns; /* not 0: the path begins here; earlier waits were not kept, or are too many */
    bool has_missed;        /* waits on the way could not be read: the true path may be another one */
};

struct rv_critical_path_job { /* zeroed = none; must not move while running */
    struct rv_job_thread thread;
    struct rv_lanes *lanes; /* the job's, until it is done */
    struct rv_waits *waits;
    struct rv_critical_path_found found;
    _Atomic uint64_t at_ns; /* how far it is; no ordering needed */
    bool is_on;
};

/* Stop a previous job and start. lanes and waits outlive the job. */
void rv_critical_path_job_start(struct rv_critical_path_job *job, struct rv_lanes *lanes, struct rv_waits *waits,
                                const struct rv_critical_path_request *request);
void rv_critical_path_job_stop(struct rv_critical_path_job *job);

void rv_critical_path_job_wait(struct rv_critical_path_job *job); /* until it is done */

/* How far it is; Any thread. */
unsigned rv_critical_path_job_percent(const struct rv_critical_path_job *job);

/* Is it further, or has it ended, since the last call? */
bool rv_critical_path_job_poll(struct rv_critical_path_job *job);

/* What was found; NULL: there is no job, or it is not done. Borrowed until it is stopped. */
const struct rv_critical_path_found *rv_critical_path_job_found(const struct rv_critical_path_job *job);

#endif
