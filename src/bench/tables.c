/*
 * The tables of the window over a whole capture: rows of subroutines and paths, also of what passes a filter, the calls of one
 * subroutine and their order, trees. CPU time of the threads that make them; the window's thread only draws what is complete.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/os.h"
#include "bench/bench.h"
#include "model/call_tree.h"
#include "model/first_calls.h"
#include "model/range_statistics.h"

#define N_TURNS 3u
#define N_WINDOWS 15u
#define MEMORY_BYTES (UINT64_C(64) << 20) /* as the window has, */
#define SAMPLED_CALLS (UINT64_C(1) << 19) /* and shows first */
enum { MOST_THREADS = 8, MOST_IDS = 600 /* of the calls of lod */ };

struct tables {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_bench_out *out;
    uint64_t from_ns, to_ns; /* of the next range, */
    const struct rv_filter *filter;
};

static struct rv_range_statistics_params params_of(const struct tables *tables, const uint32_t *calls_of)
{
    return (struct rv_range_statistics_params){.from_ns = tables->from_ns,
                                               .to_ns = tables->to_ns,
                                               .lanes = tables->lanes,
                                               .subroutines = tables->subroutines,
                                               .filter = tables->filter,
                                               .lists_calls = calls_of,
                                               .calls_of = calls_of ? *calls_of : 0};
}

static struct rv_range_statistics *create(const struct tables *tables, const uint32_t *calls_of,
                                          uint64_t calls_per_part, struct rv_range_memory *memory)
{
    struct rv_range_statistics_params params = params_of(tables, calls_of);
    params.memory = memory;
    params.calls_per_part = calls_per_part;
    return rv_range_statistics_create(&params);
}

static void report(const struct tables *tables, const char *name, double *samples, const char *detail)
{
    double median = rv_bench_median(samples, N_TURNS);
    rv_bench_row(tables->out, &(struct rv_bench_row){name, "ms", median, samples[0], N_TURNS, NULL, 0, detail});
}

static double ms_since(uint64_t before_ns)
{
    return (double)(rv_clock_thread_cpu_ns() - before_ns) / 1e6;
}

/* The subroutine with most calls. */
static uint32_t most_called(const struct rv_range_statistics *range)
{
    const struct rv_stats *stats = rv_range_statistics_stats(range);
    size_t n, most = 0;
    struct rv_stats_row *rows = rv_stats_take_rows(stats, &n);
    for (size_t i = 1; i < n; i++)
        most = rows[i].n_calls > rows[most].n_calls ? i : most;
    uint32_t id = rows[most].id;
    free(rows);
    return id;
}

/* ---- ranges ---- */

struct reader {
    struct rv_range_statistics_share *share;
    pthread_t thread;
    double ms;
};

static void *read_share(void *context)
{
    struct reader *reader = context;
    const uint64_t before_ns = rv_clock_thread_cpu_ns();
    while (!rv_range_statistics_share_step(reader->share, SIZE_MAX, UINT64_C(1000000000)))
        continue;
    reader->ms = ms_since(before_ns);
    return NULL;
}

/* Returns the time of the thread that takes longest. */
static double measure_by_threads(struct rv_range_statistics *range, size_t n_threads)
{
    struct reader readers[MOST_THREADS];
    double most_ms = 0.0;
    for (size_t i = 0; i < n_threads; i++) {
        readers[i].share = rv_range_statistics_share_create(range);
        (void)pthread_create(&readers[i].thread, NULL, read_share, &readers[i]);
    }
    for (size_t i = 0; i < n_threads; i++) {
        (void)pthread_join(readers[i].thread, NULL);
        rv_range_statistics_share_destroy(readers[i].share);
        most_ms = readers[i].ms > most_ms ? readers[i].ms : most_ms;
    }
    return most_ms;
}

static size_t n_threads(void)
{
    const size_t n_cpus = rv_os_n_cpus();
    return n_cpus < MOST_THREADS ? n_cpus : MOST_THREADS;
}

/* In parts, by as many threads as a window has here; and as one part, which one thread measures. In turns. */
static void time_range(const struct tables *tables, const char *name, const uint32_t *calls_of, const char *detail)
{
    double whole_ms[N_TURNS], samples[N_TURNS];
    char text[96];
    for (unsigned i = 0; i < N_TURNS; i++) {
        struct rv_range_statistics *whole = create(tables, calls_of, UINT64_MAX, NULL),
                                   *range = create(tables, calls_of, 0, NULL);
        whole_ms[i] = measure_by_threads(whole, 1);
        samples[i] = measure_by_threads(range, n_threads());
        rv_range_statistics_destroy(whole);
        rv_range_statistics_destroy(range);
    }
    double median = rv_bench_median(samples, N_TURNS), whole = rv_bench_median(whole_ms, N_TURNS);
    (void)snprintf(text, sizeof text, "%s; longest of %zu threads, one: %.0f", detail, n_threads(), whole);
    rv_bench_row(tables->out, &(struct rv_bench_row){name, "ms", median, samples[0], N_TURNS, "one part",
                                                     whole_ms[0] / samples[0], text});
}

/* What rules of each kind let pass: filters are not known ahead. */
static void time_filters(const struct tables *tables)
{
    static const struct {
        const char *name, *rule;
    } filters[] = {{"lod.table.by_duration", "duration:>10us"},
                   {"lod.table.by_depth", "depth:<8"},
                   {"lod.table.by_name", "name:[05]$"},
                   {"lod.table.by_thread", "thread:[02468]$"}};
    struct tables filtered = *tables;
    char name[16], why[128];
    filtered.subroutines = rv_subroutines_create();
    for (uint32_t id = 1; id < MOST_IDS; id++) {
        (void)snprintf(name, sizeof name, "f%u", id);
        rv_subroutines_define(filtered.subroutines, id, "", name, "", 0);
    }
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        filtered.filter = NULL;
        (void)rv_filter_add(&filtered.filter, filters[i].rule, why, sizeof why);
        time_range(&filtered, filters[i].name, NULL, filters[i].rule);
        rv_filter_release(filtered.filter);
    }
    rv_subroutines_destroy(filtered.subroutines);
}

/* What is shown until all is measured: rows and paths, or a list of calls by another column. */
static void time_sample(const struct tables *tables, const char *name, const uint32_t *calls_of)
{
    double samples[N_TURNS];
    char detail[64];
    struct rv_range_statistics_params params = params_of(tables, calls_of);
    params.n_calls_sampled = SAMPLED_CALLS;
    for (unsigned i = 0; i < N_TURNS; i++) {
        struct rv_range_statistics *range = rv_range_statistics_create(&params);
        samples[i] = measure_by_threads(range, n_threads());
        const uint64_t before_ns = rv_clock_thread_cpu_ns();
        if (calls_of)
            free(rv_call_list_take_order(rv_range_statistics_calls(range), RV_CALL_SELF, true, NULL));
        samples[i] += ms_since(before_ns);
        (void)snprintf(detail, sizeof detail, "of %.0f %% of the calls; longest of %zu threads",
                       100.0 * rv_range_statistics_sampled(range), n_threads());
        rv_range_statistics_destroy(range);
    }
    report(tables, name, samples, detail);
}

/* Windows of any length. */
static void time_windows(const struct tables *tables, const char *name, struct rv_range_memory *memory)
{
    struct tables window = *tables;
    double samples[N_WINDOWS];
    char text[64];
    const uint64_t last_ns = rv_timeline_last_ns(rv_lanes_get(tables->lanes, 0)->timeline);
    uint64_t random = 1;
    for (unsigned i = 0; i < N_WINDOWS; i++) {
        const uint64_t a_ns = rv_bench_random(&random) % last_ns, b_ns = rv_bench_random(&random) % last_ns;
        window.from_ns = a_ns < b_ns ? a_ns : b_ns;
        window.to_ns = (a_ns < b_ns ? b_ns : a_ns) + 1;
        struct rv_range_statistics *range = create(&window, NULL, 0, memory);
        samples[i] = measure_by_threads(range, n_threads());
        rv_range_statistics_destroy(range);
    }
    const double median = rv_bench_median(samples, N_WINDOWS);
    (void)snprintf(text, sizeof text, "any window, worst %.1f; longest of %zu threads", samples[N_WINDOWS - 1],
                   n_threads());
    rv_bench_row(tables->out, &(struct rv_bench_row){name, "ms", median, samples[0], N_WINDOWS, NULL, 0, text});
}

/* Until the memory has all parts, or no room for more. */
static void measure_ahead(const struct tables *tables, struct rv_range_memory *memory)
{
    struct rv_range_statistics_params params = params_of(tables, NULL);
    params.memory = memory;
    params.n_beforehand = 1;
    for (bool has_all = false; !has_all;) {
        struct rv_range_statistics *range = rv_range_statistics_create(&params);
        rv_range_statistics_measure(range);
        has_all = rv_range_statistics_has_all_beforehand(range);
        rv_range_statistics_destroy(range);
    }
}

/* All of it, and windows, when all of it has been measured before. */
static void time_again(const struct tables *tables, const char *const names[2])
{
    double samples[N_TURNS];
    char text[64];
    struct rv_range_memory *memory = rv_range_memory_create(MEMORY_BYTES);
    measure_ahead(tables, memory);
    for (unsigned i = 0; i < N_TURNS; i++) {
        struct rv_range_statistics *range = create(tables, NULL, 0, memory);
        samples[i] = measure_by_threads(range, n_threads());
        rv_range_statistics_destroy(range);
    }
    (void)snprintf(text, sizeof text, "measured before; longest of %zu threads", n_threads());
    report(tables, names[0], samples, text);
    time_windows(tables, names[1], memory);
    rv_range_memory_destroy(memory);
}

static bool is_wanted(const void *context)
{
    (void)context;
    return true;
}

/* What is shown of a list until it is complete. */
static void time_first(const struct tables *tables, const char *name, uint32_t id, enum rv_call_list_order order)
{
    double samples[N_TURNS];
    char detail[64];
    struct rv_range_statistics_params params = params_of(tables, &id);
    params.list_order = order;
    for (unsigned i = 0; i < N_TURNS; i++) {
        struct rv_call_list list = {0};
        const uint64_t before_ns = rv_clock_thread_cpu_ns();
        rv_first_calls_find(&list, &(struct rv_first_calls_params){.range = &params, .is_wanted = is_wanted});
        samples[i] = ms_since(before_ns);
        (void)snprintf(detail, sizeof detail, "the first %zu, by one thread", list.n);
        rv_call_list_fini(&list);
    }
    report(tables, name, samples, detail);
}

static void time_list(const struct tables *tables, const char *const names[6], uint32_t id)
{
    double orders[N_TURNS];
    char detail[64];
    struct rv_range_statistics *range = create(tables, &id, 0, NULL);
    rv_range_statistics_measure(range);
    const struct rv_call_list *list = rv_range_statistics_calls(range);
    (void)snprintf(detail, sizeof detail, "%llu calls", (unsigned long long)list->n_calls);
    time_range(tables, names[0], &id, detail);
    for (unsigned i = 0; i < N_TURNS; i++) {
        const uint64_t before_ns = rv_clock_thread_cpu_ns();
        free(rv_call_list_take_order(list, RV_CALL_SELF, true, NULL));
        orders[i] = ms_since(before_ns);
    }
    (void)snprintf(detail, sizeof detail, "%zu calls by another column", list->n);
    report(tables, names[1], orders, detail);
    rv_range_statistics_destroy(range);
    time_first(tables, names[2], id, RV_CALL_LIST_LONGEST);
    time_first(tables, names[3], id, RV_CALL_LIST_SHORTEST);
    time_first(tables, names[4], id, RV_CALL_LIST_EARLIEST);
    time_sample(tables, names[5], &id);
}

/* As if every second subroutine were the same one: it has half of all calls. */
static void time_list_of_half(const struct tables *tables)
{
    static const char *const names[6] = {"lod.table.half_calls",    "lod.table.half_order",    "lod.table.half_longest",
                                         "lod.table.half_shortest", "lod.table.half_earliest", "lod.table.half_sample"};
    struct tables half = *tables;
    half.subroutines = rv_subroutines_create();
    for (uint32_t id = 1; id < MOST_IDS; id += 2)
        rv_subroutines_define(half.subroutines, id, "", "half", "", 0);
    time_list(&half, names, 1);
    rv_subroutines_destroy(half.subroutines);
}

/* ---- trees ---- */

static void time_trees(const struct tables *tables, const struct rv_range_statistics *range, uint32_t id)
{
    static const char *const names[RV_CALL_TREE_KINDS] = {"lod.table.top_down", "lod.table.bottom_up",
                                                          "lod.table.callers", "lod.table.callees"};
    char detail[64] = "";
    double samples[N_TURNS];
    size_t n;
    const struct rv_range_node *paths = rv_range_statistics_nodes(range, &n);
    for (int kind = 0; kind < RV_CALL_TREE_KINDS; kind++) {
        for (unsigned i = 0; i < N_TURNS; i++) {
            struct rv_call_tree tree = {0};
            uint64_t before_ns = rv_clock_thread_cpu_ns();
            rv_call_tree_make(&tree, (enum rv_call_tree_kind)kind, id, paths, n);
            samples[i] = ms_since(before_ns);
            (void)snprintf(detail, sizeof detail, "%zu nodes of %zu paths", tree.n, n);
            rv_call_tree_fini(&tree);
        }
        report(tables, names[kind], samples, detail);
    }
}

void rv_bench_tables(struct rv_lanes *lanes, bool has_few_paths, struct rv_bench_out *out)
{
    static const char *const again[2][2] = {{"lod.table.rows.again", "lod.table.rows.window"},
                                            {"lod.table.usual_rows.again", "lod.table.usual_rows.window"}};
    static const char *const lists[2][6] = {{"lod.table.calls", "lod.table.order", "lod.table.longest",
                                             "lod.table.shortest", "lod.table.earliest", "lod.table.calls_sample"},
                                            {"lod.table.usual_calls", "lod.table.usual_order",
                                             "lod.table.usual_longest", "lod.table.usual_shortest",
                                             "lod.table.usual_earliest", "lod.table.usual_calls_sample"}};
    const struct tables tables = {lanes, rv_subroutines_create(), out, 0, UINT64_MAX, NULL};
    struct rv_range_statistics *range = create(&tables, NULL, 0, NULL);
    size_t n;
    char detail[32];
    rv_range_statistics_measure(range);
    uint32_t id = most_called(range);
    (void)rv_range_statistics_nodes(range, &n);
    (void)snprintf(detail, sizeof detail, "%zu paths", n);
    time_range(&tables, has_few_paths ? "lod.table.usual_rows" : "lod.table.rows", NULL, detail);
    time_sample(&tables, has_few_paths ? "lod.table.usual_rows.sample" : "lod.table.rows.sample", NULL);
    time_again(&tables, again[has_few_paths]);
    time_list(&tables, lists[has_few_paths], id);
    if (has_few_paths) {
        time_filters(&tables);
        time_list_of_half(&tables);
    } else {
        time_trees(&tables, range, id);
    }
    rv_range_statistics_destroy(range);
    rv_subroutines_destroy(tables.subroutines);
}
