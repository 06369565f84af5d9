/*
 * The flows and tasks that steps make: each is the steps of one id from its begin to its end, by time. Immutable and
 * shared: the window and the threads that work for it hold the same one.
 */
#ifndef RV_TASKS_FLOW_TABLE_H
#define RV_TASKS_FLOW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/lanes.h"
#include "tasks/flows.h"

#define RV_FLOW_TABLE_NONE UINT32_MAX

struct rv_flow { /* or task */
    uint64_t id;
    uint32_t name; /* 0: none, as of a task whose begin is unknown */
    bool is_task, has_begin, has_end;
    uint64_t begin_ns, end_ns; /* of the first and last step, ended or not */
    uint64_t on_ns;            /* of a task: total time of its turns */
    size_t first, n;           /* its steps, in the table */
};

struct rv_flow_table {
    struct rv_flow_step *steps; /* flow by flow */
    size_t n_steps;
    struct rv_flow *flows; /* by name, then id and time; tasks behind flows, by process, id and time */
    size_t n_flows;
    uint32_t *by_begin, *by_length; /* numbers of the flows: by begin; the longest first, then by begin */
    uint32_t *by_time;              /* numbers of the steps of all lanes, by lane and time */
    uint32_t
        *turn_at; /* of each place in by_time: the last turn of a task in the lane by then; RV_FLOW_TABLE_NONE: none */
    uint32_t *flow_of; /* by step: its flow */
    uint64_t n_more;   /* steps that were not kept */
};

/* Make a table of the steps so far, whose lanes are in `lanes`. Returns it held. */
const struct rv_flow_table *rv_flow_table_create(struct rv_flows *flows, const struct rv_lanes *lanes);

/* Hold it, to be released. NULL-safe. Any thread. Returns it. */
const struct rv_flow_table *rv_flow_table_hold(const struct rv_flow_table *table);
void rv_flow_table_release(const struct rv_flow_table *table);

/* The place in by_time of the first step of a lane at a time or later; it may be another lane's, or n_steps. */
size_t rv_flow_table_find(const struct rv_flow_table *table, uint32_t lane, uint64_t at_ns);

/* The current task of a lane's thread at a time; NULL: none. */
const struct rv_flow *rv_flow_table_task(const struct rv_flow_table *table, uint32_t lane, uint64_t at_ns);

#endif
