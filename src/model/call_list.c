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

uint32_t *rv_call_list_take_order(const struct rv_call_list *list, enum rv_call_column column, bool is_descending,
                                  const uint32_t *thread_ranks)
{
    struct rv_keyed_place *keyed = rv_alloc_scratch(list->n, sizeof *keyed);
    for (size_t i = 0; i < list->n; i++) {
        uint64_t key = key_of(&list->calls[i], column, thread_ranks);
        keyed[i] = (struct rv_keyed_place){is_descending ? ~key : key, (uint32_t)i};
    }
    return rv_radix_sort_take(keyed, list->n);
}

static uint64_t rank_of(const struct rv_call_list *list, const struct rv_call *call)
{
    return rv_call_list_rank(list->order, call->start_ns, call->duration_ns);
}

static int by_place(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* From the order by start of the calls as they were: where each of the calls was. Of equal begins the first in the list first. */
static void move_by_start(struct rv_call_list *list, const uint32_t *places)
{
    uint32_t *by_start = list->by_start, *moved_to = rv_alloc_scratch(list->n, sizeof *moved_to);
    for (size_t i = 0; i < list->n; i++)
        moved_to[places[i]] = (uint32_t)i;
    for (size_t i = 0; i < list->n; i++)
        by_start[i] = moved_to[by_start[i]];
    free(moved_to);
    for (size_t i = 0, end; i < list->n; i = end) {
        for (end = i + 1; end < list->n && list->calls[by_start[end]].start_ns == list->calls[by_start[i]].start_ns;)
            end++;
        if (end > i + 1)
            qsort(&by_start[i], end - i, sizeof *by_start, by_place);
    }
}

/* Of equal ones the earlier first. */
static void sort_calls(struct rv_call_list *list)
{
    uint32_t *by_start = rv_call_list_take_order(list, RV_CALL_START, false, NULL);
    struct rv_keyed_place *keyed = rv_alloc_scratch(list->n, sizeof *keyed);
    for (size_t i = 0; i < list->n; i++)
        keyed[i] = (struct rv_keyed_place){~rank_of(list, &list->calls[by_start[i]]), by_start[i]};
    uint32_t *places = rv_radix_sort_take(keyed, list->n);
    struct rv_call *calls = rv_alloc_scratch(list->n, sizeof *calls);
    for (size_t i = 0; i < list->n; i++)
        calls[i] = list->calls[places[i]];
    free(list->calls);
    list->calls = calls;
    list->capacity = list->n;
    free(list->by_start);
    list->by_start = by_start;
    move_by_start(list, places);
    free(places);
}

/* ---- the first ---- */

/*
 * The key of a rank, 1 for the least, of n. Byte by byte from the highest one in which any two differ, those with another one are
 * left out.
 */
static uint64_t key_of_rank(uint64_t *keys, size_t n, size_t rank)
{
    uint64_t differing = 1;
    for (size_t i = 1; i < n; i++)
        differing |= keys[i] ^ keys[0];
    for (int shift = (63 - __builtin_clzll(differing)) / 8 * 8; shift >= 0 && n > 1; shift -= 8) {
        size_t counts[256] = {0}, n_same = 0;
        unsigned byte = 0;
        for (size_t i = 0; i < n; i++)
            counts[keys[i] >> shift & 0xff]++;
        for (; rank > counts[byte]; byte++)
            rank -= counts[byte];
        for (size_t i = 0; i < n; i++)
            if ((keys[i] >> shift & 0xff) == byte)
                keys[n_same++] = keys[i];
        n = n_same;
    }
    return keys[0];
}

static size_t most_of(const struct rv_call_list *list)
{
    return list->most ? list->most : RV_CALL_LIST_MOST;
}

/* Of the calls with the rank of the last one to be kept, the begin of the last to be kept. */
static uint64_t last_begin(const struct rv_call_list *list, const uint64_t *ranks, uint64_t *keys, size_t n_before)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        if (ranks[i] == list->least_rank)
            keys[n++] = list->calls[i].start_ns;
    return key_of_rank(keys, n, most_of(list) - n_before);
}

/* Of more than are kept; of equal ones the earlier, of equal begins those that came first. */
static void keep_first(struct rv_call_list *list)
{
    uint64_t *ranks = rv_alloc_scratch(list->n, sizeof *ranks), *keys = rv_alloc_scratch(list->n, sizeof *keys);
    size_t n = 0, n_before = 0, n_earlier = 0;
    for (size_t i = 0; i < list->n; i++) {
        ranks[i] = rank_of(list, &list->calls[i]);
        keys[i] = ~ranks[i];
    }
    list->least_rank = ~key_of_rank(keys, list->n, most_of(list));
    for (size_t i = 0; i < list->n; i++)
        n_before += ranks[i] > list->least_rank;
    const uint64_t begin_ns = last_begin(list, ranks, keys, n_before);
    list->until_ns = rv_clock_after_ns(begin_ns, 1);
    for (size_t i = 0; i < list->n; i++)
        n_earlier += ranks[i] == list->least_rank && list->calls[i].start_ns < begin_ns;
    size_t n_equal = most_of(list) - n_before - n_earlier;
    for (size_t i = 0; i < list->n; i++) {
        if (ranks[i] < list->least_rank)
            continue;
        const struct rv_call *call = &list->calls[i];
        const bool is_last = ranks[i] == list->least_rank && call->start_ns == begin_ns;
        const bool is_before = ranks[i] > list->least_rank || call->start_ns < begin_ns;
        if (is_before || (is_last && n_equal > 0)) {
            n_equal -= is_last;
            list->calls[n++] = *call;
        }
    }
    list->n = n;
    free(ranks);
    free(keys);
}

/* ---- calls ---- */

static __attribute__((noinline)) uint32_t place_of(struct rv_call_table *table, uint64_t key,
                                                   const struct rv_call_sums *none)
{
    const uint32_t found = rv_hash_index_get(&table->places, key);
    if (found)
        return found;
    table->sums = rv_vec_reserve(table->sums, &table->capacity, table->n + 1, sizeof *table->sums);
    table->sums[table->n++] =
        (struct rv_call_sums){.lane_idx = none->lane_idx, .caller = none->caller, .arguments = none->arguments};
    rv_hash_index_add(&table->places, key, (uint32_t)table->n);
    return (uint32_t)table->n;
}

static inline struct rv_call_sums *sums_of(struct rv_call_table *table, uint64_t key, const struct rv_call_sums *none)
{
    struct rv_call_place *recent = &table->recent[key % RV_CALL_LIST_RECENT];
    if (__builtin_expect(!recent->place || recent->key != key, 0))
        *recent = (struct rv_call_place){key, place_of(table, key, none)};
    return &table->sums[recent->place - 1];
}

static inline void merge_sums(struct rv_call_sums *into, const struct rv_call_sums *from)
{
    into->n_calls += from->n_calls;
    into->total_ns += from->total_ns;
    into->self_ns += from->self_ns;
    into->max_ns = from->max_ns > into->max_ns ? from->max_ns : into->max_ns;
}

static inline void add_by_caller(struct rv_call_list *list, const struct rv_call_sums *sums)
{
    merge_sums(sums_of(&list->by_caller, (uint64_t)sums->lane_idx << 32 | sums->caller, sums), sums);
}

static inline void add_by_arguments(struct rv_call_list *list, const struct rv_call_sums *sums)
{
    merge_sums(sums_of(&list->by_arguments, sums->arguments, sums), sums);
}

void rv_call_list_keep(struct rv_call_list *list, const struct rv_call *call)
{
    if (rv_call_list_is_beyond(list, call->start_ns, call->duration_ns))
        return;
    if (list->n == 2 * most_of(list))
        keep_first(list);
    if (list->n == list->capacity)
        list->calls = rv_vec_reserve(list->calls, &list->capacity, list->n + 1, sizeof *list->calls);
    list->calls[list->n++] = *call;
}

void rv_call_list_add(struct rv_call_list *list, const struct rv_call *call)
{
    struct rv_call_sums sums = {.lane_idx = call->lane_idx,
                                .caller = call->caller,
                                .n_calls = 1,
                                .total_ns = call->total_ns,
                                .self_ns = call->self_ns,
                                .max_ns = call->duration_ns};
    add_by_caller(list, &sums);
    sums.lane_idx = sums.caller = 0;
    sums.arguments = call->arguments;
    sums.total_ns = call->arguments_total_ns;
    add_by_arguments(list, &sums);
    list->n_calls++;
    rv_call_list_keep(list, call);
}

void rv_call_list_merge(struct rv_call_list *list, const struct rv_call_list *from)
{
    for (size_t i = 0; i < from->by_caller.n; i++)
        add_by_caller(list, &from->by_caller.sums[i]);
    for (size_t i = 0; i < from->by_arguments.n; i++)
        add_by_arguments(list, &from->by_arguments.sums[i]);
    list->n_calls += from->n_calls;
    for (size_t i = 0; i < from->n; i++)
        rv_call_list_keep(list, &from->calls[i]);
}

void rv_call_list_finish(struct rv_call_list *list)
{
    if (list->n == 0)
        return;
    if (list->n > most_of(list))
        keep_first(list);
    for (size_t i = 0; i < list->n; i++)
        list->longest_ns = rv_clock_later_ns(list->longest_ns, list->calls[i].duration_ns);
    sort_calls(list);
}

void rv_call_list_leave(struct rv_call_list *list, size_t n)
{
    size_t n_left = 0;
    for (size_t i = 0; i < list->n; i++)
        if (list->by_start[i] < n)
            list->by_start[n_left++] = list->by_start[i];
    list->n = n;
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
