/* Holders are counted; the last one to release them frees them: AR1 -> AA1. */
#include "render/arc_levels.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/radix_sort.h"
#include "base/vec.h"

#define LEVELS_MOST 48u
#define FIRST_SHIFT 10u /* of a stretch of level 1: 2^10 ns */
#define LAST_SHIFT 54u
#define SHRINKS_TO 0.75 /* of the level before, or there is none */
#define SAMPLED 64u     /* stretches */

struct level {
    struct rv_arc *arcs;
    size_t n;
    unsigned shift; /* a stretch is 2^shift ns; 0: each arc is one wait's */
};

struct rv_arc_levels {
    atomic_uint n_holders;
    struct level levels[LEVELS_MOST];
    size_t n_levels;
};

static enum rv_arc_kind kind_of(enum rv_wait_kind kind)
{
    static const enum rv_arc_kind KINDS[] = {[RV_WAIT_GROUP_LOCK] = RV_ARC_LOCK,
                                             [RV_WAIT_GROUP_SIGNAL] = RV_ARC_SIGNAL,
                                             [RV_WAIT_GROUP_TRANSFER] = RV_ARC_TRANSFER,
                                             [RV_WAIT_GROUP_START] = RV_ARC_START};
    return KINDS[rv_wait_kind_group(kind)];
}

const char *rv_arc_kind_name(enum rv_arc_kind kind)
{
    static const char *const NAMES[RV_ARC_KIND_COUNT] = {[RV_ARC_LOCK] = "locks",
                                                         [RV_ARC_SIGNAL] = "conditions and signals",
                                                         [RV_ARC_TRANSFER] = "input and output",
                                                         [RV_ARC_START] = "starts and ends of threads",
                                                         [RV_ARC_FLOW] = "flows",
                                                         [RV_ARC_TASK] = "tasks"};
    return NAMES[kind];
}

static int by_end(const void *a, const void *b)
{
    const struct rv_arc *x = a, *y = b;
    if (x->to_ns != y->to_ns)
        return x->to_ns < y->to_ns ? -1 : 1;
    return x->to_lane < y->to_lane ? -1 : x->to_lane > y->to_lane;
}

static int compare_ids(const uint32_t a[5], const uint32_t b[5])
{
    for (int i = 0; i < 5; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Between the same subroutines on the same lanes, and of one kind? Else in an order of these. */
static int compare_ends(const struct rv_arc *a, const struct rv_arc *b)
{
    return compare_ids((const uint32_t[5]){a->from_lane, a->to_lane, (uint32_t)a->kind, a->from_call, a->to_call},
                       (const uint32_t[5]){b->from_lane, b->to_lane, (uint32_t)b->kind, b->from_call, b->to_call});
}

static int by_ends(const void *a, const void *b)
{
    const int order = compare_ends(a, b);
    return order ? order : by_end(a, b);
}

static void fold(struct rv_arc *into, const struct rv_arc *arc)
{
    const uint32_t n = into->n + arc->n;
    const uint64_t total_ns = into->total_ns + arc->total_ns;
    if (arc->longest_ns > into->longest_ns)
        *into = *arc;
    into->n = n;
    into->total_ns = total_ns;
}

/* One stretch of time: the first n arcs at `arcs`, sorted by their lanes. Returns the number left, in place. */
static size_t fold_stretch(struct rv_arc *arcs, size_t n)
{
    size_t n_left = 0;
    if (n > 1)
        qsort(arcs, n, sizeof *arcs, by_ends);
    for (size_t i = 0; i < n; i++)
        if (n_left && compare_ends(&arcs[n_left - 1], &arcs[i]) == 0)
            fold(&arcs[n_left - 1], &arcs[i]);
        else
            arcs[n_left++] = arcs[i];
    return n_left;
}

static size_t end_of_stretch(const struct rv_arc *arcs, size_t n, size_t first, unsigned shift)
{
    size_t end = first + 1;
    while (end < n && arcs[end].to_ns >> shift == arcs[first].to_ns >> shift)
        end++;
    return end;
}

/* Arcs sorted by their ends, into stretches; from and to may be the same. Returns the number left. */
static size_t fold_all(const struct rv_arc *from, size_t n, unsigned shift, struct rv_arc *to)
{
    size_t n_left = 0;
    for (size_t first = 0, end; first < n; first = end) {
        end = end_of_stretch(from, n, first, shift);
        memmove(&to[n_left], &from[first], (end - first) * sizeof *to);
        n_left += fold_stretch(&to[n_left], end - first);
    }
    return n_left;
}

/* Until half of what may be kept is left. */
static void fold_collected(struct rv_arc_collector *collector, size_t most)
{
    unsigned shift = collector->shift > FIRST_SHIFT ? collector->shift : FIRST_SHIFT;
    qsort(collector->arcs, collector->n, sizeof *collector->arcs, by_end);
    for (; shift <= LAST_SHIFT; shift++) {
        collector->n = fold_all(collector->arcs, collector->n, shift, collector->arcs);
        collector->shift = shift;
        if (collector->n <= most)
            return;
    }
}

/* Of so many ends that folding leaves little room more is kept, or each arc would fold all others. */
static void make_room(struct rv_arc_collector *collector)
{
    fold_collected(collector, collector->most / 2);
    if (collector->n > collector->most / 2)
        collector->most = 2 * collector->n;
}

static void collect(struct rv_arc_collector *collector, const struct rv_arc *arc)
{
    if (collector->left_out & 1u << arc->kind)
        return;
    if (collector->most && collector->n >= collector->most)
        make_room(collector);
    collector->arcs = rv_vec_reserve(collector->arcs, &collector->capacity, collector->n + 1, sizeof *collector->arcs);
    collector->arcs[collector->n++] = *arc;
}

void rv_arc_collector_add(struct rv_arc_collector *collector, const struct rv_wait_edge *edge)
{
    const struct rv_wait *wait = &edge->wait;
    const uint64_t n_ns = wait->end_ns > wait->start_ns ? wait->end_ns - wait->start_ns : 0;
    const uint64_t woke_ns = wait->woke_ns ? wait->woke_ns : wait->end_ns;
    if (edge->waker && edge->waker->idx != wait->lane)
        collect(collector, &(struct rv_arc){.from_ns = woke_ns < wait->end_ns ? woke_ns : wait->end_ns,
                                            .to_ns = wait->end_ns,
                                            .from_lane = edge->waker->idx,
                                            .to_lane = wait->lane,
                                            .kind = kind_of(wait->kind),
                                            .n = 1,
                                            .total_ns = n_ns,
                                            .longest_ns = n_ns,
                                            .from_call = edge->waker_call,
                                            .to_call = wait->call,
                                            .object = wait->object,
                                            .wait = wait->kind});
}

static void collect_step(struct rv_arc_collector *collector, const struct rv_flow *flow,
                         const struct rv_flow_step *from, const struct rv_flow_step *to)
{
    const uint64_t from_ns = from->until_ns < to->at_ns ? from->until_ns : to->at_ns;
    if (from->lane != to->lane)
        collect(collector, &(struct rv_arc){.from_ns = from_ns,
                                            .to_ns = to->at_ns,
                                            .from_lane = from->lane,
                                            .to_lane = to->lane,
                                            .kind = flow->is_task ? RV_ARC_TASK : RV_ARC_FLOW,
                                            .n = 1,
                                            .total_ns = to->at_ns - from_ns,
                                            .longest_ns = to->at_ns - from_ns,
                                            .from_call = from->call,
                                            .to_call = to->call,
                                            .object = flow->name});
}

void rv_arc_collector_add_flows(struct rv_arc_collector *collector, const struct rv_flow_table *table, uint64_t from_ns,
                                uint64_t to_ns)
{
    for (size_t i = 0; i < table->n_flows; i++) {
        const struct rv_flow_step *steps = &table->steps[table->flows[i].first];
        for (size_t k = 1; k < table->flows[i].n; k++)
            if (steps[k].at_ns >= from_ns && steps[k].at_ns < to_ns)
                collect_step(collector, &table->flows[i], &steps[k - 1], &steps[k]);
    }
}

/* The first arc of the stretch in which the one at this place is. */
static size_t begin_of_stretch(const struct level *level, size_t place, unsigned shift)
{
    const uint64_t begin_ns = level->arcs[place].to_ns >> shift << shift;
    return begin_ns ? rv_bisect_count(level->arcs, level->n, sizeof *level->arcs, offsetof(struct rv_arc, to_ns),
                                      begin_ns - 1)
                    : 0;
}

/* Would a coarser level have fewer arcs? Most of the fine ones would not: a few stretches tell, without a fold of all. */
static bool may_shrink(const struct level *finer, unsigned shift)
{
    struct rv_arc *sample = NULL;
    size_t capacity = 0, n_before = 0, n_after = 0;
    for (size_t i = 0, from = 0; i < SAMPLED; i++) {
        const size_t place = i * finer->n / SAMPLED;
        if (place < from)
            continue;
        const size_t first = begin_of_stretch(finer, place, shift);
        from = end_of_stretch(finer->arcs, finer->n, first, shift);
        sample = rv_vec_reserve(sample, &capacity, from - first, sizeof *sample);
        memcpy(sample, &finer->arcs[first], (from - first) * sizeof *sample);
        n_before += from - first;
        n_after += fold_stretch(sample, from - first);
    }
    free(sample);
    return (double)n_after <= SHRINKS_TO * (double)n_before;
}

static struct level coarser(const struct level *finer, unsigned shift)
{
    struct level level = {.arcs = rv_alloc_scratch(finer->n + 1, sizeof *level.arcs), .shift = shift};
    level.n = fold_all(finer->arcs, finer->n, shift, level.arcs);
    return level;
}

/* Those that end at once stay in their order. */
static void sort_by_end(struct rv_arc_collector *collector)
{
    struct rv_keyed_place *places = rv_alloc_scratch(collector->n, sizeof *places);
    struct rv_arc *sorted = rv_alloc_scratch(collector->n, sizeof *sorted);
    for (size_t i = 0; i < collector->n; i++)
        places[i] = (struct rv_keyed_place){collector->arcs[i].to_ns, (uint32_t)i};
    uint32_t *order = rv_radix_sort_take(places, collector->n);
    for (size_t i = 0; i < collector->n; i++)
        sorted[i] = collector->arcs[order[i]];
    free(order);
    free(collector->arcs);
    collector->arcs = sorted;
    collector->capacity = collector->n;
}

/* The finest level: in order of time, or of stretches of it. */
static struct level take_collected(struct rv_arc_collector *collector)
{
    if (collector->shift)
        fold_collected(collector, collector->most);
    else if (collector->n)
        sort_by_end(collector);
    const struct level level = {collector->arcs, collector->n, collector->shift};
    *collector = (struct rv_arc_collector){.n = 0};
    return level;
}

const struct rv_arc_levels *rv_arc_levels_create(struct rv_arc_collector *collector)
{
    struct rv_arc_levels *index = rv_alloc(1, sizeof *index);
    atomic_store_explicit(&index->n_holders, 1, memory_order_relaxed);
    index->levels[0] = take_collected(collector);
    index->n_levels = index->levels[0].n != 0;
    const unsigned first = index->levels[0].shift ? index->levels[0].shift + 1 : FIRST_SHIFT;
    for (unsigned shift = first; shift <= LAST_SHIFT && index->n_levels && index->n_levels < LEVELS_MOST; shift++) {
        const struct level *last = &index->levels[index->n_levels - 1];
        if (!may_shrink(last, shift))
            continue;
        struct level level = coarser(last, shift);
        if ((double)level.n > SHRINKS_TO * (double)last->n)
            free(level.arcs);
        else
            index->levels[index->n_levels++] = level;
    }
    return index;
}

bool rv_arc_levels_is_exact(const struct rv_arc_levels *index)
{
    return index->levels[0].shift == 0;
}

const struct rv_arc_levels *rv_arc_levels_hold(const struct rv_arc_levels *index)
{
    if (index)
        (void)atomic_fetch_add_explicit(&((struct rv_arc_levels *)(uintptr_t)index)->n_holders, 1,
                                        memory_order_relaxed);
    return index;
}

void rv_arc_levels_release(const struct rv_arc_levels *index)
{
    struct rv_arc_levels *held = (struct rv_arc_levels *)(uintptr_t)index;
    if (!held || atomic_fetch_sub_explicit(&held->n_holders, 1, memory_order_acq_rel) != 1) /* AR1 -> AA1, AA1 <- AR1 */
        return;
    for (size_t i = 0; i < LEVELS_MOST; i++)
        free(held->levels[i].arcs);
    free(held);
}

size_t rv_arc_levels_n_levels(const struct rv_arc_levels *index)
{
    return index->n_levels;
}

/* The number of arcs whose stretches lie before that of a time, or with it: in order of time stretches are sorted. */
static size_t count_before(const struct level *level, uint64_t at_ns, bool has_own)
{
    const uint64_t stretch = at_ns >> level->shift;
    size_t low = 0, high = level->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const uint64_t its = level->arcs[middle].to_ns >> level->shift;
        if (its < stretch || (has_own && its == stretch))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct rv_arc *rv_arc_levels_window(const struct rv_arc_levels *index, size_t level, uint64_t from_ns,
                                          uint64_t to_ns, size_t *n)
{
    const struct level *chosen = &index->levels[level];
    const size_t first = count_before(chosen, from_ns, false);
    *n = count_before(chosen, to_ns, true) - first;
    return &chosen->arcs[first];
}

size_t rv_arc_levels_choose(const struct rv_arc_levels *index, uint64_t from_ns, uint64_t to_ns, size_t most)
{
    size_t level = 0, n;
    for (; level + 1 < index->n_levels; level++) {
        (void)rv_arc_levels_window(index, level, from_ns, to_ns, &n);
        if (n <= most)
            break;
    }
    return level;
}
