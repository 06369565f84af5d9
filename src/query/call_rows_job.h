/*
 * The rows of a view of calls, made by a separate thread: chosen from a list of calls, with those callees that are in
 * blocks which are not loaded. Main thread.
 */
#ifndef RV_QUERY_CALL_ROWS_JOB_H
#define RV_QUERY_CALL_ROWS_JOB_H

#include <stdatomic.h>

#include "query/call_rows.h"
#include "model/lanes.h"
#include "query/job_thread.h"

struct rv_session;

struct rv_call_rows_job { /* zeroed = none; must not move while running */
    struct rv_lanes *lanes;
    struct rv_session *session;
    struct rv_call_rows *rows; /* until they are taken */
    atomic_size_t n_done;      /* rows */
    struct rv_job_thread thread;
};

struct rv_call_rows_job_params {
    const struct rv_call_list *list; /* finished; read before this returns */
    uint32_t id;                     /* of the subroutine */
    bool is_by_time;
    struct rv_lanes *lanes;     /* outlive the job */
    struct rv_session *session; /* likewise; reads blocks that are not loaded. NULL: none */
};

/* Stop a previous job and start. */
void rv_call_rows_job_start(struct rv_call_rows_job *job, const struct rv_call_rows_job_params *params);
void rv_call_rows_job_stop(struct rv_call_rows_job *job);
void rv_call_rows_job_wait(struct rv_call_rows_job *job); /* until it is done */

/* Has it progressed since the last call? */
bool rv_call_rows_job_poll(struct rv_call_rows_job *job);

double rv_call_rows_job_progress(const struct rv_call_rows_job *job); /* 0..1 */

/* The rows, for rv_call_rows_release(), once done; else NULL. */
struct rv_call_rows *rv_call_rows_job_take(struct rv_call_rows_job *job);

#endif
