/*
 * What a program takes within limits of --max-overhead: CPU time of the program, without ringviz's own. It runs traced and
 * untraced at once, on one CPU, so that all that other work does to the machine meanwhile slows both: from run to run the CPU
 * time of one program differs by half, the ratio of two at once by a hundredth. One that is traced in no function shows what
 * of it is set-up: with what earlier runs have left in a cache of their own (patch/plan_file.h); --bench=patch has the first.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/vec.h"
#include "bench/bench.h"
#include "bench/child.h"
#include "launch/launch.h"

enum { N_TURNS = 5, N_BEFORE = 3, N_WAYS = 3, N_FRONT = 7, PATH_BYTES = 4096, STATUS_NOT_FOUND = 127 };

static const struct way {
    const char *name, *option;
} ways[N_WAYS] = {{"nothing", "--include=^ringviz-bench-nothing$"},
                  {"limit_10", "--max-overhead=10"},
                  {"limit_50", "--max-overhead=50"}};

struct run {
    char timer[PATH_BYTES], cache[64]; /* cache: a variable */
    const char *const *command;
    double untraced_ns[N_WAYS * N_TURNS], traced_ns[N_WAYS][N_TURNS];
    double ratios[N_WAYS][N_TURNS]; /* traced to untraced */
};

/* ringviz with the way's option (NULL: untraced), the timer, and the command; freed by the caller. */
static const char **arguments_of(const struct run *run, const struct way *way)
{
    const char *const front[N_FRONT] = {
        "/proc/self/exe", "--report=json", "--force", "--output=/dev/null", way ? way->option : NULL, "--", run->timer};
    const size_t n_front = way ? N_FRONT : 1;
    size_t n = 0;
    while (run->command[n])
        n++;
    const char **all = rv_alloc(n_front + n + 1, sizeof *all);
    memcpy(all, front + N_FRONT - n_front, n_front * sizeof *all);
    memcpy(all + n_front, run->command, n * sizeof *all);
    return all;
}

struct child {
    pid_t pid;
    int out;
};

static int start(const struct run *run, const struct way *way, struct child *child)
{
    const char **argv = arguments_of(run, way), *const variables[] = {run->cache, NULL};
    child->pid = rv_child_start(argv, variables, &child->out);
    free(argv);
    return child->pid < 0 ? (int)child->pid : 0;
}

/* Wait for its end, and read its time. */
static int end(const struct child *child, double *ns)
{
    int status = 0;
    const int error = rv_child_read_numbers(child->out, ns, 1);
    waitpid(child->pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND ? -ENOENT : error;
}

static int measure(struct run *run, unsigned way, unsigned turn)
{
    struct child untraced, traced;
    double *untraced_ns = &run->untraced_ns[turn * N_WAYS + way], *traced_ns = &run->traced_ns[way][turn];
    int error = start(run, NULL, &untraced);
    if (error)
        return error;
    const int traced_error = start(run, &ways[way], &traced);
    error = end(&untraced, untraced_ns);
    if (traced_error)
        return traced_error;
    const int end_error = end(&traced, traced_ns);
    run->ratios[way][turn] = *traced_ns / *untraced_ns;
    return error ? error : end_error;
}

static int measure_all(struct run *run)
{
    int error = 0;
    for (unsigned i = 0; i < N_BEFORE && !error; i++)
        error = measure(run, N_WAYS - 1, 0);
    for (unsigned turn = 0; turn < N_TURNS && !error; turn++)
        for (unsigned way = 0; way < N_WAYS && !error; way++)
            error = measure(run, way, turn);
    return error;
}

static void print_row(struct rv_bench_out *out, const char *name, double *ns, unsigned n, double *ratios)
{
    char bench[64], detail[64] = "CPU time; so are the rows below";
    const double median = rv_bench_median(ns, n), ratio = ratios ? rv_bench_median(ratios, n) : 1;
    snprintf(bench, sizeof bench, "max_overhead.%s", name);
    if (ratios)
        snprintf(detail, sizeof detail, "%+.1f %% (%+.1f to %+.1f)", (ratio - 1) * 100, (ratios[0] - 1) * 100,
                 (ratios[n - 1] - 1) * 100);
    rv_bench_row(out, &(struct rv_bench_row){.bench = bench,
                                             .unit = "ms",
                                             .median = median / 1e6,
                                             .min = ns[0] / 1e6,
                                             .n = n,
                                             .baseline = ratios ? "untraced" : NULL,
                                             .ratio = 1 / ratio,
                                             .detail = detail});
}

int rv_bench_max_overhead(struct rv_bench_out *out)
{
    char plain[PATH_BYTES], cache[] = "/tmp/ringviz-bench-XXXXXX";
    const char *const ours[] = {plain, NULL};
    struct run run = {.command = rv_bench_command(out)};
    if (rv_launch_find_file("ringviz-bench-cpu-time", run.timer, sizeof run.timer) != 0 ||
        (!run.command && rv_launch_find_file("ringviz-bench-plain", plain, sizeof plain) != 0) || !mkdtemp(cache))
        return 0;
    run.command = run.command ? run.command : ours;
    snprintf(run.cache, sizeof run.cache, "XDG_CACHE_HOME=%s", cache);
    const int error = measure_all(&run);
    rv_child_remove_folder(cache);
    if (error)
        return rv_err(-error, "%s: %s", *run.command, error == -ENOENT ? "it cannot be run" : "no times");
    print_row(out, "untraced", run.untraced_ns, N_WAYS * N_TURNS, NULL);
    for (unsigned way = 0; way < N_WAYS; way++)
        print_row(out, ways[way].name, run.traced_ns[way], N_TURNS, run.ratios[way]);
    return 0;
}
