/* Times of subroutines on critical paths, of calls read whole and in pieces, against a count of each ns. */
#include "export/path_times.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "../model/random_waits.h"
#include "pieces.h"

enum { MOST_CALLS = 120, MOST_DEPTH = 5, N_IDS = 6, MOST_CUTS = 12, MOST_STRETCHES = 64 };

static const uint32_t AS_ID[N_IDS] = {0, 1, 2, 3, 1, 0}; /* two are counted as others */

static struct random_waits graph;
static struct thread { /* calls of each */
    struct rv_span spans[MOST_CALLS], open[MOST_DEPTH];
    size_t n_spans, n_open;
    uint64_t events_ns[2 * MOST_CALLS];
    size_t n_events;
    struct rv_lane lane;
    struct rv_state_stretch stretches[MOST_STRETCHES];
} threads[MOST_THREADS];

/* ---- calls at random ---- */

static void close_call(struct thread *thread, uint64_t now_ns)
{
    thread->spans[thread->n_spans] = thread->open[--thread->n_open];
    thread->spans[thread->n_spans++].end = now_ns;
}

static void make_calls(struct thread *thread)
{
    size_t n_begun = 0;
    thread->n_spans = thread->n_open = thread->n_events = 0;
    for (uint64_t now_ns = 1 + random_waits_below(9); now_ns < graph.end_ns; now_ns += random_waits_below(12)) {
        if (thread->n_open < MOST_DEPTH && n_begun < MOST_CALLS && random_waits_below(2)) {
            thread->open[thread->n_open] =
                (struct rv_span){.start = now_ns, .id = random_waits_below(N_IDS), .depth = (uint32_t)thread->n_open};
            thread->n_open++;
            n_begun++;
        } else if (thread->n_open) {
            close_call(thread, now_ns);
        } else {
            continue;
        }
        thread->events_ns[thread->n_events++] = now_ns;
    }
    while (thread->n_open)
        close_call(thread, graph.end_ns);
}

static void make_stretches(struct thread *thread)
{
    struct rv_state_sums sums = {0};
    const uint64_t step_ns = graph.end_ns / MOST_STRETCHES + 1;
    for (uint64_t at_ns = step_ns; at_ns < graph.end_ns; at_ns += step_ns)
        rv_state_sums_add(&sums, at_ns,
                          &(struct rv_state_times){.blocked_ns = random_waits_below((uint32_t)step_ns / 2 + 1),
                                                   .runnable_ns = random_waits_below((uint32_t)step_ns / 2 + 1)});
    if (sums.n)
        memcpy(thread->stretches, sums.items, sums.n * sizeof *sums.items);
    thread->lane = (struct rv_lane){.stretches = {.items = thread->stretches, .n = sums.n}};
    free(sums.items);
}

/* Between events, as blocks are. */
static size_t make_cuts(const struct thread *thread, uint64_t cuts_ns[MOST_CUTS])
{
    size_t n = 0;
    cuts_ns[n++] = 0;
    for (size_t i = 0; i < thread->n_events && n + 1 < MOST_CUTS; i++)
        if (random_waits_below(8) == 0 && thread->events_ns[i] > cuts_ns[n - 1])
            cuts_ns[n++] = thread->events_ns[i];
    cuts_ns[n++] = graph.end_ns;
    return n;
}

/* ---- the oracle ---- */

/* The outermost first; returns their number. */
static size_t calls_at(const struct thread *thread, uint64_t at_ns, uint32_t ids[MOST_DEPTH], size_t *innermost)
{
    size_t n = 0;
    for (size_t i = thread->n_spans; i-- > 0;)
        if (thread->spans[i].start <= at_ns && thread->spans[i].end > at_ns) {
            *innermost = i;
            ids[n++] = AS_ID[thread->spans[i].id];
        }
    return n;
}

static bool has(const uint32_t *ids, size_t n, uint32_t id)
{
    for (size_t i = 0; i < n; i++)
        if (ids[i] == id)
            return true;
    return false;
}

static void count_step(const struct rv_path_step *step, struct rv_path_time all[N_IDS])
{
    const struct thread *thread = &threads[step->thread];
    size_t was = SIZE_MAX, event = 0;
    for (uint64_t at_ns = step->from_ns; at_ns < step->to_ns; at_ns++) {
        uint32_t ids[MOST_DEPTH];
        size_t innermost = SIZE_MAX;
        const size_t n = calls_at(thread, at_ns, ids, &innermost);
        while (event < thread->n_events && thread->events_ns[event] < at_ns)
            event++;
        for (size_t i = 0; i < n; i++)
            all[ids[i]].total_ns += !has(ids, i, ids[i]);
        if (n) {
            struct rv_path_time *time = &all[ids[n - 1]];
            time->n_ns++;
            time->n += innermost != was || (event < thread->n_events && thread->events_ns[event] == at_ns);
            time->blocked_ns += step->kind == RV_PATH_WAIT;
            time->runnable_ns += step->kind == RV_PATH_WAKE;
        }
        was = innermost;
    }
}

/* ---- the module ---- */

enum how { WHOLE, CUT, REFUSED, N_HOWS };

static const struct rv_path_time *read_all(struct rv_path_times *times, enum how how)
{
    for (uint32_t i = 0; i < graph.n_threads; i++) {
        uint64_t cuts_ns[MOST_CUTS];
        const struct pieces pieces = {.spans = threads[i].spans,
                                      .n = threads[i].n_spans,
                                      .cuts_ns = cuts_ns,
                                      .n_cuts = how != WHOLE ? make_cuts(&threads[i], cuts_ns) : 0,
                                      .is_refused = how == REFUSED};
        const struct rv_lane_calls calls = pieces_calls(&pieces);
        cr_assert_eq(rv_path_times_add(times, &calls, &threads[i].lane, i), 0);
    }
    return rv_path_times_all(times);
}

static void check(uint32_t seed, const struct rv_path_time *all, const struct rv_path_time *expected)
{
    for (uint32_t id = 0; id < N_IDS; id++) {
        const struct rv_path_time *a = &all[id], *b = &expected[id];
        cr_assert(a->n_ns == b->n_ns && a->total_ns == b->total_ns,
                  "seed %u: of %u %lu own, not %lu; %lu in all, not %lu", seed, id, (unsigned long)a->n_ns,
                  (unsigned long)b->n_ns, (unsigned long)a->total_ns, (unsigned long)b->total_ns);
        cr_assert_eq(a->n, b->n, "seed %u: of %u %lu stretches, not %lu", seed, id, (unsigned long)a->n,
                     (unsigned long)b->n);
        cr_assert(a->blocked_ns == b->blocked_ns && a->runnable_ns == b->runnable_ns, "seed %u: of %u", seed, id);
    }
}

static const struct rv_lit_path *make(uint32_t seed)
{
    random_waits_seed(seed);
    random_waits_make(&graph, seed % 2);
    for (size_t i = 0; i < graph.n_threads; i++) {
        make_calls(&threads[i]);
        threads[i].lane = (struct rv_lane){.idx = (uint32_t)i};
    }
    size_t n;
    struct rv_path_step *steps =
        rv_critical_path_take(&(struct rv_path_params){.threads = graph.threads,
                                                       .n_threads = graph.n_threads,
                                                       .waits = graph.waits,
                                                       .n_waits = graph.n_waits,
                                                       .thread = random_waits_below((uint32_t)graph.n_threads),
                                                       .to_ns = graph.end_ns},
                              &n);
    return rv_lit_path_create(steps, n);
}

static struct rv_path_times *create(const struct rv_lit_path *lit)
{
    return rv_path_times_create(
        &(struct rv_path_times_params){.lit = lit, .as_id = AS_ID, .n_ids = N_IDS, .to_ns = graph.end_ns});
}

Test(path_times, times_equal_a_count_of_each_ns_however_calls_are_cut, .timeout = 120)
{
    uint64_t n_ns = 0;
    for (uint32_t seed = 1; seed <= 1000; seed++) {
        const struct rv_lit_path *lit = make(seed);
        struct rv_path_time expected[N_IDS] = {{0}};
        for (size_t i = 0; i < lit->n; i++)
            count_step(&lit->steps[i], expected);
        for (int how = 0; how < N_HOWS; how++) {
            struct rv_path_times *times = create(lit);
            check(seed, read_all(times, (enum how)how), expected);
            rv_path_times_destroy(times);
        }
        for (size_t i = 0; i < N_IDS; i++)
            n_ns += expected[i].n_ns;
        rv_lit_path_release(lit);
    }
    cr_expect_gt(n_ns, 100000, "hardly a call was on a path");
}

Test(path_times, time_off_the_cpu_is_exact_however_calls_are_cut, .timeout = 120)
{
    uint64_t blocked_ns = 0;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        const struct rv_lit_path *lit = make(seed);
        for (size_t i = 0; i < graph.n_threads; i++)
            make_stretches(&threads[i]);
        struct rv_path_times *whole = create(lit), *cut = create(lit);
        const struct rv_path_time *expected = read_all(whole, WHOLE);
        check(seed, read_all(cut, CUT), expected);
        for (size_t i = 0; i < N_IDS; i++)
            blocked_ns += expected[i].blocked_ns;
        rv_path_times_destroy(whole);
        rv_path_times_destroy(cut);
        rv_lit_path_release(lit);
    }
    cr_expect_gt(blocked_ns, 1000);
}
