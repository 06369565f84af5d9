#include "model/critical_path_walk.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"

struct walk {
    const struct rv_critical_path_walk *params;
    const struct rv_critical_path_source *source;
    struct rv_critical_path_step *steps;
    size_t n, capacity;
    uint64_t now_ns;
    uint32_t thread;
    uint32_t ended;  /* the wait that the thread ended by going on; RV_CRITICAL_PATH_NONE at first */
    size_t n_starts; /* steps from a thread to the one that started it, since the last wait */
};

/* Add a step: from the path's last to its first. */
static void add_step(struct walk *walk, enum rv_critical_path_step_kind kind, uint64_t from_ns, uint32_t wait)
{
    const uint64_t least_ns = walk->params->from_ns;
    from_ns = from_ns < least_ns ? least_ns : from_ns;
    if (from_ns >= walk->now_ns)
        return;
    walk->steps = rv_vec_reserve(walk->steps, &walk->capacity, walk->n + 1, sizeof *walk->steps);
    walk->steps[walk->n++] = (struct rv_critical_path_step){from_ns, walk->now_ns, walk->thread, wait, kind};
    walk->now_ns = from_ns;
}

/* Go from a thread that still waits at the path's end to the one that it waits for. */
static void leave_waits(struct walk *walk)
{
    for (size_t i = 0; i < walk->params->n_threads; i++) {
        const uint32_t idx = walk->source->find_present(walk->source->context, walk->thread, walk->now_ns);
        if (idx == RV_CRITICAL_PATH_NONE)
            return;
        const struct rv_critical_path_wait *wait = walk->source->get(walk->source->context, idx);
        if (wait->waker == RV_CRITICAL_PATH_NONE) {
            add_step(walk, RV_CRITICAL_PATH_WAIT, wait->start_ns, idx);
            return;
        }
        walk->thread = wait->waker;
        walk->ended = idx;
    }
}

/* Over a wait that ends now: to its waker, or to its begin. */
static void pass_wait(struct walk *walk, uint32_t idx, const struct rv_critical_path_wait *wait)
{
    if (wait->waker == RV_CRITICAL_PATH_NONE) {
        add_step(walk, RV_CRITICAL_PATH_WAIT, wait->start_ns, idx);
        return;
    }
    const uint64_t woke_ns = wait->woke_ns > wait->start_ns ? wait->woke_ns
                             : wait->woke_ns                ? wait->start_ns
                                                            : wait->end_ns;
    add_step(walk, RV_CRITICAL_PATH_WAKE, woke_ns, idx);
    walk->thread = wait->waker;
    walk->ended = idx;
}

/* False: the path begins here. */
static bool go_back(struct walk *walk)
{
    const struct rv_critical_path_thread *thread = &walk->params->threads[walk->thread];
    const struct rv_critical_path_source *source = walk->source;
    const uint32_t idx = source->take_last(source->context, walk->thread, walk->now_ns);
    const struct rv_critical_path_wait *wait = idx == RV_CRITICAL_PATH_NONE ? NULL : source->get(source->context, idx);
    if (wait && wait->end_ns > thread->begin_ns) {
        walk->n_starts = 0;
        add_step(walk, RV_CRITICAL_PATH_RUN, wait->end_ns, walk->ended);
        pass_wait(walk, idx, wait);
        return true;
    }
    add_step(walk, RV_CRITICAL_PATH_RUN, thread->begin_ns, walk->ended);
    source->take_all(source->context, walk->thread);
    const bool has_parent = thread->parent != RV_CRITICAL_PATH_NONE && thread->parent != walk->thread;
    walk->thread = has_parent ? thread->parent : walk->thread;
    return has_parent && walk->n_starts++ < walk->params->n_threads;
}

static void reverse(struct rv_critical_path_step *steps, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const struct rv_critical_path_step step = steps[i];
        steps[i] = steps[n - 1 - i];
        steps[n - 1 - i] = step;
    }
}

struct rv_critical_path_step *rv_critical_path_walk(const struct rv_critical_path_walk *params,
                                                    const struct rv_critical_path_source *source, size_t *n)
{
    struct walk walk = {.params = params,
                        .source = source,
                        .now_ns = params->to_ns,
                        .thread = params->thread,
                        .ended = RV_CRITICAL_PATH_NONE};
    leave_waits(&walk);
    while (walk.now_ns > params->from_ns && (!source->goes_on || source->goes_on(source->context, walk.n)))
        if (!go_back(&walk))
            break;
    reverse(walk.steps, walk.n);
    *n = walk.n;
    return walk.steps;
}

/* ---- waits in memory ---- */

struct order { /* of one wait */
    uint64_t end_ns;
    uint32_t wait;
};

struct memory {
    const struct rv_critical_path_params *params;
    struct order *orders; /* by thread, then by end */
    size_t *first;        /* first place of each thread, and the end of all */
    size_t *n_left;       /* of each thread: number of its waits that were not met yet */
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

static void index_waits(struct memory *memory)
{
    const struct rv_critical_path_params *params = memory->params;
    memory->orders = rv_alloc(params->n_waits + 1, sizeof *memory->orders);
    memory->first = rv_alloc(params->n_threads + 1, sizeof *memory->first);
    memory->n_left = rv_alloc(params->n_threads + 1, sizeof *memory->n_left);
    for (size_t i = 0; i < params->n_waits; i++)
        memory->first[params->waits[i].thread + 1]++;
    for (size_t i = 0; i < params->n_threads; i++)
        memory->first[i + 1] += memory->first[i];
    for (size_t i = 0; i < params->n_waits; i++) {
        const uint32_t thread = params->waits[i].thread;
        memory->orders[memory->first[thread] + memory->n_left[thread]++] =
            (struct order){params->waits[i].end_ns, (uint32_t)i};
    }
    for (size_t i = 0; i < params->n_threads; i++)
        sort(&memory->orders[memory->first[i]], memory->n_left[i]);
}

/* The number of the thread's waits that have ended by now and were not met before. */
static size_t count_ended(const struct memory *memory, uint32_t thread, uint64_t at_ns)
{
    const struct order *orders = &memory->orders[memory->first[thread]];
    return rv_bisect_count(orders, memory->n_left[thread], sizeof *orders, offsetof(struct order, end_ns), at_ns);
}

static uint32_t take_last(void *context, uint32_t thread, uint64_t at_ns)
{
    const struct memory *memory = context;
    const size_t n = count_ended(memory, thread, at_ns);
    memory->n_left[thread] = n ? n - 1 : 0;
    return n ? memory->orders[memory->first[thread] + n - 1].wait : RV_CRITICAL_PATH_NONE;
}

static uint32_t find_present(void *context, uint32_t thread, uint64_t at_ns)
{
    const struct memory *memory = context;
    const size_t n = count_ended(memory, thread, at_ns);
    const struct order *orders = &memory->orders[memory->first[thread]];
    const bool is_waiting = n < memory->n_left[thread] && memory->params->waits[orders[n].wait].start_ns < at_ns;
    return is_waiting ? orders[n].wait : RV_CRITICAL_PATH_NONE;
}

static void take_all(void *context, uint32_t thread)
{
    const struct memory *memory = context;
    memory->n_left[thread] = 0;
}

static const struct rv_critical_path_wait *get(void *context, uint32_t wait)
{
    const struct memory *memory = context;
    return &memory->params->waits[wait];
}

struct rv_critical_path_step *rv_critical_path_take(const struct rv_critical_path_params *params, size_t *n)
{
    struct memory memory = {.params = params};
    index_waits(&memory);
    struct rv_critical_path_step *steps = rv_critical_path_walk(
        &(struct rv_critical_path_walk){params->threads, params->n_threads, params->thread, params->from_ns,
                                        params->to_ns},
        &(struct rv_critical_path_source){
            .take_last = take_last, .find_present = find_present, .take_all = take_all, .get = get, .context = &memory},
        n);
    free(memory.orders);
    free(memory.first);
    free(memory.n_left);
    return steps;
}
