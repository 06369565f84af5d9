#include "model/call_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/radix_sort.h"
#include "base/vec.h"

void rv_call_list_fini(struct rv_call_list *list)
{
    free(list->calls);
    free(list->by_caller.sums);
    free(list->by_arguments.sums);
    free(list->by_start);
    rv_hash_index_fini(&list->by_caller.places);
    rv_hash_index_fini(&list->by_arguments.places);
    *list = (struct rv_call_list){0};
}

/* ---- sorting ---- */

static uint64_t key_of(const struct rv_call *call, enum rv_call_column column, const uint32_t *thread_ranks)
{
    switch (column) {
    case RV_CALL_START:
        return call->start_ns;
    case RV_CALL_DURATION:
        return call->duration_ns;
    case RV_CALL_SELF:
        return call->self_ns;
    case RV_CALL_THREAD:
        return thread_ranks[call->lane_idx];
    case RV_CALL_COLUMNS:
        break;
    }
    return 0;
}

uint32_t *rv_call_list_take_order(const struct rv_call_list *list, enum rv_call_column column, int is_descending,
                                  const uint32_t *thread_ranks)
{
    struct rv_keyed_place *keyed = rv_alloc_scratch(list->n, sizeof *keyed);
    for (size_t i = 0; i < list->n; i++) {
        uint64_t key = key_of(&list->calls[i], column, thread_ranks);
        keyed[i] = (struct rv_keyed_place){is_descending ? ~key : key, (uint32_t)i};
    }
    return rv_radix_sort_take(keyed, list->n);
}

/* The longest first; of equally long ones the earlier first. */
static void sort_calls(struct rv_call_list *list)
{
    uint32_t *by_start = rv_call_list_take_order(list, RV_CALL_START, 0, NULL);
    struct rv_keyed_place *keyed = rv_alloc_scratch(list->n, sizeof *keyed);
    for (size_t i = 0; i < list->n; i++)
        keyed[i] = (struct rv_keyed_place){~list->calls[by_start[i]].duration_ns, by_start[i]};
    uint32_t *places = rv_radix_sort_take(keyed, list->n);
    struct rv_call *calls = rv_alloc_scratch(list->n, sizeof *calls);
    for (size_t i = 0; i < list->n; i++)
        calls[i] = list->calls[places[i]];
    free(list->calls);
    free(places);
    free(by_start);
    list->calls = calls;
    list->capacity = list->n;
}

/* ---- calls ---- */

static struct rv_call_sums *sums_of(struct rv_call_table *table, uint64_t key, const struct rv_call_sums *none)
{
    uint32_t found = rv_hash_index_get(&table->places, key);
    if (found)
        return &table->sums[found - 1];
    table->sums = rv_vec_reserve(table->sums, &table->capacity, table->n + 1, sizeof *table->sums);
    struct rv_call_sums *sums = &table->sums[table->n++];
    *sums = *none;
    rv_hash_index_add(&table->places, key, (uint32_t)table->n);
    return sums;
}

static void add_to_table(struct rv_call_table *table, uint64_t key, const struct rv_call_sums *none,
                         const struct rv_call *call, uint64_t total_ns)
{
    struct rv_call_sums *sums = sums_of(table, key, none);
    sums->n_calls++;
    sums->total_ns += total_ns;
    sums->self_ns += call->self_ns;
    sums->max_ns = call->duration_ns > sums->max_ns ? call->duration_ns : sums->max_ns;
}

void rv_call_list_add(struct rv_call_list *list, const struct rv_call *call)
{
    add_to_table(&list->by_caller, (uint64_t)call->lane_idx << 32 | call->caller,
                 &(struct rv_call_sums){.lane_idx = call->lane_idx, .caller = call->caller}, call, call->total_ns);
    add_to_table(&list->by_arguments, call->arguments, &(struct rv_call_sums){.arguments = call->arguments}, call,
                 call->arguments_total_ns);
    list->n_calls++;
    if (list->n == 2 * (size_t)RV_CALL_LIST_MOST) {
        sort_calls(list);
        list->n = RV_CALL_LIST_MOST;
    }
    list->calls = rv_vec_reserve(list->calls, &list->capacity, list->n + 1, sizeof *list->calls);
    list->calls[list->n++] = *call;
}

void rv_call_list_finish(struct rv_call_list *list)
{
    if (list->n == 0)
        return;
    sort_calls(list);
    list->n = list->n < RV_CALL_LIST_MOST ? list->n : RV_CALL_LIST_MOST;
    free(list->by_start);
    list->by_start = rv_call_list_take_order(list, RV_CALL_START, 0, NULL);
}

struct rv_box rv_call_box(const struct rv_call *call)
{
    return (struct rv_box){.start_ns = call->start_ns,
                           .duration_ns = call->duration_ns,
                           .id = call->id,
                           .count = 1,
                           .depth = call->depth,
                           .coverage = RV_BOX_EXACT,
                           .flags = call->flags};
}

/* ---- groups ---- */

struct grouped {
    uint64_t key;
    struct rv_call_sums sums;
};

static uint64_t group_of(const struct rv_call_sums *sums, enum rv_call_grouping grouping, const struct rv_lanes *lanes)
{
    const struct rv_lane *lane = rv_lanes_get(lanes, sums->lane_idx);
    switch (grouping) {
    case RV_CALLS_BY_CALLER:
        return sums->caller;
    case RV_CALLS_BY_THREAD:
        return lane->thread;
    case RV_CALLS_BY_PROCESS:
        return lane->process_key;
    case RV_CALLS_BY_ARGUMENTS:
        return sums->arguments;
    case RV_CALL_GROUPINGS:
        break;
    }
    return 0;
}

static int by_key(const void *a, const void *b)
{
    const struct grouped *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static int by_total(const void *a, const void *b)
{
    const struct rv_call_sums *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    if (x->arguments != y->arguments)
        return x->arguments < y->arguments ? -1 : 1;
    if (x->lane_idx != y->lane_idx)
        return x->lane_idx < y->lane_idx ? -1 : 1;
    return x->caller < y->caller ? -1 : x->caller > y->caller;
}

static void merge_sums(struct rv_call_sums *into, const struct rv_call_sums *from)
{
    into->n_calls += from->n_calls;
    into->total_ns += from->total_ns;
    into->self_ns += from->self_ns;
    into->max_ns = from->max_ns > into->max_ns ? from->max_ns : into->max_ns;
}

struct rv_call_sums *rv_call_list_take_groups(const struct rv_call_list *list, enum rv_call_grouping grouping,
                                              const struct rv_lanes *lanes, size_t *n)
{
    const struct rv_call_table *table = grouping == RV_CALLS_BY_ARGUMENTS ? &list->by_arguments : &list->by_caller;
    struct grouped *grouped = rv_alloc(table->n, sizeof *grouped);
    struct rv_call_sums *groups = rv_alloc(table->n, sizeof *groups);
    for (size_t i = 0; i < table->n; i++)
        grouped[i] = (struct grouped){group_of(&table->sums[i], grouping, lanes), table->sums[i]};
    qsort(grouped, table->n, sizeof *grouped, by_key);
    *n = 0;
    for (size_t i = 0; i < table->n; i++)
        if (i > 0 && grouped[i].key == grouped[i - 1].key)
            merge_sums(&groups[*n - 1], &grouped[i].sums);
        else
            groups[(*n)++] = grouped[i].sums;
    free(grouped);
    qsort(groups, *n, sizeof *groups, by_total);
    return groups;
}
