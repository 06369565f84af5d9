/* Times of subroutines on critical paths, from calls read whole and in pieces, compared with a count of every ns. */
#include "export/critical_path_times.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "../model/random_waits.h"
#include "pieces.h"

enum { MOST_CALLS = 120, MOST_DEPTH = 5, N_IDS = 6, MOST_CUTS = 12, MOST_STRETCHES = 64 };

static const uint32_t AS_ID[N_IDS] = {0, 1, 2, 3, 1, 0}; /* ids 4 and 5 are counted as 1 and 0 */

static struct random_waits graph;
static struct thread { /* calls of each */
    struct rv_span spans[MOST_CALLS], open[MOST_DEPTH];
    size_t n_spans, n_open;
    uint64_t events_ns[2 * MOST_CALLS];
    size_t n_events;
    uint64_t cuts_ns[MOST_CUTS];
    size_t n_cuts, n_given;
    struct rv_lane lane;
    struct rv_state_stretch stretches[MOST_STRETCHES];
} threads[MOST_THREADS];
static size_t n_taken; /* pieces, as events */

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
    struct rv_state_times_sums sums = {0};
    const uint64_t step_ns = graph.end_ns / MOST_STRETCHES + 1;
    for (uint64_t at_ns = step_ns; at_ns < graph.end_ns; at_ns += step_ns)
        rv_state_times_sums_add(&sums, at_ns,
                                &(struct rv_state_times){.blocked_ns = random_waits_below((uint32_t)step_ns / 2 + 1),
                                                         .runnable_ns = random_waits_below((uint32_t)step_ns / 2 + 1)});
    if (sums.n)
        memcpy(thread->stretches, sums.items, sums.n * sizeof *sums.items);
    thread->lane.stretches = (struct rv_state_times_sums){.items = thread->stretches, .n = sums.n};
    free(sums.items);
}

/* Cut between events, as blocks are. */
static void make_cuts(struct thread *thread)
{
    size_t n = 0;
    thread->cuts_ns[n++] = 0;
    for (size_t i = 0; i < thread->n_events && n + 1 < MOST_CUTS; i++)
        if (random_waits_below(8) == 0 && thread->events_ns[i] > thread->cuts_ns[n - 1])
            thread->cuts_ns[n++] = thread->events_ns[i];
    thread->cuts_ns[n++] = graph.end_ns;
    thread->n_cuts = n;
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

static void count_step(const struct rv_critical_path_step *step, struct rv_critical_path_time all[N_IDS])
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
            struct rv_critical_path_time *time = &all[ids[n - 1]];
            time->n_ns++;
            time->n += innermost != was || (event < thread->n_events && thread->events_ns[event] == at_ns);
            time->blocked_ns += step->kind == RV_CRITICAL_PATH_WAIT;
            time->runnable_ns += step->kind == RV_CRITICAL_PATH_WAKE;
        }
        was = innermost;
    }
}

/* ---- the module ---- */

enum how { WHOLE, CUT, EVENTS, REFUSED, N_HOWS };

static const struct rv_critical_path_time *read_all(struct rv_critical_path_times *times, enum how how)
{
    for (uint32_t i = 0; i < graph.n_threads; i++) {
        const struct pieces pieces = {.spans = threads[i].spans,
                                      .n = threads[i].n_spans,
                                      .cuts_ns = threads[i].cuts_ns,
                                      .n_cuts = how != WHOLE ? threads[i].n_cuts : 0,
                                      .has_events = how == EVENTS,
                                      .is_refused = how == REFUSED,
                                      .n_given = &threads[i].n_given,
                                      .n_taken = &n_taken};
        const struct rv_lane_calls calls = pieces_calls(&pieces);
        cr_assert_eq(rv_critical_path_times_add(times, &calls, &threads[i].lane, i), 0);
    }
    return rv_critical_path_times_all(times);
}

static void check(uint32_t seed, const struct rv_critical_path_time *all, const struct rv_critical_path_time *expected)
{
    for (uint32_t id = 0; id < N_IDS; id++) {
        const struct rv_critical_path_time *a = &all[id], *b = &expected[id];
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
        make_cuts(&threads[i]);
        threads[i].lane = (struct rv_lane){.idx = (uint32_t)i, .thread = (uint32_t)i};
    }
    size_t n;
    struct rv_critical_path_step *steps =
        rv_critical_path_take(&(struct rv_critical_path_params){.threads = graph.threads,
                                                                .n_threads = graph.n_threads,
                                                                .waits = graph.waits,
                                                                .n_waits = graph.n_waits,
                                                                .thread = random_waits_below((uint32_t)graph.n_threads),
                                                                .to_ns = graph.end_ns},
                              &n);
    return rv_lit_path_create(steps, n);
}

static struct rv_critical_path_times *create(const struct rv_lit_path *lit)
{
    return rv_critical_path_times_create(
        &(struct rv_critical_path_times_params){.lit = lit, .as_id = AS_ID, .n_ids = N_IDS, .to_ns = graph.end_ns});
}

Test(critical_path_times, times_equal_a_count_of_each_ns_however_calls_are_cut, .timeout = 120)
{
    uint64_t n_ns = 0;
    for (uint32_t seed = 1; seed <= 1000; seed++) {
        const struct rv_lit_path *lit = make(seed);
        struct rv_critical_path_time expected[N_IDS] = {{0}};
        for (size_t i = 0; i < lit->n; i++)
            count_step(&lit->steps[i], expected);
        for (int how = 0; how < N_HOWS; how++) {
            struct rv_critical_path_times *times = create(lit);
            check(seed, read_all(times, (enum how)how), expected);
            rv_critical_path_times_destroy(times);
        }
        for (size_t i = 0; i < N_IDS; i++)
            n_ns += expected[i].n_ns;
        rv_lit_path_release(lit);
    }
    cr_expect_gt(n_ns, 100000, "hardly a call was on a path");
    cr_expect_gt(n_taken, 3000, "hardly a piece was taken as events: %zu", n_taken);
}

Test(critical_path_times, time_off_the_cpu_is_exact_however_calls_are_cut, .timeout = 120)
{
    uint64_t blocked_ns = 0;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        const struct rv_lit_path *lit = make(seed);
        for (size_t i = 0; i < graph.n_threads; i++)
            make_stretches(&threads[i]);
        struct rv_critical_path_times *whole = create(lit), *cut = create(lit), *events = create(lit);
        const struct rv_critical_path_time *expected = read_all(whole, WHOLE);
        check(seed, read_all(cut, CUT), expected);
        check(seed, read_all(events, EVENTS), expected);
        for (size_t i = 0; i < N_IDS; i++)
            blocked_ns += expected[i].blocked_ns;
        rv_critical_path_times_destroy(whole);
        rv_critical_path_times_destroy(cut);
        rv_critical_path_times_destroy(events);
        rv_lit_path_release(lit);
    }
    cr_expect_gt(blocked_ns, 1000);
}

/* ---- what is kept from one path to the next ---- */

enum { RECORDING = 7, N_QUESTIONS = 5 };

struct question {
    struct rv_critical_path_params params;
    const struct rv_lit_path *lit;
    struct rv_critical_path_time times[N_IDS];
    struct rv_saving savings[N_IDS]; /* of subroutines */
};

/* Ask as the table does: with the waits of that time only, and for the thread in which the path ends. */
static struct question question_of(uint32_t thread, uint64_t from_ns, uint64_t to_ns)
{
    static struct rv_critical_path_wait waits[MOST_WAITS];
    struct question question = {.params = {.threads = graph.threads,
                                           .n_threads = graph.n_threads,
                                           .waits = waits,
                                           .thread = thread,
                                           .from_ns = from_ns,
                                           .to_ns = to_ns}};
    size_t n;
    for (size_t i = 0; i < graph.n_waits; i++)
        if (graph.waits[i].end_ns > from_ns && graph.waits[i].start_ns < to_ns)
            waits[question.params.n_waits++] = graph.waits[i];
    struct rv_critical_path_step *steps = rv_critical_path_take(&question.params, &n);
    question.lit = rv_lit_path_create(steps, n);
    question.params.thread = n ? question.lit->steps[n - 1].thread : thread;
    return question;
}

static void ask(struct question *question, enum how how, struct rv_critical_path_sums *sums, bool is_saving)
{
    struct rv_savings *savings =
        is_saving
            ? rv_savings_create(&(struct rv_savings_params){.path = &question->params, .as_id = AS_ID, .n_ids = N_IDS})
            : NULL;
    struct rv_critical_path_times *times =
        rv_critical_path_times_create(&(struct rv_critical_path_times_params){.lit = question->lit,
                                                                              .as_id = AS_ID,
                                                                              .n_ids = N_IDS,
                                                                              .from_ns = question->params.from_ns,
                                                                              .to_ns = question->params.to_ns,
                                                                              .savings = savings,
                                                                              .sums = sums});
    memcpy(question->times, read_all(times, how), sizeof question->times);
    for (uint32_t id = 0; id < N_IDS; id++)
        question->savings[id] = (struct rv_saving){.id = id};
    if (savings)
        rv_savings_measure(savings, question->savings, N_IDS);
    rv_critical_path_times_destroy(times);
    rv_savings_destroy(savings);
}

static struct kept {
    void *bytes;
    size_t n;
} kept;

static struct rv_critical_path_sums *open_kept(void)
{
    struct rv_critical_path_sums_params params = {
        .recording = RECORDING, .most_bytes = UINT64_MAX, .most_bytes_a_call = SIZE_MAX, .n_bytes = kept.n};
    if (kept.n) {
        params.bytes = malloc(kept.n);
        cr_assert_not_null(params.bytes);
        memcpy(params.bytes, kept.bytes, kept.n);
    }
    return rv_critical_path_sums_create(&params);
}

static void close_kept(struct rv_critical_path_sums *sums)
{
    size_t n;
    void *bytes = rv_critical_path_sums_take_bytes(sums, &n);
    if (bytes) {
        free(kept.bytes);
        kept = (struct kept){bytes, n};
    }
    rv_critical_path_sums_destroy(sums);
}

static void forget(void)
{
    free(kept.bytes);
    kept = (struct kept){NULL, 0};
}

static size_t count_given(void)
{
    size_t n = 0;
    for (size_t i = 0; i < graph.n_threads; i++) {
        n += threads[i].n_given;
        threads[i].n_given = 0;
    }
    return n;
}

static void check_kept(uint32_t seed, struct question *question, bool is_saving)
{
    struct question plain = *question;
    ask(&plain, WHOLE, NULL, is_saving);
    struct rv_critical_path_sums *sums = open_kept();
    ask(question, random_waits_below(3) ? EVENTS : CUT, sums, is_saving);
    check(seed, question->times, plain.times);
    for (uint32_t id = 0; id < N_IDS; id++)
        cr_assert_eq(question->savings[id].saved_ns, plain.savings[id].saved_ns, "seed %u: of %u", seed, id);
    close_kept(sums);
}

static struct question any_question(bool is_whole)
{
    const uint64_t from_ns = is_whole ? 0 : random_waits_below((uint32_t)graph.end_ns);
    const uint64_t to_ns =
        is_whole ? graph.end_ns : from_ns + 1 + random_waits_below((uint32_t)(graph.end_ns - from_ns));
    return question_of(random_waits_below((uint32_t)graph.n_threads), from_ns, to_ns);
}

Test(critical_path_times, kept_from_any_path_are_those_of_each_other, .timeout = 120)
{
    size_t n_first = 0, n_again = 0;
    for (uint32_t seed = 1; seed <= 150; seed++) {
        rv_lit_path_release(make(seed));
        for (size_t i = 0; i < graph.n_threads && seed % 3; i++)
            make_stretches(&threads[i]);
        for (uint32_t i = 0; i < N_QUESTIONS; i++) {
            struct question question = any_question((i + seed) % 3 == 0);
            check_kept(seed, &question, (i + seed) % 4 != 0);
            n_first += count_given();
            check_kept(seed, &question, (i + seed) % 4 != 0);
            n_again += count_given();
            rv_lit_path_release(question.lit);
        }
        forget();
    }
    cr_expect_lt(n_again, n_first - n_first / 8, "%zu pieces, then %zu", n_first, n_again);
}

Test(critical_path_times, kept_of_all_are_not_read_again, .timeout = 60)
{
    for (uint32_t seed = 1; seed <= 50; seed++) {
        rv_lit_path_release(make(seed));
        struct question all = any_question(true);
        check_kept(seed, &all, true);
        (void)count_given();
        check_kept(seed, &all, true);
        cr_expect_eq(count_given(), 0, "seed %u", seed);
        rv_lit_path_release(all.lit);
        forget();
    }
}

/* A file that is cut off anywhere, has one byte changed or is of another recording is not used at all. */
Test(critical_path_times, kept_are_not_believed_when_they_were_changed, .timeout = 60)
{
    rv_lit_path_release(make(3));
    struct question all = any_question(true);
    check_kept(3, &all, true);
    const struct kept whole = kept;
    (void)count_given();
    for (size_t i = 0; i < whole.n; i += 1 + random_waits_below(9)) {
        const bool is_short = random_waits_below(2);
        kept = (struct kept){malloc(whole.n), is_short ? i : whole.n};
        memcpy(kept.bytes, whole.bytes, whole.n);
        if (!is_short)
            ((uint8_t *)kept.bytes)[i] ^= (uint8_t)(1 + random_waits_below(255));
        check_kept(3, &all, true);
        cr_expect_gt(count_given(), graph.n_threads, "at %zu", i);
        free(kept.bytes);
    }
    kept = whole;
    rv_lit_path_release(all.lit);
    forget();
}

/* A damaged file with a valid checksum may give wrong times, but no crash. */
Test(critical_path_times, kept_may_be_any_bytes, .timeout = 60)
{
    enum { NAMES = 2, CHECKSUM = 3, HEAD = 4 }; /* words of the head */
    rv_lit_path_release(make(3));
    struct question all = any_question(true);
    check_kept(3, &all, true);
    const struct kept whole = kept;
    (void)count_given();
    size_t n_given = 0;
    for (size_t i = 0; i < 600; i++) {
        kept = (struct kept){malloc(whole.n), whole.n - (i % 5 == 0 ? random_waits_below(99) : 0)};
        memcpy(kept.bytes, whole.bytes, kept.n);
        uint64_t *words = kept.bytes;
        for (uint32_t n = 1 + random_waits_below(3); n > 0; n--)
            ((uint8_t *)&words[HEAD])[random_waits_below((uint32_t)(kept.n - HEAD * sizeof *words))] =
                (uint8_t)(random_waits_below(2) ? random_waits_below(256) : 255);
        words[CHECKSUM] = rv_hash_bytes_seeded(&words[HEAD], kept.n - HEAD * sizeof *words, words[NAMES]);
        struct rv_critical_path_sums *sums = open_kept();
        ask(&all, CUT, sums, true);
        n_given += count_given();
        rv_critical_path_sums_destroy(sums);
        free(kept.bytes);
    }
    cr_expect_gt(n_given, 150, "hardly a piece was refused");
    kept = whole;
    rv_lit_path_release(all.lit);
    forget();
}
