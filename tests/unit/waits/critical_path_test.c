/* The critical path is the same whether waits are in memory or loaded, however they are cut into pages. */
#include "waits/critical_path_graph.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "../model/random_waits.h"

enum { N_GRAPHS = 1000, FIRST_TID = 10, OBJECT = 5, CALL_OF = 100 };

struct cut {
    size_t page_waits; /* in each page */
    size_t n_loaded;   /* the others are added */
    size_t most_bytes;
    bool has_copies; /* all are added, and all can be loaded */
};

static struct random_waits graph;
static struct rv_lanes *lanes;
static struct cut cut;
static size_t n_loads;

static int by_end(const void *a, const void *b)
{
    const struct rv_critical_path_wait *x = a, *y = b;
    return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

static struct rv_wait wait_of(const struct rv_critical_path_wait *wait)
{
    return (struct rv_wait){.start_ns = wait->start_ns,
                            .end_ns = wait->end_ns,
                            .woke_ns = wait->woke_ns,
                            .lane = wait->thread,
                            .object = OBJECT,
                            .wake = RV_WAKE_EXACT,
                            .waker = wait->waker == RV_CRITICAL_PATH_NONE ? 0 : FIRST_TID + wait->waker};
}

static struct rv_release release_of(const struct rv_critical_path_wait *wait)
{
    return (struct rv_release){
        .at_ns = wait->woke_ns, .lane = wait->waker, .object = OBJECT, .call = CALL_OF + wait->waker};
}

static size_t end_of_page(size_t first)
{
    return first + cut.page_waits < cut.n_loaded ? first + cut.page_waits : cut.n_loaded;
}

/* Its waits by thread, then the releases of them by thread. */
static bool load(void *context, uint64_t first, struct rv_wait_page *page)
{
    (void)context;
    n_loads++;
    page->waits = calloc(MOST_WAITS, sizeof *page->waits);
    page->releases = calloc(MOST_WAITS, sizeof *page->releases);
    page->n_waits = page->n_releases = 0;
    for (uint32_t thread = 0; thread < graph.n_threads; thread++)
        for (size_t i = first; i < end_of_page(first); i++) {
            if (graph.waits[i].thread == thread)
                page->waits[page->n_waits++] = wait_of(&graph.waits[i]);
            if (graph.waits[i].waker == thread)
                page->releases[page->n_releases++] = release_of(&graph.waits[i]);
        }
    return true;
}

static void add_to_stretch(struct rv_wait_stretch *stretch, const struct rv_critical_path_wait *wait)
{
    stretch->begin_ns = stretch->n_waits && stretch->begin_ns < wait->start_ns ? stretch->begin_ns : wait->start_ns;
    stretch->first_ns = stretch->n_waits ? stretch->first_ns : wait->end_ns;
    stretch->last_ns = wait->end_ns;
    stretch->n_waits++;
}

static void add_page(struct rv_waits *waits, size_t first)
{
    size_t n_waits = 0, n_releases = 0;
    for (uint32_t thread = 0; thread < graph.n_threads; thread++) {
        struct rv_wait_stretch stretch = {
            .page = first, .lane = thread, .first_wait = n_waits, .first_release = n_releases};
        for (size_t i = first; i < end_of_page(first); i++) {
            const struct rv_critical_path_wait *wait = &graph.waits[i];
            if (wait->thread == thread)
                add_to_stretch(&stretch, wait);
            if (wait->waker != thread)
                continue;
            stretch.first_release_ns = stretch.n_releases ? stretch.first_release_ns : wait->woke_ns;
            stretch.last_release_ns = wait->woke_ns;
            stretch.n_releases++;
        }
        rv_waits_add_stretch(waits, &stretch);
        n_waits += stretch.n_waits;
        n_releases += stretch.n_releases;
    }
}

static struct rv_waits *make_waits(void)
{
    struct rv_waits *waits = rv_waits_create(lanes, cut.most_bytes);
    rv_waits_set_loader(waits, load, NULL, cut.has_copies);
    for (size_t i = 0; i < cut.n_loaded; i += cut.page_waits)
        add_page(waits, i);
    for (size_t i = cut.has_copies ? 0 : cut.n_loaded; i < graph.n_waits; i++) {
        const struct rv_wait wait = wait_of(&graph.waits[i]);
        const struct rv_release release = release_of(&graph.waits[i]);
        if (wait.waker)
            rv_waits_add_release(waits, &release);
        rv_waits_add(waits, &wait);
    }
    return waits;
}

static void compare_edge(const struct rv_wait_edge *edge, const struct rv_critical_path_wait *wanted)
{
    cr_assert_eq(edge->wait.start_ns, wanted->start_ns);
    cr_assert_eq(edge->wait.end_ns, wanted->end_ns);
    cr_assert_eq(edge->wait.lane, wanted->thread);
    cr_assert_eq(edge->waker_call, wanted->waker == RV_CRITICAL_PATH_NONE ? 0 : CALL_OF + wanted->waker);
}

static void compare(const char *how, uint32_t seed, uint32_t thread, uint64_t from_ns, uint64_t to_ns)
{
    struct rv_waits *waits = make_waits();
    struct rv_wait_reader *reader = rv_wait_reader_open(waits, NULL, NULL);
    struct rv_critical_path_graph found;
    size_t n, n_wanted;
    rv_critical_path_graph_init(&found, lanes, reader);
    cr_assert_eq(found.n_threads, graph.n_threads);
    memcpy(found.threads, graph.threads, graph.n_threads * sizeof *found.threads);
    struct rv_critical_path_step *steps = rv_critical_path_graph_take_path(
        &found, &(struct rv_critical_path_graph_path){.thread = thread, .from_ns = from_ns, .to_ns = to_ns}, &n);
    struct rv_critical_path_step *wanted =
        rv_critical_path_take(&(struct rv_critical_path_params){.threads = graph.threads,
                                                                .n_threads = graph.n_threads,
                                                                .waits = graph.waits,
                                                                .n_waits = graph.n_waits,
                                                                .thread = thread,
                                                                .from_ns = from_ns,
                                                                .to_ns = to_ns},
                              &n_wanted);
    cr_assert_eq(n, n_wanted, "%s, seed %u: %zu steps, not %zu", how, seed, n, n_wanted);
    for (size_t i = 0; i < n; i++) {
        cr_assert(steps[i].from_ns == wanted[i].from_ns && steps[i].to_ns == wanted[i].to_ns &&
                      steps[i].thread == wanted[i].thread && steps[i].kind == wanted[i].kind,
                  "%s, seed %u: step %zu", how, seed, i);
        cr_assert_eq(steps[i].wait == RV_CRITICAL_PATH_NONE, wanted[i].wait == RV_CRITICAL_PATH_NONE);
        if (steps[i].wait != RV_CRITICAL_PATH_NONE)
            compare_edge(&found.edges[steps[i].wait], &graph.waits[wanted[i].wait]);
    }
    cr_assert_not(rv_wait_reader_has_missed(reader));
    free(steps);
    free(wanted);
    rv_critical_path_graph_fini(&found);
    rv_wait_reader_close(reader);
    rv_waits_destroy(waits);
}

static void make_lanes(void)
{
    lanes = rv_lanes_create();
    for (uint32_t i = 0; i < graph.n_threads; i++) {
        struct rv_lane *lane = rv_lanes_add(
            lanes,
            &(struct rv_lane_identity){.pid = 1, .tid = FIRST_TID + i, .thread = i, .process_key = 1, .name = ""});
        rv_timeline_add(lane->timeline,
                        &(struct rv_span){.start = graph.threads[i].begin_ns, .end = graph.end_ns, .id = 1}, 1);
        lane->last_ns = graph.end_ns;
    }
}

static void try_all(uint32_t seed, bool has_ties)
{
    random_waits_seed(seed);
    random_waits_make(&graph, has_ties);
    qsort(graph.waits, graph.n_waits, sizeof *graph.waits, by_end);
    make_lanes();
    const size_t n = graph.n_waits;
    const uint32_t thread = seed % (uint32_t)graph.n_threads;
    const uint64_t from_ns = seed % 3 ? 0 : graph.end_ns / 4, to_ns = seed % 2 ? graph.end_ns : graph.end_ns * 2 / 3;
    const size_t bytes = n * (sizeof(struct rv_wait) + sizeof(struct rv_release)) / 2 + 1;
    const struct {
        const char *how;
        struct cut cut;
    } cuts[] = {
        {"in memory", {.page_waits = 1}},
        {"a page a wait", {.page_waits = 1, .n_loaded = n}},
        {"pages of 2", {.page_waits = 2, .n_loaded = n}},
        {"pages of 7", {.page_waits = 7, .n_loaded = n}},
        {"one page", {.page_waits = MOST_WAITS, .n_loaded = n}},
        {"pages, then memory", {.page_waits = 3, .n_loaded = n / 2}},
        {"memory that is discarded", {.page_waits = 4, .n_loaded = n, .most_bytes = bytes, .has_copies = true}}};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        cut = cuts[i].cut;
        compare(cuts[i].how, seed, thread, from_ns, to_ns);
    }
    rv_lanes_destroy(lanes);
}

Test(waits_critical_path, a_path_is_the_same_however_waits_are_cut, .timeout = 120)
{
    for (uint32_t seed = 1; seed <= N_GRAPHS; seed++)
        try_all(seed, false);
    cr_assert_gt(n_loads, N_GRAPHS);
}

/* The waits of a thread that end at one moment are in order. */
Test(waits_critical_path, a_path_is_the_same_with_many_events_at_a_moment, .timeout = 120)
{
    for (uint32_t seed = 1; seed <= N_GRAPHS; seed++)
        try_all(seed, true);
}

static bool fail_to_load(void *context, uint64_t first, struct rv_wait_page *page)
{
    (void)context;
    (void)first;
    (void)page;
    return false;
}

Test(waits_critical_path, a_page_that_cannot_be_read_is_reported, .timeout = 60)
{
    struct rv_critical_path_graph found;
    size_t n;
    random_waits_seed(3);
    random_waits_make(&graph, false);
    qsort(graph.waits, graph.n_waits, sizeof *graph.waits, by_end);
    make_lanes();
    cut = (struct cut){.page_waits = 2, .n_loaded = graph.n_waits};
    struct rv_waits *waits = make_waits();
    rv_waits_set_loader(waits, fail_to_load, NULL, false);
    struct rv_wait_reader *reader = rv_wait_reader_open(waits, NULL, NULL);
    rv_critical_path_graph_init(&found, lanes, reader);
    free(rv_critical_path_graph_take_path(
        &found, &(struct rv_critical_path_graph_path){.thread = graph.waits[0].thread, .to_ns = graph.end_ns}, &n));
    cr_assert(rv_wait_reader_has_missed(reader));
    rv_critical_path_graph_fini(&found);
    rv_wait_reader_close(reader);
    rv_waits_destroy(waits);
    rv_lanes_destroy(lanes);
}
