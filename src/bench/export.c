/*
 * Exports: ten million spans of eight threads, from the spool to /dev/null in every format. CPU time of all threads:
 * compressed formats take less time than that where there are several cores.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "bench/bench.h"
#include "export/export.h"
#include "export/gzip.h"
#include "export/spans.h"

enum {
    N_RUNS = 3,
    N_LANES = 8,
    BLOCK_SPANS = 16384,
    N_ROUNDS = 77, /* of a block in each lane */
    N_SUBROUTINES = 600,
    MOST_DEPTH = 24
};

struct generator { /* one thread: a random walk of calls, 20 to 400 ns apart; most have the same callee each time */
    uint64_t random, now_ns;
    uint64_t start[MOST_DEPTH];
    uint32_t id[MOST_DEPTH];
    uint32_t depth;
};

struct input {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_spool *spool;
};

static void generate(struct generator *generator, struct rv_span *out, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint64_t random = rv_bench_random(&generator->random);
        uint32_t depth = generator->depth;
        generator->now_ns += 20 + (random >> 40) % 380;
        bool is_call = depth == 0 || (depth < MOST_DEPTH && (random & 1));
        if (is_call) {
            generator->start[depth] = generator->now_ns;
            uint32_t caller = depth ? generator->id[depth - 1] : 0;
            generator->id[depth] = (caller * 7 + (random >> 57 & 7 ? 1 : 2)) % N_SUBROUTINES + 1;
            generator->depth++;
            continue;
        }
        generator->depth = --depth;
        out[i++] = (struct rv_span){
            .start = generator->start[depth], .end = generator->now_ns, .id = generator->id[depth], .depth = depth};
    }
}

static int fill(struct input *input, struct rv_bench_out *out)
{
    struct generator *generators = rv_alloc(N_LANES, sizeof *generators);
    struct rv_span *block = rv_alloc(BLOCK_SPANS, sizeof *block);
    struct rv_sink sink = rv_spool_sink(input->spool);
    double samples[N_ROUNDS];
    for (unsigned i = 0; i < N_LANES; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "worker-%u", i);
        generators[i] = (struct generator){.random = i + 1, .now_ns = 1000000000000};
        (void)rv_lanes_add(input->lanes, &(struct rv_lane_identity){
                                             .pid = 4000, .tid = 4000 + i, .name = name, .process_name = "server"});
    }
    for (unsigned round = 0; round < N_ROUNDS; round++) {
        uint64_t sum_ns = 0;
        for (unsigned i = 0; i < N_LANES; i++) {
            generate(&generators[i], block, BLOCK_SPANS);
            uint64_t before_ns = rv_clock_thread_cpu_ns();
            sink.spans(sink.context, rv_lanes_get(input->lanes, i), block, BLOCK_SPANS);
            sum_ns += rv_clock_thread_cpu_ns() - before_ns;
        }
        samples[round] = (double)sum_ns / (N_LANES * BLOCK_SPANS);
    }
    double median = rv_bench_median(samples, N_ROUNDS);
    rv_bench_row(out, &(struct rv_bench_row){"export.spool", "ns/span", median, samples[0], N_ROUNDS, NULL, 0,
                                             "while the program runs"});
    free(generators);
    free(block);
    return rv_spool_seal(input->spool);
}

static void name_subroutines(struct rv_subroutines *subroutines)
{
    for (uint32_t id = 1; id <= N_SUBROUTINES; id++) {
        char package[32], name[32];
        (void)snprintf(package, sizeof package, "package%u", id % 23);
        (void)snprintf(name, sizeof name, "subroutine_%u", id);
        rv_subroutines_define(subroutines, id, package, name, "server.c", id);
    }
}

struct variant {
    const char *bench;
    int kind; /* enum rv_export_kind; -1: the table of calls */
    bool is_packed;
};

static int write_once(const struct input *input, const struct variant *variant, FILE *file)
{
    if (variant->kind < 0)
        return rv_spans_write(&(struct rv_spans_params){.spool = input->spool,
                                                        .lanes = input->lanes,
                                                        .subroutines = input->subroutines,
                                                        .format = RV_SPANS_CSV},
                              file);
    const struct rv_export export = {
        .lanes = input->lanes, .subroutines = input->subroutines, .spool = input->spool, .title = "bench"};
    return rv_export_write(&export, (enum rv_export_kind)variant->kind, file);
}

static int run_variant(const struct input *input, const struct variant *variant, struct rv_bench_out *out)
{
    double samples[N_RUNS], n_spans = (double)rv_spool_n_spans(input->spool);
    for (unsigned i = 0; i < N_RUNS; i++) {
        uint64_t before_ns = rv_clock_process_cpu_ns();
        FILE *null = fopen("/dev/null", "w"), *packed = NULL;
        if (null && variant->is_packed)
            packed = rv_gzip_open(null);
        if (!null || (variant->is_packed && !packed))
            return rv_err_sys("/dev/null");
        int error = write_once(input, variant, packed ? packed : null);
        if (packed)
            (void)fclose(packed);
        (void)fclose(null);
        if (error)
            return error;
        samples[i] = n_spans / (double)(rv_clock_process_cpu_ns() - before_ns) * 1e3;
    }
    double median = rv_bench_median(samples, N_RUNS);
    rv_bench_row(out, &(struct rv_bench_row){variant->bench, "Mspans/s", median, samples[N_RUNS - 1], N_RUNS, NULL, 0,
                                             "min is the best rate, per CPU second"});
    return 0;
}

int rv_bench_export(struct rv_bench_out *out)
{
    static const struct variant VARIANTS[] = {{"export.chrome", RV_EXPORT_CHROME, false},
                                              {"export.chrome.gz", RV_EXPORT_CHROME, true},
                                              {"export.perfetto", RV_EXPORT_PERFETTO, false},
                                              {"export.folded", RV_EXPORT_FOLDED, false},
                                              {"export.speedscope", RV_EXPORT_SPEEDSCOPE, false},
                                              {"export.html", RV_EXPORT_HTML, false},
                                              {"export.spans", -1, false}};
    struct input input = {.spool = rv_spool_create()};
    if (!input.spool)
        return -EIO;
    input.lanes = rv_lanes_create();
    input.subroutines = rv_subroutines_create();
    name_subroutines(input.subroutines);
    int error = fill(&input, out);
    for (size_t i = 0; i < sizeof VARIANTS / sizeof *VARIANTS && !error; i++)
        error = run_variant(&input, &VARIANTS[i], out);
    rv_spool_destroy(input.spool);
    rv_lanes_destroy(input.lanes);
    rv_subroutines_destroy(input.subroutines);
    return error;
}
