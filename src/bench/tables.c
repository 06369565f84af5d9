/*
 * The tables of the window over a whole capture: rows of subroutines and paths, the calls of one subroutine and their
 * order, trees. CPU time of the thread that makes them; the window's thread only draws what is complete.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "bench/bench.h"
#include "model/call_tree.h"
#include "model/range.h"

#define N_TURNS 3u

static struct rv_range *measure(struct rv_lanes *lanes, struct rv_subroutines *subroutines, const uint32_t *calls_of)
{
    struct rv_range *range = rv_range_create(&(struct rv_range_params){.to_ns = UINT64_MAX,
                                                                       .lanes = lanes,
                                                                       .subroutines = subroutines,
                                                                       .lists_calls = calls_of,
                                                                       .calls_of = calls_of ? *calls_of : 0});
    (void)rv_range_step(range, SIZE_MAX);
    return range;
}

static void report(struct rv_bench_out *out, const char *name, double *samples, const char *detail)
{
    double median = rv_bench_median(samples, N_TURNS);
    rv_bench_row(out, &(struct rv_bench_row){name, "ms", median, samples[0], N_TURNS, NULL, 0, detail});
}

static double ms_since(uint64_t before_ns)
{
    return (double)(rv_clock_thread_cpu_ns() - before_ns) / 1e6;
}

/* The subroutine with most calls. */
static uint32_t most_called(const struct rv_range *range)
{
    const struct rv_stats *stats = rv_range_stats(range);
    size_t n = rv_stats_rows(stats, NULL, 0), most = 0;
    struct rv_stats_row *rows = calloc(n + 1, sizeof *rows);
    (void)rv_stats_rows(stats, rows, n);
    for (size_t i = 1; i < n; i++)
        most = rows[i].n_calls > rows[most].n_calls ? i : most;
    uint32_t id = rows[most].id;
    free(rows);
    return id;
}

static void time_rows(struct rv_lanes *lanes, struct rv_subroutines *subroutines, struct rv_bench_out *out)
{
    double samples[N_TURNS];
    for (unsigned i = 0; i < N_TURNS; i++) {
        uint64_t before_ns = rv_clock_thread_cpu_ns();
        rv_range_destroy(measure(lanes, subroutines, NULL));
        samples[i] = ms_since(before_ns);
    }
    report(out, "lod.table.rows", samples, "all subroutines and paths");
}

static void time_list(struct rv_lanes *lanes, struct rv_subroutines *subroutines, uint32_t id, struct rv_bench_out *out)
{
    double lists[N_TURNS], orders[N_TURNS];
    char detail[64] = "";
    for (unsigned i = 0; i < N_TURNS; i++) {
        uint64_t before_ns = rv_clock_thread_cpu_ns();
        struct rv_range *range = measure(lanes, subroutines, &id);
        lists[i] = ms_since(before_ns);
        const struct rv_call_list *list = rv_range_calls(range);
        before_ns = rv_clock_thread_cpu_ns();
        free(rv_call_list_take_order(list, RV_CALL_SELF, 1, NULL));
        orders[i] = ms_since(before_ns);
        (void)snprintf(detail, sizeof detail, "%llu calls", (unsigned long long)list->n_calls);
        rv_range_destroy(range);
    }
    report(out, "lod.table.calls", lists, detail);
    report(out, "lod.table.order", orders, "by another column");
}

static void time_trees(const struct rv_range *range, uint32_t id, struct rv_bench_out *out)
{
    static const char *const names[RV_CALL_TREE_KINDS] = {"lod.table.top_down", "lod.table.bottom_up",
                                                          "lod.table.callers", "lod.table.callees"};
    char detail[64] = "";
    double samples[N_TURNS];
    size_t n;
    const struct rv_range_node *paths = rv_range_nodes(range, &n);
    for (int kind = 0; kind < RV_CALL_TREE_KINDS; kind++) {
        for (unsigned i = 0; i < N_TURNS; i++) {
            struct rv_call_tree tree = {0};
            uint64_t before_ns = rv_clock_thread_cpu_ns();
            rv_call_tree_make(&tree, (enum rv_call_tree_kind)kind, id, paths, n);
            samples[i] = ms_since(before_ns);
            (void)snprintf(detail, sizeof detail, "%zu nodes of %zu paths", tree.n, n);
            rv_call_tree_fini(&tree);
        }
        report(out, names[kind], samples, detail);
    }
}

void rv_bench_tables(struct rv_lanes *lanes, struct rv_bench_out *out)
{
    struct rv_subroutines *subroutines = rv_subroutines_create();
    struct rv_range *range = measure(lanes, subroutines, NULL);
    uint32_t id = most_called(range);
    time_rows(lanes, subroutines, out);
    time_list(lanes, subroutines, id, out);
    time_trees(range, id, out);
    rv_range_destroy(range);
    rv_subroutines_destroy(subroutines);
}
