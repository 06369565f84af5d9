/* The calls of a list in the order of a column, sorted by a separate thread. Main thread. */
#ifndef RV_QUERY_CALL_ORDER_JOB_H
#define RV_QUERY_CALL_ORDER_JOB_H

#include <stdbool.h>

#include "model/call_list.h"
#include "model/lanes.h"
#include "query/job_thread.h"

struct rv_call_order_job { /* zeroed = none; must not move while running */
    const struct rv_call_list *list;
    enum rv_call_column column;
    bool is_descending;
    uint32_t *thread_ranks; /* by lane_idx */
    uint32_t *order;        /* places in the list; NULL until done */
    struct rv_job_thread thread;
};

/* Stop a previous job and start. The list is finished and outlives the job. */
void rv_call_order_job_start(struct rv_call_order_job *job, const struct rv_call_list *list,
                             const struct rv_lanes *lanes, enum rv_call_column column, bool is_descending);
void rv_call_order_job_stop(struct rv_call_order_job *job);

/* The order, for free(), once done; else NULL. */
uint32_t *rv_call_order_job_take(struct rv_call_order_job *job);

#endif
