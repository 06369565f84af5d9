/* Counts of holders: the last one frees: AR1 -> AA1. */
#include "render/arc_index.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define LEVELS_MOST 48u
#define FIRST_SHIFT 10u /* of a stretch of level 1: 2^10 ns */
#define LAST_SHIFT 54u
#define SHRINKS_TO 0.75 /* of the level before, or there is none */

struct level {
    struct rv_arc *arcs;
    size_t n;
    unsigned shift; /* a stretch is 2^shift ns; 0: each arc is one wait's */
};

struct rv_arc_index {
    atomic_uint n_holders;
    struct level levels[LEVELS_MOST];
    size_t n_levels;
};

static bool is_lock(enum rv_wait_kind kind)
{
    return kind == RV_WAIT_MUTEX || kind == RV_WAIT_READ_LOCK || kind == RV_WAIT_WRITE_LOCK;
}

static int by_end(const void *a, const void *b)
{
    const struct rv_arc *x = a, *y = b;
    if (x->to_ns != y->to_ns)
        return x->to_ns < y->to_ns ? -1 : 1;
    return x->longest < y->longest ? -1 : x->longest > y->longest;
}

static int by_lanes(const void *a, const void *b)
{
    const struct rv_arc *x = a, *y = b;
    if (x->from_lane != y->from_lane)
        return x->from_lane < y->from_lane ? -1 : 1;
    if (x->to_lane != y->to_lane)
        return x->to_lane < y->to_lane ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return by_end(a, b);
}

static void list_waits(struct level *level, const struct rv_wait_edge *edges, size_t n)
{
    level->arcs = rv_alloc_scratch(n + 1, sizeof *level->arcs);
    for (size_t i = 0; i < n; i++) {
        const struct rv_wait *wait = &edges[i].wait;
        const uint64_t n_ns = wait->end_ns > wait->start_ns ? wait->end_ns - wait->start_ns : 0;
        const uint64_t woke_ns = wait->woke_ns ? wait->woke_ns : wait->end_ns;
        if (!edges[i].waker || edges[i].waker->idx == wait->lane)
            continue;
        level->arcs[level->n++] = (struct rv_arc){.from_ns = woke_ns < wait->end_ns ? woke_ns : wait->end_ns,
                                                  .to_ns = wait->end_ns,
                                                  .from_lane = edges[i].waker->idx,
                                                  .to_lane = wait->lane,
                                                  .kind = is_lock(wait->kind) ? RV_ARC_LOCK : RV_ARC_OTHER,
                                                  .n = 1,
                                                  .total_ns = n_ns,
                                                  .longest_ns = n_ns,
                                                  .longest = i};
    }
    if (level->n)
        qsort(level->arcs, level->n, sizeof *level->arcs, by_end);
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

static bool is_alike(const struct rv_arc *a, const struct rv_arc *b)
{
    return a->from_lane == b->from_lane && a->to_lane == b->to_lane && a->kind == b->kind;
}

/* One stretch of time: the first n arcs at `arcs`, sorted by their lanes. Returns the number left, in place. */
static size_t fold_stretch(struct rv_arc *arcs, size_t n)
{
    size_t n_left = 0;
    if (n > 1)
        qsort(arcs, n, sizeof *arcs, by_lanes);
    for (size_t i = 0; i < n; i++)
        if (n_left && is_alike(&arcs[n_left - 1], &arcs[i]))
            fold(&arcs[n_left - 1], &arcs[i]);
        else
            arcs[n_left++] = arcs[i];
    return n_left;
}

static struct level coarser(const struct level *finer, unsigned shift)
{
    struct level level = {.arcs = rv_alloc_scratch(finer->n + 1, sizeof *level.arcs), .shift = shift};
    for (size_t first = 0, end; first < finer->n; first = end) {
        for (end = first + 1; end < finer->n; end++)
            if (finer->arcs[end].to_ns >> shift != finer->arcs[first].to_ns >> shift)
                break;
        memcpy(&level.arcs[level.n], &finer->arcs[first], (end - first) * sizeof *level.arcs);
        level.n += fold_stretch(&level.arcs[level.n], end - first);
    }
    return level;
}

const struct rv_arc_index *rv_arc_index_create(const struct rv_wait_edge *edges, size_t n)
{
    struct rv_arc_index *index = rv_alloc(1, sizeof *index);
    atomic_store_explicit(&index->n_holders, 1, memory_order_relaxed);
    list_waits(&index->levels[0], edges, n);
    index->n_levels = index->levels[0].n != 0;
    for (unsigned shift = FIRST_SHIFT; shift <= LAST_SHIFT && index->n_levels && index->n_levels < LEVELS_MOST;
         shift++) {
        const struct level *last = &index->levels[index->n_levels - 1];
        struct level level = coarser(last, shift);
        if ((double)level.n > SHRINKS_TO * (double)last->n)
            free(level.arcs);
        else
            index->levels[index->n_levels++] = level;
    }
    return index;
}

const struct rv_arc_index *rv_arc_index_hold(const struct rv_arc_index *index)
{
    if (index)
        (void)atomic_fetch_add_explicit(&((struct rv_arc_index *)(uintptr_t)index)->n_holders, 1, memory_order_relaxed);
    return index;
}

void rv_arc_index_release(const struct rv_arc_index *index)
{
    struct rv_arc_index *held = (struct rv_arc_index *)(uintptr_t)index;
    if (!held || atomic_fetch_sub_explicit(&held->n_holders, 1, memory_order_acq_rel) != 1) /* AR1 -> AA1, AA1 <- AR1 */
        return;
    for (size_t i = 0; i < LEVELS_MOST; i++)
        free(held->levels[i].arcs);
    free(held);
}

size_t rv_arc_index_n_levels(const struct rv_arc_index *index)
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

const struct rv_arc *rv_arc_index_window(const struct rv_arc_index *index, size_t level, uint64_t from_ns,
                                         uint64_t to_ns, size_t *n)
{
    const struct level *chosen = &index->levels[level];
    const size_t first = count_before(chosen, from_ns, false);
    *n = count_before(chosen, to_ns, true) - first;
    return &chosen->arcs[first];
}

size_t rv_arc_index_choose(const struct rv_arc_index *index, uint64_t from_ns, uint64_t to_ns, size_t most)
{
    size_t level = 0, n;
    for (; level + 1 < index->n_levels; level++) {
        (void)rv_arc_index_window(index, level, from_ns, to_ns, &n);
        if (n <= most)
            break;
    }
    return level;
}
