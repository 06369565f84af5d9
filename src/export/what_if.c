/*
 * What happens, happens at items: each wait's end and each thread's begin. An item depends on two others at most: on the
 * one before it of its thread, and of what its waker, or its parent, had done last before. In an order in which both come
 * first, one pass finds when all would have happened. Times only fall along these ways, so a circle has one time: the
 * wake that closes it is taken for unknown.
 */
#include "export/what_if.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/radix_sort.h"
#include "base/vec.h"

#define MOMENTS 3u /* moments of a wait */

struct place { /* a moment of a thread */
    uint64_t at_ns;
    size_t moment;  /* index of the moment */
    uint32_t after; /* the thread's last item that is not later */
    bool is_known;
};

struct item {
    uint64_t at_ns;
    struct place start; /* of a wait: its begin */
    struct place woke;  /* where the waker acted; of a thread's begin: where its parent did */
    uint32_t wait;      /* of a thread's begin: RV_CRITICAL_PATH_NONE */
};

struct rv_what_if {
    const struct rv_critical_path_params *path;
    struct item *items; /* of each thread: its begin, then its waits by their ends */
    size_t n_items;
    uint32_t *first; /* first item of each thread, and the end of all */
    struct place end;
    struct rv_what_if_moment *moments; /* by thread and time */
    size_t n_moments;
    size_t *first_moment; /* first moment of each thread, and the end of all */
    uint32_t *order;      /* the items in order of what depends on what */
    uint64_t *would_ns;   /* when each item would have happened */
};

/* ---- items ---- */

static int by_time(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return x->wait < y->wait ? -1 : x->wait > y->wait;
}

static void list_items(struct rv_what_if *if_free)
{
    const struct rv_critical_path_params *path = if_free->path;
    uint32_t *next = rv_alloc(path->n_threads + 1, sizeof *next);
    for (size_t i = 0; i < path->n_waits; i++)
        if_free->first[path->waits[i].thread + 1]++;
    for (size_t i = 0; i < path->n_threads; i++) {
        if_free->first[i + 1] += if_free->first[i] + 1;
        next[i] = if_free->first[i];
        if_free->items[next[i]++] = (struct item){.at_ns = path->threads[i].begin_ns, .wait = RV_CRITICAL_PATH_NONE};
    }
    for (size_t i = 0; i < path->n_waits; i++)
        if_free->items[next[path->waits[i].thread]++] =
            (struct item){.at_ns = path->waits[i].end_ns, .wait = (uint32_t)i};
    for (size_t i = 0; i < path->n_threads; i++)
        qsort(&if_free->items[if_free->first[i] + 1], next[i] - if_free->first[i] - 1, sizeof *if_free->items, by_time);
    free(next);
}

/* After the thread's begin, and its waits that had ended by then. */
static struct place place_at(const struct rv_what_if *if_free, uint32_t thread, uint64_t at_ns, size_t moment)
{
    const struct item *items = &if_free->items[if_free->first[thread]];
    const size_t n_waits = if_free->first[thread + 1] - if_free->first[thread] - 1;
    const size_t n = rv_bisect_count(items + 1, n_waits, sizeof *items, offsetof(struct item, at_ns), at_ns);
    return (struct place){at_ns, moment, (uint32_t)(if_free->first[thread] + n), at_ns >= items[n].at_ns};
}

/* Its thread's item before it must have happened by then. */
static void link_wait(struct rv_what_if *if_free, uint32_t idx)
{
    struct item *item = &if_free->items[idx];
    const struct rv_critical_path_wait *wait = &if_free->path->waits[item->wait];
    const uint64_t before_ns = if_free->items[idx - 1].at_ns;
    const uint64_t start_ns = wait->start_ns > before_ns ? wait->start_ns : before_ns;
    const uint64_t last_ns = start_ns < wait->end_ns ? start_ns : wait->end_ns;
    const uint64_t woke_ns = wait->woke_ns > last_ns ? wait->woke_ns : wait->woke_ns ? last_ns : wait->end_ns;
    item->start = (struct place){last_ns, MOMENTS * (size_t)item->wait, idx - 1, true};
    if (wait->waker != RV_CRITICAL_PATH_NONE)
        item->woke = place_at(if_free, wait->waker, woke_ns < wait->end_ns ? woke_ns : wait->end_ns,
                              MOMENTS * (size_t)item->wait + 1);
}

static void link_begin(struct rv_what_if *if_free, uint32_t thread)
{
    const struct rv_critical_path_thread *begun = &if_free->path->threads[thread];
    if (begun->parent != RV_CRITICAL_PATH_NONE && begun->parent != thread)
        if_free->items[if_free->first[thread]].woke =
            place_at(if_free, begun->parent, begun->begin_ns, MOMENTS * if_free->path->n_waits + thread);
}

static void link_items(struct rv_what_if *if_free)
{
    const struct rv_critical_path_params *path = if_free->path;
    for (uint32_t i = 0; i < path->n_threads; i++) {
        link_begin(if_free, i);
        for (uint32_t j = if_free->first[i] + 1; j < if_free->first[i + 1]; j++)
            link_wait(if_free, j);
    }
    if_free->end = place_at(if_free, path->thread, path->to_ns, MOMENTS * path->n_waits + path->n_threads);
}

/* ---- moments ---- */

static int by_thread_and_time(const void *a, const void *b)
{
    const struct rv_what_if_moment *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return (x->n_waits > y->n_waits) - (x->n_waits < y->n_waits);
}

static void add_moment(struct rv_what_if *if_free, uint32_t thread, const struct place *place, int n_waits)
{
    if (place->is_known)
        if_free->moments[if_free->n_moments++] =
            (struct rv_what_if_moment){place->at_ns, thread, n_waits, place->moment};
}

static void add_moments_of(struct rv_what_if *if_free, uint32_t thread)
{
    const struct rv_critical_path_params *path = if_free->path;
    add_moment(if_free, path->threads[thread].parent, &if_free->items[if_free->first[thread]].woke, 0);
    for (uint32_t i = if_free->first[thread] + 1; i < if_free->first[thread + 1]; i++) {
        const struct item *item = &if_free->items[i];
        const struct place end = {item->at_ns, MOMENTS * (size_t)item->wait + 2, i, true};
        add_moment(if_free, thread, &item->start, 1);
        add_moment(if_free, path->waits[item->wait].waker, &item->woke, 0);
        add_moment(if_free, thread, &end, -1);
    }
}

/* From where waits begin (1) and end (-1) to how many there are. */
static void sum_up_waits(struct rv_what_if *if_free, uint32_t thread)
{
    int n_waits = 0;
    for (size_t i = if_free->first_moment[thread]; i < if_free->first_moment[thread + 1]; i++)
        if_free->moments[i].n_waits = n_waits += if_free->moments[i].n_waits;
}

static void list_moments(struct rv_what_if *if_free)
{
    const size_t n_threads = if_free->path->n_threads;
    if_free->moments = rv_alloc(rv_what_if_n_moments(if_free), sizeof *if_free->moments);
    for (uint32_t i = 0; i < n_threads; i++)
        add_moments_of(if_free, i);
    add_moment(if_free, if_free->path->thread, &if_free->end, 0);
    qsort(if_free->moments, if_free->n_moments, sizeof *if_free->moments, by_thread_and_time);
    if_free->first_moment = rv_alloc(n_threads + 1, sizeof *if_free->first_moment);
    for (size_t i = 0; i < if_free->n_moments; i++)
        if_free->first_moment[if_free->moments[i].thread + 1]++;
    for (uint32_t i = 0; i < n_threads; i++) {
        if_free->first_moment[i + 1] += if_free->first_moment[i];
        sum_up_waits(if_free, i);
    }
}

/* ---- order ---- */

struct sorting {
    struct rv_what_if *if_free;
    uint32_t *dependent; /* of each item: the last of what depends on it, as 1 + 2 * item, or 2 + 2 * item if woken */
    uint32_t *next;      /* of those: the one before it */
    uint8_t *n_left;     /* of each item: on how many it still waits */
    bool *is_done;
    size_t n;
};

static void add_dependent(struct sorting *sorting, const struct place *on, uint32_t dependent)
{
    if (!on->is_known)
        return;
    sorting->next[dependent] = sorting->dependent[on->after];
    sorting->dependent[on->after] = dependent + 1;
    sorting->n_left[dependent / 2]++;
}

/* It, and all that waited for nothing else. */
static void put(struct sorting *sorting, uint32_t idx)
{
    size_t done = sorting->n;
    sorting->if_free->order[sorting->n++] = idx;
    sorting->is_done[idx] = true;
    for (; done < sorting->n; done++)
        for (uint32_t at = sorting->dependent[sorting->if_free->order[done]]; at; at = sorting->next[at - 1]) {
            const uint32_t item = (at - 1) / 2;
            if (sorting->is_done[item] || --sorting->n_left[item])
                continue;
            sorting->if_free->order[sorting->n++] = item;
            sorting->is_done[item] = true;
        }
}

/* Those that are not done, by time; for free(). */
static uint32_t *take_rest(const struct sorting *sorting, size_t *n)
{
    const struct rv_what_if *if_free = sorting->if_free;
    struct rv_keyed_place *places = rv_alloc_scratch(if_free->n_items - sorting->n, sizeof *places);
    *n = 0;
    for (uint32_t i = 0; i < if_free->n_items; i++)
        if (!sorting->is_done[i])
            places[(*n)++] = (struct rv_keyed_place){if_free->items[i].at_ns, i};
    return rv_radix_sort_take(places, *n);
}

/* What is left in the end is in circles, or behind them: the first of it is taken for not woken. */
static void break_circles(struct sorting *sorting)
{
    size_t n;
    uint32_t *rest = take_rest(sorting, &n);
    for (size_t i = 0; i < n; i++) {
        if (sorting->is_done[rest[i]])
            continue;
        sorting->if_free->items[rest[i]].woke.is_known = false;
        put(sorting, rest[i]);
    }
    free(rest);
}

static void sort(struct sorting *sorting)
{
    const struct rv_what_if *if_free = sorting->if_free;
    for (uint32_t i = 0; i < if_free->n_items; i++)
        if (!sorting->is_done[i] && sorting->n_left[i] == 0)
            put(sorting, i);
    if (sorting->n < if_free->n_items)
        break_circles(sorting);
}

static void sort_items(struct rv_what_if *if_free)
{
    const size_t n = if_free->n_items;
    struct sorting sorting = {.if_free = if_free,
                              .dependent = rv_alloc(n + 1, sizeof *sorting.dependent),
                              .next = rv_alloc(2 * n + 1, sizeof *sorting.next),
                              .n_left = rv_alloc(n + 1, sizeof *sorting.n_left),
                              .is_done = rv_alloc(n + 1, sizeof *sorting.is_done)};
    for (uint32_t i = 0; i < n; i++) {
        add_dependent(&sorting, &if_free->items[i].start, 2 * i);
        add_dependent(&sorting, &if_free->items[i].woke, 2 * i + 1);
    }
    sort(&sorting);
    free(sorting.dependent);
    free(sorting.next);
    free(sorting.n_left);
    free(sorting.is_done);
}

/* ---- public ---- */

struct rv_what_if *rv_what_if_create(const struct rv_critical_path_params *path)
{
    struct rv_what_if *if_free = rv_alloc(1, sizeof *if_free);
    if_free->path = path;
    if_free->n_items = path->n_waits + path->n_threads;
    if_free->items = rv_alloc(if_free->n_items + 1, sizeof *if_free->items);
    if_free->first = rv_alloc(path->n_threads + 1, sizeof *if_free->first);
    if_free->order = rv_alloc(if_free->n_items + 1, sizeof *if_free->order);
    if_free->would_ns = rv_alloc(if_free->n_items + 1, sizeof *if_free->would_ns);
    list_items(if_free);
    link_items(if_free);
    list_moments(if_free);
    sort_items(if_free);
    return if_free;
}

void rv_what_if_destroy(struct rv_what_if *if_free)
{
    if (!if_free)
        return;
    free(if_free->items);
    free(if_free->first);
    free(if_free->order);
    free(if_free->would_ns);
    free(if_free->moments);
    free(if_free->first_moment);
    free(if_free);
}

const struct rv_what_if_moment *rv_what_if_moments(const struct rv_what_if *if_free, uint32_t thread, size_t *n)
{
    *n = if_free->first_moment[thread + 1] - if_free->first_moment[thread];
    return &if_free->moments[if_free->first_moment[thread]];
}

size_t rv_what_if_n_moments(const struct rv_what_if *if_free)
{
    return MOMENTS * if_free->path->n_waits + if_free->path->n_threads + 1;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* What is free of the item's thread until then. */
static uint64_t freed_until(const struct item *item, const uint64_t *freed_ns)
{
    return freed_ns && item->wait != RV_CRITICAL_PATH_NONE ? freed_ns[MOMENTS * (size_t)item->wait + 2] : 0;
}

/* When the thread would have got there. */
static uint64_t would_ns(const struct rv_what_if *if_free, const struct place *place, const uint64_t *freed_ns)
{
    const struct item *after = &if_free->items[place->after];
    const uint64_t freed = freed_ns ? less(freed_ns[place->moment], freed_until(after, freed_ns)) : 0;
    return if_free->would_ns[place->after] + less(less(place->at_ns, after->at_ns), freed);
}

static uint64_t wait_would_ns(const struct rv_what_if *if_free, const struct item *item,
                              const struct rv_what_if_free *what)
{
    const uint64_t from_ns = if_free->path->from_ns;
    const uint64_t start_ns = would_ns(if_free, &item->start, what->freed_ns);
    if (what->is_free && item->at_ns > from_ns && what->is_free(what->context, item->wait))
        return start_ns > from_ns ? start_ns : from_ns;
    if (!item->woke.is_known)
        return start_ns + less(item->at_ns, item->start.at_ns);
    const uint64_t woke_ns = would_ns(if_free, &item->woke, what->freed_ns);
    return (woke_ns > start_ns ? woke_ns : start_ns) + less(item->at_ns, item->woke.at_ns);
}

uint64_t rv_what_if_end_ns(struct rv_what_if *if_free, const struct rv_what_if_free *what)
{
    for (size_t i = 0; i < if_free->n_items; i++)
        if_free->would_ns[i] = if_free->items[i].at_ns;
    for (size_t i = 0; i < if_free->n_items; i++) {
        const struct item *item = &if_free->items[if_free->order[i]];
        uint64_t *at_ns = &if_free->would_ns[if_free->order[i]];
        if (item->wait != RV_CRITICAL_PATH_NONE)
            *at_ns = wait_would_ns(if_free, item, what);
        else if (item->woke.is_known)
            *at_ns = would_ns(if_free, &item->woke, what->freed_ns);
    }
    return would_ns(if_free, &if_free->end, what->freed_ns);
}
