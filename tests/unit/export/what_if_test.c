/* How far threads would be if a call or lock had taken no time, compared with a simulation of all threads. */
#include "export/what_if.h"
#include "export/critical_path_times.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "../model/random_waits.h"
#include "pieces.h"

enum { MOST_OPS = 3 * MOST_WAITS + MOST_THREADS + 1, LABEL_NS = 16, N_LABELS = 3 };

/* What is free: calls with a label, or waits for one of the locks. */
struct freed {
    uint32_t seed;
    uint32_t label, lock; /* N_LABELS: none */
    uint64_t from_ns;
};

static uint32_t label_of(uint32_t seed, uint32_t thread, uint64_t at_ns)
{
    const uint64_t hash = (at_ns / LABEL_NS * 2654435761u + thread * 40503u + seed * 977u) * 6364136223846793005u;
    return (hash >> 40) % N_LABELS;
}

static bool has_label(const struct freed *freed, uint32_t thread, uint64_t at_ns)
{
    return label_of(freed->seed, thread, at_ns) == freed->label && at_ns >= freed->from_ns;
}

static bool is_free_wait(const void *context, size_t wait)
{
    return wait % N_LABELS == ((const struct freed *)context)->lock;
}

/* ---- the oracle ---- */

struct op { /* of a thread */
    uint64_t at_ns;
    enum { END, ACT, BEGIN, LAST } what; /* ACT: wake, or start a thread */
    uint32_t idx;
    bool is_start;
};

struct actor {
    struct op ops[MOST_OPS];
    size_t n, next;
    uint64_t was_ns, would_ns; /* how far it got */
    bool has_begun, is_waiting;
};

struct oracle {
    const struct random_waits *graph;
    const struct freed *freed;
    struct actor actors[MOST_THREADS];
    uint64_t acted_ns[MOST_WAITS], begun_ns[MOST_THREADS], came_ns[MOST_WAITS];
    bool has_acted[MOST_WAITS], is_begun[MOST_THREADS];
    uint64_t last_ns;
};

static int by_time(const void *a, const void *b)
{
    const struct op *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return (int)x->what - (int)y->what;
}

static void add_op(struct oracle *oracle, uint32_t thread, struct op op)
{
    struct actor *actor = &oracle->actors[thread];
    actor->ops[actor->n++] = op;
}

static void write_scripts(struct oracle *oracle, uint32_t thread, uint64_t to_ns)
{
    const struct random_waits *graph = oracle->graph;
    for (uint32_t i = 0; i < graph->n_waits; i++) {
        const struct rv_critical_path_wait *wait = &graph->waits[i];
        add_op(oracle, wait->thread, (struct op){wait->start_ns, BEGIN, i, false});
        add_op(oracle, wait->thread, (struct op){wait->end_ns, END, i, false});
        if (wait->waker != RV_CRITICAL_PATH_NONE)
            add_op(oracle, wait->waker, (struct op){wait->woke_ns, ACT, i, false});
    }
    for (uint32_t i = 1; i < graph->n_threads; i++)
        add_op(oracle, graph->threads[i].parent, (struct op){graph->threads[i].begin_ns, ACT, i, true});
    add_op(oracle, thread, (struct op){to_ns, LAST, 0, false});
    for (uint32_t i = 0; i < graph->n_threads; i++)
        qsort(oracle->actors[i].ops, oracle->actors[i].n, sizeof(struct op), by_time);
}

static void run_until(struct oracle *oracle, uint32_t thread, uint64_t at_ns)
{
    struct actor *actor = &oracle->actors[thread];
    for (; actor->was_ns < at_ns; actor->was_ns++)
        actor->would_ns += actor->is_waiting || !has_label(oracle->freed, thread, actor->was_ns);
}

/* Returns false when it must wait for another thread. */
static bool end_wait(struct oracle *oracle, struct actor *actor, uint32_t idx)
{
    const struct rv_critical_path_wait *wait = &oracle->graph->waits[idx];
    const uint64_t came_ns = oracle->came_ns[idx], from_ns = oracle->freed->from_ns;
    if (wait->end_ns > from_ns && is_free_wait(oracle->freed, idx)) {
        actor->would_ns = came_ns > from_ns ? came_ns : from_ns;
    } else if (wait->waker == RV_CRITICAL_PATH_NONE) {
        actor->would_ns = came_ns + wait->end_ns - wait->start_ns;
    } else {
        const uint64_t acted_ns = oracle->acted_ns[idx];
        if (!oracle->has_acted[idx])
            return false;
        actor->would_ns = (acted_ns > came_ns ? acted_ns : came_ns) + wait->end_ns - wait->woke_ns;
    }
    actor->is_waiting = false;
    actor->was_ns = wait->end_ns;
    return true;
}

static bool do_op(struct oracle *oracle, uint32_t thread, const struct op *op)
{
    struct actor *actor = &oracle->actors[thread];
    if (op->what == END)
        return end_wait(oracle, actor, op->idx);
    run_until(oracle, thread, op->at_ns);
    switch (op->what) {
    case BEGIN:
        oracle->came_ns[op->idx] = actor->would_ns;
        actor->is_waiting = true;
        break;
    case ACT:
        if (op->is_start) {
            oracle->begun_ns[op->idx] = actor->would_ns;
            oracle->is_begun[op->idx] = true;
        } else {
            oracle->acted_ns[op->idx] = actor->would_ns;
            oracle->has_acted[op->idx] = true;
        }
        break;
    case LAST:
        oracle->last_ns = actor->would_ns;
        break;
    case END:
        break;
    }
    return true;
}

/* Run the thread as far as it gets; returns whether it made progress. */
static bool go_on(struct oracle *oracle, uint32_t thread)
{
    struct actor *actor = &oracle->actors[thread];
    const size_t before = actor->next;
    if (!actor->has_begun && oracle->is_begun[thread]) {
        actor->was_ns = oracle->graph->threads[thread].begin_ns;
        actor->would_ns = oracle->begun_ns[thread];
        actor->has_begun = true;
    }
    while (actor->has_begun && actor->next < actor->n && do_op(oracle, thread, &actor->ops[actor->next]))
        actor->next++;
    return actor->next != before;
}

static uint64_t run_oracle(const struct random_waits *graph, const struct freed *freed, uint32_t thread)
{
    static struct oracle oracle;
    oracle = (struct oracle){.graph = graph, .freed = freed};
    write_scripts(&oracle, thread, graph->end_ns);
    oracle.is_begun[0] = true;
    oracle.begun_ns[0] = graph->threads[0].begin_ns;
    for (bool has_got_on = true; has_got_on;) {
        has_got_on = false;
        for (uint32_t i = 0; i < graph->n_threads; i++)
            has_got_on |= go_on(&oracle, i);
    }
    for (uint32_t i = 0; i < graph->n_threads; i++)
        cr_assert_eq(oracle.actors[i].next, oracle.actors[i].n, "the oracle stands still");
    return oracle.last_ns;
}

/* ---- the same by the module ---- */

/* at_ns: the thread's begin. */
static void measure(const struct rv_what_if *if_free, const struct freed *freed, uint32_t thread, uint64_t at_ns,
                    uint64_t *freed_ns)
{
    size_t n;
    const struct rv_what_if_moment *moments = rv_what_if_moments(if_free, thread, &n);
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < n; i++) {
        const int n_waits = i ? moments[i - 1].n_waits : 0;
        for (; at_ns < moments[i].at_ns; at_ns++)
            sum_ns += n_waits == 0 && has_label(freed, thread, at_ns);
        freed_ns[moments[i].idx] = sum_ns;
    }
}

static struct rv_critical_path_params params_of(const struct random_waits *graph, uint32_t thread, uint64_t from_ns)
{
    return (struct rv_critical_path_params){.threads = graph->threads,
                                            .n_threads = graph->n_threads,
                                            .waits = graph->waits,
                                            .n_waits = graph->n_waits,
                                            .thread = thread,
                                            .from_ns = from_ns,
                                            .to_ns = graph->end_ns};
}

static uint64_t run(const struct random_waits *graph, const struct freed *freed, uint32_t thread)
{
    const struct rv_critical_path_params params = params_of(graph, thread, freed->from_ns);
    struct rv_what_if *if_free = rv_what_if_create(&params);
    uint64_t *freed_ns = calloc(rv_what_if_n_moments(if_free), sizeof *freed_ns);
    for (uint32_t i = 0; i < graph->n_threads; i++)
        measure(if_free, freed, i, graph->threads[i].begin_ns, freed_ns);
    const uint64_t end_ns = rv_what_if_end_ns(
        if_free, &(struct rv_what_if_free){.freed_ns = freed_ns, .is_free = is_free_wait, .context = freed});
    free(freed_ns);
    rv_what_if_destroy(if_free);
    return end_ns;
}

Test(what_if, times_with_something_free_equal_a_plain_simulation, .timeout = 120)
{
    static struct random_waits graph;
    unsigned n_sooner = 0;
    for (uint32_t seed = 1; seed <= 4000; seed++) {
        random_waits_seed(seed);
        random_waits_make(&graph, seed % 2);
        const uint32_t thread = random_waits_below((uint32_t)graph.n_threads);
        const struct freed freed = {.seed = seed,
                                    .label = random_waits_below(N_LABELS + 1),
                                    .lock = seed % 4 == 3 ? random_waits_below(N_LABELS) : N_LABELS,
                                    .from_ns = seed % 3 ? 0 : random_waits_below((uint32_t)graph.end_ns)};
        const uint64_t wanted_ns = run_oracle(&graph, &freed, thread), got_ns = run(&graph, &freed, thread);
        cr_assert_eq(got_ns, wanted_ns, "seed %u: %lu ns, expected %lu", seed, (unsigned long)got_ns,
                     (unsigned long)wanted_ns);
        cr_assert_leq(got_ns, graph.end_ns);
        n_sooner += got_ns < graph.end_ns;
    }
    cr_expect_gt(n_sooner, 1000, "hardly anything was free");
}

Test(what_if, with_no_subroutine_free_times_are_unchanged, .timeout = 60)
{
    static struct random_waits graph;
    for (uint32_t seed = 1; seed <= 500; seed++) {
        random_waits_seed(seed);
        random_waits_make(&graph, seed % 2);
        for (uint32_t thread = 0; thread < graph.n_threads; thread++) {
            const struct rv_critical_path_params params = params_of(&graph, thread, 0);
            struct rv_what_if *if_free = rv_what_if_create(&params);
            cr_expect_eq(rv_what_if_end_ns(if_free, &(struct rv_what_if_free){.freed_ns = NULL}), graph.end_ns);
            rv_what_if_destroy(if_free);
        }
    }
}

/* Each of two threads was woken by the other at the same moment. */
Test(what_if, clocks_that_disagree_make_no_circle)
{
    struct random_waits graph = {
        .threads = {{0, RV_CRITICAL_PATH_NONE}, {0, 0}}, .n_threads = 2, .n_waits = 3, .end_ns = 20};
    graph.waits[0] =
        (struct rv_critical_path_wait){.start_ns = 5, .end_ns = 10, .woke_ns = 10, .thread = 0, .waker = 1};
    graph.waits[1] =
        (struct rv_critical_path_wait){.start_ns = 5, .end_ns = 10, .woke_ns = 10, .thread = 1, .waker = 0};
    graph.waits[2] =
        (struct rv_critical_path_wait){.start_ns = 12, .end_ns = 9, .woke_ns = 30, .thread = 1, .waker = 0};
    for (uint32_t thread = 0; thread < 2; thread++) {
        const struct rv_critical_path_params params = params_of(&graph, thread, 0);
        struct rv_what_if *if_free = rv_what_if_create(&params);
        cr_expect_eq(rv_what_if_end_ns(if_free, &(struct rv_what_if_free){.freed_ns = NULL}), 20);
        rv_what_if_destroy(if_free);
    }
}

/* ---- savings of all labels, which are subroutines; calls come whole, or in pieces ---- */

enum { MOST_SPANS = 1024 };

/* Two numbers are counted as the same label. */
static const uint32_t AS_ID[2 * N_LABELS] = {0, 1, 2, 0, 1, 2};

static void add_thread(struct rv_critical_path_times *times, const struct random_waits *graph, uint32_t seed,
                       uint32_t thread)
{
    static struct rv_span spans[MOST_SPANS];
    const struct rv_lane lane = {.idx = thread};
    const uint64_t end_ns = graph->end_ns, cuts_ns[3] = {0, random_waits_below((uint32_t)end_ns), end_ns};
    size_t n = 0;
    for (uint64_t from_ns = graph->threads[thread].begin_ns, to_ns; from_ns < end_ns; from_ns = to_ns) {
        to_ns = from_ns / LABEL_NS * LABEL_NS + LABEL_NS;
        to_ns = to_ns < end_ns ? to_ns : end_ns;
        cr_assert_lt(n, (size_t)MOST_SPANS);
        spans[n++] = (struct rv_span){
            .start = from_ns, .end = to_ns, .id = label_of(seed, thread, from_ns) + N_LABELS * random_waits_below(2)};
    }
    const struct pieces pieces = {.spans = spans, .n = n, .cuts_ns = cuts_ns, .n_cuts = seed % 2 ? 3 : 0};
    const struct rv_lane_calls calls = pieces_calls(&pieces);
    cr_assert_eq(rv_critical_path_times_add(times, &calls, &lane, thread), 0);
}

Test(what_if, one_reading_of_times_gives_the_saving_of_every_subroutine, .timeout = 120)
{
    static struct random_waits graph;
    unsigned n_sooner = 0;
    for (uint32_t seed = 1; seed <= 1500; seed++) {
        random_waits_seed(seed);
        random_waits_make(&graph, seed % 2);
        const uint32_t thread = random_waits_below((uint32_t)graph.n_threads);
        const uint64_t from_ns = seed % 3 ? 0 : random_waits_below((uint32_t)graph.end_ns);
        const struct rv_critical_path_params params = params_of(&graph, thread, from_ns);
        struct rv_saving all[N_LABELS] = {{.id = 0}, {.id = 1}, {.id = 2}};
        struct rv_savings *savings =
            rv_savings_create(&(struct rv_savings_params){.path = &params, .as_id = AS_ID, .n_ids = 2 * N_LABELS});
        const struct rv_lit_path *lit = rv_lit_path_create(NULL, 0);
        struct rv_critical_path_times *times =
            rv_critical_path_times_create(&(struct rv_critical_path_times_params){.lit = lit,
                                                                                  .as_id = AS_ID,
                                                                                  .n_ids = 2 * N_LABELS,
                                                                                  .from_ns = from_ns,
                                                                                  .to_ns = graph.end_ns,
                                                                                  .savings = savings});
        for (uint32_t i = 0; i < graph.n_threads; i++)
            add_thread(times, &graph, seed, (i + seed) % (uint32_t)graph.n_threads);
        rv_savings_measure(savings, all, N_LABELS);
        for (uint32_t label = 0; label < N_LABELS; label++) {
            const struct freed freed = {.seed = seed, .label = label, .lock = N_LABELS, .from_ns = from_ns};
            cr_assert_eq(all[label].saved_ns, graph.end_ns - run_oracle(&graph, &freed, thread), "seed %u, label %u",
                         seed, label);
            n_sooner += all[label].saved_ns > 0;
        }
        rv_critical_path_times_destroy(times);
        rv_lit_path_release(lit);
        rv_savings_destroy(savings);
    }
    cr_expect_gt(n_sooner, 1000, "hardly anything was free");
}
