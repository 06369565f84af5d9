/* The critical path compared with a walk forwards in time, in which each thread carries the path that its progress has
 * depended on so far. */
#include "model/critical_path_walk.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "random_waits.h"

enum { MOST_NODES = 4 * MOST_WAITS + 3 * MOST_THREADS };

/* ---- the oracle ---- */

struct node { /* a step, and the one before it; immutable */
    struct rv_critical_path_step step;
    const struct node *before;
};

struct oracle {
    struct node nodes[MOST_NODES];
    size_t n;
};

static const struct node *add(struct oracle *oracle, const struct node *before, struct rv_critical_path_step step)
{
    if (step.from_ns >= step.to_ns)
        return before;
    cr_assert_lt(oracle->n, MOST_NODES);
    oracle->nodes[oracle->n] = (struct node){step, before};
    return &oracle->nodes[oracle->n++];
}

struct head { /* of a thread: what it has depended on until since_ns */
    const struct node *before;
    uint64_t since_ns;
    bool has_begun;
};

/* Something that happens; a wake comes before the end of its wait. */
struct happening {
    uint64_t at_ns;
    enum { BEGIN, WOKE, END } what;
    uint32_t idx;
};

static int by_time(const void *a, const void *b)
{
    const struct happening *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    if (x->what != y->what)
        return x->what < y->what ? -1 : 1;
    return x->idx < y->idx ? -1 : 1;
}

static const struct node *until(struct oracle *oracle, const struct head *head, uint32_t thread, uint64_t now_ns)
{
    return add(oracle, head->before,
               (struct rv_critical_path_step){
                   .from_ns = head->since_ns, .to_ns = now_ns, .thread = thread, .kind = RV_CRITICAL_PATH_RUN});
}

static void run_oracle(struct oracle *oracle, const struct random_waits *graph, struct head *heads)
{
    struct happening all[MOST_THREADS + 2 * MOST_WAITS];
    const struct node *woken[MOST_WAITS] = {0};
    size_t n = 0;
    for (uint32_t i = 0; i < graph->n_threads; i++)
        all[n++] = (struct happening){graph->threads[i].begin_ns, BEGIN, i};
    for (uint32_t i = 0; i < graph->n_waits; i++) {
        all[n++] = (struct happening){graph->waits[i].end_ns, END, i};
        if (graph->waits[i].waker != RV_CRITICAL_PATH_NONE)
            all[n++] = (struct happening){graph->waits[i].woke_ns, WOKE, i};
    }
    qsort(all, n, sizeof *all, by_time);
    for (size_t i = 0; i < n; i++) {
        const uint32_t idx = all[i].idx;
        const struct rv_critical_path_wait *wait = &graph->waits[idx];
        if (all[i].what == BEGIN) {
            const uint32_t parent = graph->threads[idx].parent;
            heads[idx].before =
                parent == RV_CRITICAL_PATH_NONE ? NULL : until(oracle, &heads[parent], parent, all[i].at_ns);
            heads[idx].since_ns = all[i].at_ns;
        } else if (all[i].what == WOKE) {
            woken[idx] = until(oracle, &heads[wait->waker], wait->waker, wait->woke_ns);
        } else {
            struct head *head = &heads[wait->thread];
            const struct rv_critical_path_step tail = {
                .from_ns = wait->waker == RV_CRITICAL_PATH_NONE ? wait->start_ns : wait->woke_ns,
                .to_ns = wait->end_ns,
                .thread = wait->thread,
                .kind = wait->waker == RV_CRITICAL_PATH_NONE ? RV_CRITICAL_PATH_WAIT : RV_CRITICAL_PATH_WAKE};
            head->before = add(oracle,
                               wait->waker == RV_CRITICAL_PATH_NONE ? until(oracle, head, wait->thread, wait->start_ns)
                                                                    : woken[idx],
                               tail);
            head->since_ns = wait->end_ns;
        }
    }
}

static struct rv_critical_path_step *take(const struct random_waits *graph, uint32_t thread, uint64_t from_ns,
                                          size_t *n)
{
    const struct rv_critical_path_params params = {.threads = graph->threads,
                                                   .n_threads = graph->n_threads,
                                                   .waits = graph->waits,
                                                   .n_waits = graph->n_waits,
                                                   .thread = thread,
                                                   .from_ns = from_ns,
                                                   .to_ns = graph->end_ns};
    return rv_critical_path_take(&params, n);
}

static void expect_step(const struct rv_critical_path_step *step, const struct rv_critical_path_step *wanted,
                        uint64_t least_ns)
{
    cr_assert_eq(step->from_ns, wanted->from_ns > least_ns ? wanted->from_ns : least_ns);
    cr_assert_eq(step->to_ns, wanted->to_ns);
    cr_assert_eq(step->thread, wanted->thread);
    cr_assert_eq(step->kind, wanted->kind);
}

Test(critical_path_walk, it_is_what_a_walk_forwards_in_time_carries, .timeout = 60)
{
    static struct random_waits graph;
    static struct oracle oracle;
    for (uint32_t seed = 1; seed <= 3000; seed++) {
        struct head heads[MOST_THREADS] = {{0}};
        random_waits_seed(seed);
        random_waits_make(&graph, false);
        oracle.n = 0;
        run_oracle(&oracle, &graph, heads);
        for (uint32_t thread = 0; thread < graph.n_threads; thread++) {
            const uint64_t least_ns = seed % 3 ? 0 : random_waits_below((uint32_t)graph.end_ns);
            size_t n;
            struct rv_critical_path_step *steps = take(&graph, thread, least_ns, &n);
            const struct node *node = until(&oracle, &heads[thread], thread, graph.end_ns);
            for (; node && node->step.to_ns > least_ns; node = node->before) {
                cr_assert_gt(n, 0, "seed %u: the path is too short", seed);
                expect_step(&steps[--n], &node->step, least_ns);
            }
            cr_assert_eq(n, 0, "seed %u: the path is too long", seed);
            free(steps);
        }
    }
}

Test(critical_path_walk, clocks_that_disagree_make_no_circle)
{
    struct random_waits graph = {
        .threads = {{0, RV_CRITICAL_PATH_NONE}, {0, 0}}, .n_threads = 2, .n_waits = 2, .end_ns = 20};
    graph.waits[0] =
        (struct rv_critical_path_wait){.start_ns = 5, .end_ns = 10, .woke_ns = 10, .thread = 0, .waker = 1};
    graph.waits[1] =
        (struct rv_critical_path_wait){.start_ns = 5, .end_ns = 10, .woke_ns = 10, .thread = 1, .waker = 0};
    size_t n;
    struct rv_critical_path_step *steps = take(&graph, 0, 0, &n);
    cr_assert_eq(n, 2);
    cr_expect_eq(steps[0].from_ns, 0);
    cr_expect_eq(steps[1].to_ns, 20);
    free(steps);
}

Test(critical_path_walk, a_thread_that_waits_at_the_end_depends_on_its_waker)
{
    struct random_waits graph = {
        .threads = {{0, RV_CRITICAL_PATH_NONE}, {0, 0}}, .n_threads = 2, .n_waits = 2, .end_ns = 20};
    graph.waits[0] =
        (struct rv_critical_path_wait){.start_ns = 5, .end_ns = 30, .woke_ns = 29, .thread = 0, .waker = 1};
    graph.waits[1] =
        (struct rv_critical_path_wait){.start_ns = 15, .end_ns = 25, .thread = 1, .waker = RV_CRITICAL_PATH_NONE};
    size_t n;
    struct rv_critical_path_step *steps = take(&graph, 0, 0, &n);
    cr_assert_eq(n, 2);
    expect_step(&steps[0], &(struct rv_critical_path_step){.from_ns = 0, .to_ns = 15, .thread = 1}, 0);
    expect_step(&steps[1],
                &(struct rv_critical_path_step){.from_ns = 15, .to_ns = 20, .thread = 1, .kind = RV_CRITICAL_PATH_WAIT},
                0);
    free(steps);
}

Test(critical_path_walk, a_run_without_waits_is_one_step)
{
    struct random_waits graph = {.threads = {{3, RV_CRITICAL_PATH_NONE}}, .n_threads = 1, .end_ns = 20};
    size_t n;
    struct rv_critical_path_step *steps = take(&graph, 0, 0, &n);
    cr_assert_eq(n, 1);
    expect_step(&steps[0], &(struct rv_critical_path_step){.from_ns = 3, .to_ns = 20}, 0);
    free(steps);
}
