/* Holders are counted; the last one to release it frees it: FT1 -> FT2. */
#include "tasks/flow_table.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/vec.h"

struct shared_table {
    struct rv_flow_table table; /* first */
    atomic_uint n_holders;
};

static bool is_of_task(enum rv_step_kind kind)
{
    return kind >= RV_STEP_TASK_BEGIN;
}

static bool is_begin(enum rv_step_kind kind)
{
    return kind == RV_STEP_FLOW_BEGIN || kind == RV_STEP_TASK_BEGIN;
}

static bool is_end(enum rv_step_kind kind)
{
    return kind == RV_STEP_FLOW_END || kind == RV_STEP_TASK_END;
}

/* ---- order ---- */

struct place { /* of a step: equal scope and id are one flow or task after the other */
    uint64_t scope, id, at_ns;
    size_t number;
    bool is_task;
};

static struct place place_of(const struct rv_flow_step *step, size_t number, const struct rv_lanes *lanes)
{
    const bool is_task = is_of_task(step->kind);
    return (struct place){.scope = is_task ? rv_lanes_get(lanes, step->lane)->process_key : step->name,
                          .id = step->id,
                          .at_ns = step->at_ns,
                          .number = number,
                          .is_task = is_task};
}

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->is_task != y->is_task)
        return x->is_task ? 1 : -1;
    if (x->scope != y->scope)
        return x->scope < y->scope ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static bool is_same(const struct place *a, const struct place *b)
{
    return a->is_task == b->is_task && a->scope == b->scope && a->id == b->id;
}

/* ---- flows ---- */

static struct rv_flow *begin_flow(struct rv_flow_table *table, size_t *capacity, const struct rv_flow_step *step)
{
    table->flows = rv_vec_reserve(table->flows, capacity, table->n_flows + 1, sizeof *table->flows);
    struct rv_flow *flow = &table->flows[table->n_flows++];
    *flow = (struct rv_flow){.id = step->id,
                             .name = step->name,
                             .is_task = is_of_task(step->kind),
                             .has_begin = is_begin(step->kind),
                             .begin_ns = step->at_ns,
                             .first = (size_t)(step - table->steps)};
    return flow;
}

static void add_step(struct rv_flow *flow, const struct rv_flow_step *step)
{
    const uint64_t until_ns = step->until_ns == UINT64_MAX ? step->at_ns : step->until_ns;
    flow->n++;
    flow->has_end = is_end(step->kind);
    flow->end_ns = until_ns > flow->end_ns ? until_ns : flow->end_ns;
    flow->on_ns += until_ns - step->at_ns;
}

/* An id may be used again after its end, and is where it begins again. */
static void cut(struct rv_flow_table *table, const struct place *places)
{
    struct rv_flow *flow = NULL;
    size_t capacity = 0;
    table->flow_of = rv_alloc_scratch(table->n_steps + 1, sizeof *table->flow_of);
    for (size_t i = 0; i < table->n_steps; i++) {
        const struct rv_flow_step *step = &table->steps[i];
        if (!flow || flow->has_end || is_begin(step->kind) || !is_same(&places[i - 1], &places[i]))
            flow = begin_flow(table, &capacity, step);
        add_step(flow, step);
        table->flow_of[i] = (uint32_t)table->n_flows - 1;
    }
}

/* ---- flows in other orders ---- */

struct flow_place {
    uint64_t begin_ns, length_ns;
    uint32_t number;
};

static int by_begin(const void *a, const void *b)
{
    const struct flow_place *x = a, *y = b;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_length(const void *a, const void *b)
{
    const struct flow_place *x = a, *y = b;
    if (x->length_ns != y->length_ns)
        return x->length_ns > y->length_ns ? -1 : 1;
    return by_begin(a, b);
}

static uint32_t *sort_flows(struct flow_place *places, size_t n, int (*order)(const void *, const void *))
{
    uint32_t *numbers = rv_alloc_scratch(n + 1, sizeof *numbers);
    qsort(places, n, sizeof *places, order);
    for (size_t i = 0; i < n; i++)
        numbers[i] = places[i].number;
    return numbers;
}

static void list_flows(struct rv_flow_table *table)
{
    struct flow_place *places = rv_alloc_scratch(table->n_flows + 1, sizeof *places);
    for (size_t i = 0; i < table->n_flows; i++) {
        const struct rv_flow *flow = &table->flows[i];
        places[i] = (struct flow_place){flow->begin_ns, flow->end_ns - flow->begin_ns, (uint32_t)i};
    }
    table->by_begin = sort_flows(places, table->n_flows, by_begin);
    table->by_length = sort_flows(places, table->n_flows, by_length);
    free(places);
}

/* ---- by lane ---- */

struct lane_step {
    uint64_t at_ns;
    uint32_t lane, number;
};

static int compare_in_lanes(const void *a, const void *b)
{
    const struct lane_step *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void list_by_time(struct rv_flow_table *table)
{
    struct lane_step *sorted = rv_alloc_scratch(table->n_steps + 1, sizeof *sorted);
    for (size_t i = 0; i < table->n_steps; i++)
        sorted[i] = (struct lane_step){table->steps[i].at_ns, table->steps[i].lane, (uint32_t)i};
    qsort(sorted, table->n_steps, sizeof *sorted, compare_in_lanes);
    table->by_time = rv_alloc_scratch(table->n_steps + 1, sizeof *table->by_time);
    for (size_t i = 0; i < table->n_steps; i++)
        table->by_time[i] = sorted[i].number;
    free(sorted);
}

static void list_turns(struct rv_flow_table *table)
{
    uint32_t last = RV_FLOW_TABLE_NONE;
    table->turn_at = rv_alloc_scratch(table->n_steps + 1, sizeof *table->turn_at);
    for (size_t i = 0; i < table->n_steps; i++) {
        const struct rv_flow_step *step = &table->steps[table->by_time[i]];
        if (last != RV_FLOW_TABLE_NONE && table->steps[last].lane != step->lane)
            last = RV_FLOW_TABLE_NONE;
        if (step->kind == RV_STEP_TASK_BEGIN || step->kind == RV_STEP_TASK_SWITCH)
            last = table->by_time[i];
        table->turn_at[i] = last;
    }
}

size_t rv_flow_table_find(const struct rv_flow_table *table, uint32_t lane, uint64_t at_ns)
{
    size_t from = 0, to = table->n_steps;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const struct rv_flow_step *step = &table->steps[table->by_time[middle]];
        if (step->lane < lane || (step->lane == lane && step->at_ns < at_ns))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

const struct rv_flow *rv_flow_table_task(const struct rv_flow_table *table, uint32_t lane, uint64_t at_ns)
{
    const size_t n_before = rv_flow_table_find(table, lane, at_ns + 1);
    const uint32_t turn = n_before ? table->turn_at[n_before - 1] : RV_FLOW_TABLE_NONE;
    if (turn == RV_FLOW_TABLE_NONE || table->steps[turn].lane != lane || table->steps[turn].until_ns <= at_ns)
        return NULL;
    return &table->flows[table->flow_of[turn]];
}

/* ---- the table ---- */

const struct rv_flow_table *rv_flow_table_create(struct rv_flows *flows, const struct rv_lanes *lanes)
{
    struct shared_table *shared = rv_alloc(1, sizeof *shared);
    struct rv_flow_table *table = &shared->table;
    atomic_init(&shared->n_holders, 1);
    struct rv_flow_step *steps = rv_flows_take(flows, &table->n_steps, &table->n_more);
    struct place *places = rv_alloc_scratch(table->n_steps + 1, sizeof *places);
    for (size_t i = 0; i < table->n_steps; i++)
        places[i] = place_of(&steps[i], i, lanes);
    qsort(places, table->n_steps, sizeof *places, compare);
    table->steps = rv_alloc_scratch(table->n_steps + 1, sizeof *table->steps);
    for (size_t i = 0; i < table->n_steps; i++)
        table->steps[i] = steps[places[i].number];
    cut(table, places);
    list_flows(table);
    list_by_time(table);
    list_turns(table);
    free(places);
    free(steps);
    return table;
}

const struct rv_flow_table *rv_flow_table_hold(const struct rv_flow_table *table)
{
    if (table)
        atomic_fetch_add_explicit(&((struct shared_table *)table)->n_holders, 1, memory_order_relaxed);
    return table;
}

void rv_flow_table_release(const struct rv_flow_table *table)
{
    struct shared_table *shared = (struct shared_table *)table;
    if (!shared ||
        atomic_fetch_sub_explicit(&shared->n_holders, 1, memory_order_acq_rel) != 1) /* FT1 -> FT2, FT2 <- FT1 */
        return;
    free(shared->table.steps);
    free(shared->table.flows);
    free(shared->table.by_begin);
    free(shared->table.by_length);
    free(shared->table.by_time);
    free(shared->table.turn_at);
    free(shared->table.flow_of);
    free(shared);
}
