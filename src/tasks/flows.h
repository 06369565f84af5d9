/*
 * Steps of flows and tasks, as programs tell them (ringviz/producer.h). Writers are the pipeline's workers; readers any
 * thread. The first RV_FLOWS_MOST are kept, those beyond are counted.
 */
#ifndef RV_TASKS_FLOWS_H
#define RV_TASKS_FLOWS_H

#include <stddef.h>
#include <stdint.h>

#include "ringviz/wire.h"

#define RV_FLOWS_MOST (1u << 20)
#define RV_FLOWS_NONE SIZE_MAX

struct rv_flow_step {
    uint64_t at_ns;
    uint64_t until_ns; /* of a task: when its thread left it; UINT64_MAX: not yet. Else at_ns */
    uint64_t id;       /* of the flow or task */
    uint32_t name;     /* id of its name; 0: none, as of a task that goes on */
    uint32_t lane;     /* its index, as rv_lanes_get() takes it */
    uint32_t call;     /* id of the innermost call; 0: none */
    enum rv_step_kind kind;
};

struct rv_flows;
struct rv_flows *rv_flows_create(void);
void rv_flows_destroy(struct rv_flows *flows); /* NULL-safe */

/* Add a step. Returns its number; RV_FLOWS_NONE: it is not kept. */
size_t rv_flows_add(struct rv_flows *flows, const struct rv_flow_step *step);

/* The thread has left the task of this step. RV_FLOWS_NONE is ignored. */
void rv_flows_leave(struct rv_flows *flows, size_t number, uint64_t at_ns);

/* How many steps were kept so far. */
size_t rv_flows_n(struct rv_flows *flows);

/*
 * Those, in the order in which they came: of one lane by time.
 *   n_more   steps that were not kept
 *   returns  the steps, for the caller to free
 */
struct rv_flow_step *rv_flows_take(struct rv_flows *flows, size_t *n, uint64_t *n_more);

#endif
