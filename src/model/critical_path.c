#include "model/critical_path.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"

struct order { /* of a wait */
    uint64_t end_ns;
    uint32_t wait;
};

struct walk {
    const struct rv_path_params *params;
    struct order *orders; /* by thread, then by end */
    size_t *first;        /* of each thread, and the end of all */
    size_t *n_left;       /* of each thread: how many of its waits may still be met */
    struct rv_path_step *steps;
    size_t n, capacity;
    uint64_t now_ns;
    uint32_t thread;
    uint32_t ended; /* the wait that the thread ended by going on; RV_PATH_NONE at first */
};

static int by_end(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return x->wait < y->wait ? -1 : x->wait > y->wait;
}

/* A thread's waits mostly come in the order of their ends. */
static void sort(struct order *orders, size_t n)
{
    size_t i = 1;
    while (i < n && orders[i - 1].end_ns <= orders[i].end_ns)
        i++;
    if (i < n)
        qsort(orders, n, sizeof *orders, by_end);
}

static void index_waits(struct walk *walk)
{
    const struct rv_path_params *params = walk->params;
    walk->orders = rv_alloc(params->n_waits + 1, sizeof *walk->orders);
    walk->first = rv_alloc(params->n_threads + 1, sizeof *walk->first);
    walk->n_left = rv_alloc(params->n_threads + 1, sizeof *walk->n_left);
    for (size_t i = 0; i < params->n_waits; i++)
        walk->first[params->waits[i].thread + 1]++;
    for (size_t i = 0; i < params->n_threads; i++)
        walk->first[i + 1] += walk->first[i];
    for (size_t i = 0; i < params->n_waits; i++) {
        const uint32_t thread = params->waits[i].thread;
        walk->orders[walk->first[thread] + walk->n_left[thread]++] =
            (struct order){params->waits[i].end_ns, (uint32_t)i};
    }
    for (size_t i = 0; i < params->n_threads; i++)
        sort(&walk->orders[walk->first[i]], walk->n_left[i]);
}

/* Steps come from the last to the first. */
static void add_step(struct walk *walk, enum rv_path_step_kind kind, uint64_t from_ns, uint32_t wait)
{
    const uint64_t least_ns = walk->params->from_ns;
    from_ns = from_ns < least_ns ? least_ns : from_ns;
    if (from_ns >= walk->now_ns)
        return;
    walk->steps = rv_vec_reserve(walk->steps, &walk->capacity, walk->n + 1, sizeof *walk->steps);
    walk->steps[walk->n++] = (struct rv_path_step){from_ns, walk->now_ns, walk->thread, wait, kind};
    walk->now_ns = from_ns;
}

/* The number of the thread's waits that have ended by now and were not met before. */
static size_t count_ended(const struct walk *walk)
{
    const struct order *orders = &walk->orders[walk->first[walk->thread]];
    return rv_bisect_count(orders, walk->n_left[walk->thread], sizeof *orders, offsetof(struct order, end_ns),
                           walk->now_ns);
}

/* The last of them; RV_PATH_NONE: there is none. */
static uint32_t last_wait(struct walk *walk)
{
    const struct order *orders = &walk->orders[walk->first[walk->thread]];
    const size_t n = count_ended(walk);
    walk->n_left[walk->thread] = n ? n - 1 : 0;
    return n ? orders[n - 1].wait : RV_PATH_NONE;
}

/* The wait in which the thread is now; RV_PATH_NONE: it is in none. */
static uint32_t present_wait(const struct walk *walk)
{
    const struct order *orders = &walk->orders[walk->first[walk->thread]];
    const size_t n = count_ended(walk);
    const bool is_waiting =
        n < walk->n_left[walk->thread] && walk->params->waits[orders[n].wait].start_ns < walk->now_ns;
    return is_waiting ? orders[n].wait : RV_PATH_NONE;
}

/* From a thread that waits at the end to the one that it waits for. */
static void leave_waits(struct walk *walk)
{
    for (size_t i = 0; i < walk->params->n_threads; i++) {
        const uint32_t idx = present_wait(walk);
        if (idx == RV_PATH_NONE)
            return;
        const struct rv_path_wait *wait = &walk->params->waits[idx];
        if (wait->waker == RV_PATH_NONE) {
            add_step(walk, RV_PATH_WAIT, wait->start_ns, idx);
            return;
        }
        walk->thread = wait->waker;
        walk->ended = idx;
    }
}

/* Over a wait that ends now: to its waker, or to its begin. */
static void pass_wait(struct walk *walk, uint32_t idx)
{
    const struct rv_path_wait *wait = &walk->params->waits[idx];
    if (wait->waker == RV_PATH_NONE) {
        add_step(walk, RV_PATH_WAIT, wait->start_ns, idx);
        return;
    }
    const uint64_t woke_ns = wait->woke_ns > wait->start_ns ? wait->woke_ns
                             : wait->woke_ns                ? wait->start_ns
                                                            : wait->end_ns;
    add_step(walk, RV_PATH_WAKE, woke_ns, idx);
    walk->thread = wait->waker;
    walk->ended = idx;
}

/* False: the path begins here. */
static bool go_back(struct walk *walk)
{
    const struct rv_path_thread *thread = &walk->params->threads[walk->thread];
    const uint32_t wait = last_wait(walk);
    if (wait != RV_PATH_NONE && walk->params->waits[wait].end_ns > thread->begin_ns) {
        add_step(walk, RV_PATH_RUN, walk->params->waits[wait].end_ns, walk->ended);
        pass_wait(walk, wait);
        return true;
    }
    add_step(walk, RV_PATH_RUN, thread->begin_ns, walk->ended);
    walk->n_left[walk->thread] = 0;
    const bool has_parent = thread->parent != RV_PATH_NONE && thread->parent != walk->thread;
    walk->thread = has_parent ? thread->parent : walk->thread;
    return has_parent;
}

static void reverse(struct rv_path_step *steps, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const struct rv_path_step step = steps[i];
        steps[i] = steps[n - 1 - i];
        steps[n - 1 - i] = step;
    }
}

struct rv_path_step *rv_critical_path_take(const struct rv_path_params *params, size_t *n)
{
    struct walk walk = {.params = params, .now_ns = params->to_ns, .thread = params->thread, .ended = RV_PATH_NONE};
    index_waits(&walk);
    leave_waits(&walk);
    for (size_t n_starts = 0; walk.now_ns > params->from_ns && n_starts <= params->n_waits + params->n_threads;
         n_starts++)
        if (!go_back(&walk))
            break;
    free(walk.orders);
    free(walk.first);
    free(walk.n_left);
    reverse(walk.steps, walk.n);
    *n = walk.n;
    return walk.steps;
}
