/*
 * The traced program runs in bursts of 44 thousand events, is drained every millisecond, as by a viewer, and never
 * waits. Its clock reads, plain calls and traced calls are minima of one process.
 */
#include "bench/hooked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "bench/child.h"
#include "launch/launch.h"
#include "ring/ownership.h"

enum { N_RUNS = 8, N_SAMPLES = 40, N_SAMPLES_UFTRACE = 12 };

struct cost {
    double clock_ns, plain_ns, traced_ns; /* per clock read, per call */
};

static double added_ns(const struct cost *cost)
{
    return cost->traced_ns - cost->plain_ns;
}

struct program {
    char traced[4096], hooks[4096];
};

static bool find_program(struct program *program)
{
    return rv_launch_find_file("ringviz-bench-traced", program->traced, sizeof program->traced) == 0 &&
           rv_launch_find_file("libringviz-cyg.so", program->hooks, sizeof program->hooks) == 0;
}

static int read_cost(int out, struct cost *cost)
{
    double ns[3] = {0};
    const int error = rv_child_read_numbers(out, ns, 3);
    cost->clock_ns = ns[0];
    cost->plain_ns = ns[1];
    cost->traced_ns = ns[2];
    return error;
}

static int run_hooked(const struct program *program, enum rv_clock_kind clock_kind, struct cost *cost)
{
    struct rv_map_params params = {.n_rings = 1, .clock_kind = clock_kind};
    struct rv_map map = {0};
    char path[4096], samples[16], file[4200], preload[4200];
    const char *argv[] = {program->traced, samples, NULL}, *variables[] = {file, preload, NULL};
    int out, error = rv_map_default_path(path, sizeof path, 1 << 22);
    snprintf(samples, sizeof samples, "%d", N_SAMPLES);
    if (error || (error = rv_map_create(&map, path, &params)) || (error = rv_ownership_attach_consumer(&map)))
        return error;
    snprintf(file, sizeof file, "RINGVIZ_FILE=%s", path);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", program->hooks);
    pid_t pid = rv_child_start(argv, variables, &out);
    if (pid < 0)
        error = (int)pid;
    else if (rv_child_drain(&map, pid) == 0)
        error = rv_err(EIO, "%s wrote no event", program->traced);
    if (pid >= 0 && read_cost(out, cost) != 0)
        error = rv_err(EIO, "%s printed no times", program->traced);
    unlink(path);
    rv_map_close(&map);
    return error;
}

/* -ENOENT when uftrace is not installed. */
static int run_uftrace(const struct program *program, struct cost *cost)
{
    char folder[] = "/tmp/ringviz-bench-XXXXXX", calls[64], samples[16];
    const char *argv[] = {"uftrace", "record", "--no-pager", "--no-libcall",  "--libmcount-single",
                          "--force", "-d",     calls,        program->traced, samples,
                          NULL};
    int out, status = 0;
    snprintf(samples, sizeof samples, "%d", N_SAMPLES_UFTRACE);
    if (!mkdtemp(folder))
        return -errno;
    snprintf(calls, sizeof calls, "%s/uftrace", folder); /* must not exist: uftrace moves existing folders away */
    pid_t pid = rv_child_start(argv, NULL, &out);
    int error = pid < 0 ? (int)pid : read_cost(out, cost);
    if (pid > 0)
        waitpid(pid, &status, 0);
    rv_child_remove_folder(folder);
    return error || status ? -ENOENT : 0;
}

struct result {
    double added[N_RUNS];
    struct cost least; /* of the run that added least */
    double median;
};

/* The least of several runs: a process may keep a bad placement in memory for its whole life. */
static void take(struct result *result, unsigned run, const struct cost *cost)
{
    if (run == 0 || added_ns(cost) < added_ns(&result->least))
        result->least = *cost;
    result->added[run] = added_ns(cost);
    if (run + 1 == N_RUNS)
        result->median = rv_bench_median(result->added, N_RUNS);
}

static void print_row(struct rv_bench_out *out, const char *bench, const struct result *result, const char *baseline,
                      double baseline_ns)
{
    char detail[96];
    snprintf(detail, sizeof detail, "added; %s: %.3g ns, call alone: %.3g ns", baseline, baseline_ns,
             result->least.plain_ns);
    rv_bench_row(out, &(struct rv_bench_row){.bench = bench,
                                             .unit = "ns/call",
                                             .median = result->median,
                                             .min = added_ns(&result->least),
                                             .n = N_RUNS * N_SAMPLES,
                                             .baseline = baseline,
                                             .ratio = baseline_ns / added_ns(&result->least),
                                             .detail = detail});
}

int rv_bench_hooked(struct rv_bench_out *out)
{
    static struct program program;
    struct result tsc, tick, uftrace;
    struct cost cost = {0};
    bool has_uftrace = true;
    if (!find_program(&program))
        return 0;
    for (unsigned run = 0; run < N_RUNS; run++) {
        int error = run_hooked(&program, RV_CLOCK_TSC, &cost);
        if (error)
            return error;
        take(&tsc, run, &cost);
        if ((error = run_hooked(&program, RV_CLOCK_TICK, &cost)))
            return error;
        take(&tick, run, &cost);
        has_uftrace = has_uftrace && run_uftrace(&program, &cost) == 0;
        if (has_uftrace)
            take(&uftrace, run, &cost);
    }
    print_row(out, "ring.cyg", &tsc, "two clock reads", 2 * tsc.least.clock_ns);
    print_row(out, "ring.cyg_tick", &tick, "two clock reads", 2 * tick.least.clock_ns);
    if (has_uftrace)
        print_row(out, "ring.cyg_uftrace", &tsc, "uftrace", added_ns(&uftrace.least));
    return 0;
}
