/*
 * What tracing costs the traced program, stage by stage, in processes of its own: without it; with hooks that do
 * nothing; writing to a ring that nobody reads; read by a plain consumer; under ringviz with its whole pipeline; and
 * under another tracer, where one is installed. Stages take turns; rows compare their minima.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "bench/bench.h"
#include "bench/child.h"
#include "launch/launch.h"
#include "ring/directory.h"

enum { N_RUNS = 3, MOST_WORKLOADS = 8, NAME_BYTES = 32, PATH_BYTES = 4096, STATUS_NOT_FOUND = 127 };
enum stage { STAGE_PLAIN, STAGE_EMPTY, STAGE_UNSENT, STAGE_FULL, STAGE_VIEWER, STAGE_PEER, N_STAGES };
static const char *const stage_names[] = {"plain", "empty", "unsent", "full", "viewer", NULL};

struct subject {
    const char *language;
    const char *plain[3], *traced[3]; /* commands */
    const char *variables[3];         /* of the traced one */
    const char *peer;                 /* NULL: none */
    const char *peer_command[12], *peer_variables[3];
};

struct samples {
    char names[MOST_WORKLOADS][NAME_BYTES];
    double ns[N_STAGES][MOST_WORKLOADS][N_RUNS];
    unsigned n_workloads;
    bool has_peer;
};

static int read_samples(int out, struct samples *samples, enum stage stage, unsigned run)
{
    FILE *text = fdopen(out, "r");
    unsigned n = 0;
    if (!text) {
        close(out);
        return -EIO;
    }
    while (n < MOST_WORKLOADS && fscanf(text, "%31s %lf", samples->names[n], &samples->ns[stage][n][run]) == 2)
        n++;
    fclose(text);
    if (stage == STAGE_PLAIN && run == 0)
        samples->n_workloads = n;
    return n && n == samples->n_workloads ? 0 : -EIO;
}

static int run_command(const char *const *argv, const char *const *variables, struct samples *samples, enum stage stage,
                       unsigned run)
{
    int out;
    pid_t pid = rv_child_start(argv, variables, &out);
    if (pid < 0)
        return (int)pid;
    int error = read_samples(out, samples, stage, run);
    waitpid(pid, NULL, 0);
    return error;
}

/* On a trace file of our own, read by nobody or by us. */
static int run_on_file(const struct subject *subject, struct samples *samples, enum stage stage, unsigned run)
{
    bool is_read = stage == STAGE_FULL;
    struct rv_map_params params = {.n_rings = 8, .policy = is_read ? RV_POLICY_BLOCK : RV_POLICY_RING};
    static struct rv_map map;
    char path[PATH_BYTES], file[PATH_BYTES + 16];
    const char *variables[] = {file, subject->variables[0], subject->variables[1], NULL};
    int out, error = rv_map_default_path(path, sizeof path, 1 << 24);
    map = (struct rv_map){0};
    if (error || (error = rv_map_create(&map, path, &params)))
        return error;
    snprintf(file, sizeof file, "RINGVIZ_FILE=%s", path);
    if (is_read)
        error = rv_directory_attach_consumer(&map);
    pid_t pid = error ? error : rv_child_start(subject->traced, variables, &out);
    if (pid > 0 && is_read)
        rv_child_drain(&map, pid);
    else if (pid > 0)
        waitpid(pid, NULL, 0);
    error = pid < 0 ? (int)pid : read_samples(out, samples, stage, run);
    unlink(path);
    rv_map_close(&map);
    return error;
}

static int run_viewer(const struct subject *subject, struct samples *samples, unsigned run)
{
    const char *argv[] = {"/proc/self/exe", "--headless", "--", subject->traced[0], subject->traced[1], NULL};
    return run_command(argv, NULL, samples, STAGE_VIEWER, run);
}

static int run_stage(const struct subject *subject, struct samples *samples, enum stage stage, unsigned run)
{
    switch (stage) {
    case STAGE_PLAIN:
        return run_command(subject->plain, NULL, samples, stage, run);
    case STAGE_EMPTY:
        return run_command(subject->traced, NULL, samples, stage, run);
    case STAGE_UNSENT:
    case STAGE_FULL:
        return run_on_file(subject, samples, stage, run);
    case STAGE_VIEWER:
        return run_viewer(subject, samples, run);
    case STAGE_PEER:
        samples->has_peer =
            samples->has_peer && run_command(subject->peer_command, subject->peer_variables, samples, stage, run) == 0;
        return 0;
    case N_STAGES:
        break;
    }
    return -EINVAL;
}

static void print_row(struct rv_bench_out *out, const struct subject *subject, const struct samples *samples,
                      enum stage stage, unsigned workload)
{
    double ns[N_RUNS], plain = samples->ns[STAGE_PLAIN][workload][0], median;
    char bench[96], detail[96] = "";
    memcpy(ns, samples->ns[stage][workload], sizeof ns);
    median = rv_bench_median(ns, N_RUNS);
    snprintf(bench, sizeof bench, "overhead.%s.%s.%s", subject->language, samples->names[workload],
             stage == STAGE_PEER ? subject->peer : stage_names[stage]);
    if (stage != STAGE_PLAIN)
        snprintf(detail, sizeof detail, "takes %.3g times as long, adds %.3g ns", ns[0] / plain, ns[0] - plain);
    rv_bench_row(out, &(struct rv_bench_row){.bench = bench,
                                             .unit = "ns/call",
                                             .median = median,
                                             .min = ns[0],
                                             .n = N_RUNS,
                                             .baseline = stage == STAGE_PLAIN ? NULL : "plain",
                                             .ratio = plain / ns[0],
                                             .detail = detail});
}

static void print_rows(struct rv_bench_out *out, const struct subject *subject, struct samples *samples)
{
    for (unsigned workload = 0; workload < samples->n_workloads; workload++) {
        rv_bench_median(samples->ns[STAGE_PLAIN][workload], N_RUNS); /* sorts: the least is the baseline */
        for (enum stage stage = 0; stage < N_STAGES; stage++)
            if (stage != STAGE_PEER || samples->has_peer)
                print_row(out, subject, samples, stage, workload);
    }
}

static int measure(struct rv_bench_out *out, const struct subject *subject)
{
    struct samples *samples = calloc(1, sizeof *samples);
    int error = samples ? 0 : -ENOMEM;
    if (samples)
        samples->has_peer = subject->peer != NULL;
    for (unsigned run = 0; run < N_RUNS && !error; run++) {
        for (enum stage stage = 0; stage < N_STAGES && !error; stage++) {
            error = run_stage(subject, samples, stage, run);
            if (error)
                rv_err(-error, "%s: stage %s printed no times", subject->traced[0], stage_names[stage]);
        }
    }
    if (!error)
        print_rows(out, subject, samples);
    free(samples);
    return error;
}

/* Hooks that do nothing are libc's own. */
static int measure_c(struct rv_bench_out *out)
{
    char plain[PATH_BYTES], hooked[PATH_BYTES], hooks[PATH_BYTES], preload[PATH_BYTES + 16];
    char folder[] = "/tmp/ringviz-bench-XXXXXX";
    if (rv_launch_find_producer("ringviz-bench-plain", plain, sizeof plain) != 0 ||
        rv_launch_find_producer("ringviz-bench-hooked", hooked, sizeof hooked) != 0 ||
        rv_launch_find_producer("libringviz-cyg.so", hooks, sizeof hooks) != 0 || !mkdtemp(folder))
        return 0;
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", hooks);
    struct subject subject = {
        .language = "c",
        .plain = {plain},
        .traced = {hooked},
        .variables = {preload},
        .peer = "uftrace",
        .peer_command = {"uftrace", "record", "--no-pager", "--no-libcall", "--libmcount-single", "--force", "-d",
                         folder, hooked},
    };
    int error = measure(out, &subject);
    rv_child_remove_folder(folder);
    return error;
}

/* Without a trace file the module hooks nothing: the stage "empty" is a module that was loaded. */
static int measure_perl(struct rv_bench_out *out)
{
    char script[PATH_BYTES], module[PATH_BYTES], library[PATH_BYTES + 16], peer[64];
    char results[] = "/tmp/ringviz-bench-XXXXXX";
    if (rv_launch_find_producer("ringviz-bench.pl", script, sizeof script) != 0 ||
        rv_launch_find_producer("perl/Devel/RingViz.pm", module, sizeof module) != 0 || !mkdtemp(results))
        return 0;
    snprintf(library, sizeof library, "PERL5LIB=%.*s", (int)(strlen(module) - strlen("/Devel/RingViz.pm")), module);
    snprintf(peer, sizeof peer, "NYTPROF=stmts=0:slowops=0:file=%s/out", results);
    struct subject subject = {
        .language = "perl",
        .plain = {"perl", script},
        .traced = {"perl", script},
        .variables = {library, "PERL5OPT=-MDevel::RingViz"},
        .peer = "nytprof",
        .peer_command = {"perl", script},
        .peer_variables = {"PERL5OPT=-d:NYTProf", peer},
    };
    int error = measure(out, &subject);
    rv_child_remove_folder(results);
    return error;
}

/* ---- the user's own command, by the clock on the wall ---- */

static int time_command(const char *const *argv, double *ms)
{
    char text[4096];
    int out, status = 0;
    uint64_t start_ns = rv_clock_mono_ns();
    pid_t pid = rv_child_start(argv, NULL, &out);
    if (pid < 0)
        return (int)pid;
    while (read(out, text, sizeof text) > 0)
        continue;
    close(out);
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND)
        return rv_err(ENOENT, "%s: it cannot be run", argv[0]);
    *ms = (double)(rv_clock_mono_ns() - start_ns) / 1e6;
    return 0;
}

struct counts {
    unsigned long long n_produced, n_consumed, n_dropped, n_spans;
};

static int read_counts(const char *path, struct counts *counts)
{
    FILE *report = fopen(path, "re");
    int n = report ? fscanf(report, "{\"events\":{\"produced\":%llu,\"consumed\":%llu,\"dropped\":%llu},\"spans\":%llu",
                            &counts->n_produced, &counts->n_consumed, &counts->n_dropped, &counts->n_spans)
                   : 0;
    if (report)
        fclose(report);
    return n == 4 ? 0 : -EIO;
}

static int time_under_viewer(const char *const *command, const char *output, double *ms)
{
    char option[64];
    const char *argv[256] = {"/proc/self/exe", "--report=json", option, "--"};
    size_t n = 4;
    for (size_t i = 0; command[i] && n + 1 < sizeof argv / sizeof *argv; i++)
        argv[n++] = command[i];
    snprintf(option, sizeof option, "--output=%s", output);
    return time_command(argv, ms);
}

struct times { /* ms */
    double plain[N_RUNS], viewer[N_RUNS], nothing[N_RUNS];
};

/* What starting and ending ringviz takes is told apart: it is no cost of calls. */
static int time_stages(const char *const *command, const char *output, struct times *times)
{
    static const char *const nothing[] = {"true", NULL};
    int error = 0;
    for (unsigned run = 0; run < N_RUNS && !error; run++) {
        error = time_command(command, &times->plain[run]);
        if (!error)
            error = time_under_viewer(nothing, output, &times->nothing[run]);
        if (!error)
            error = time_under_viewer(command, output, &times->viewer[run]);
    }
    return error;
}

static void print_times(struct rv_bench_out *out, struct times *times, const struct counts *counts)
{
    char detail[160];
    struct rv_bench_row plain = {.bench = "overhead.command.plain", .unit = "ms", .n = N_RUNS};
    struct rv_bench_row nothing = plain, viewer = plain;
    plain.median = rv_bench_median(times->plain, N_RUNS);
    plain.min = times->plain[0];
    nothing.bench = "overhead.command.start";
    nothing.median = rv_bench_median(times->nothing, N_RUNS);
    nothing.min = times->nothing[0];
    nothing.detail = "ringviz alone, on a program that does nothing";
    viewer.bench = "overhead.command.viewer";
    viewer.median = rv_bench_median(times->viewer, N_RUNS);
    viewer.min = times->viewer[0];
    viewer.baseline = "plain";
    viewer.ratio = plain.min / viewer.min;
    double added_ns = (viewer.min - nothing.min - plain.min) * 1e6, n_calls = (double)counts->n_spans;
    snprintf(detail, sizeof detail, "%llu calls, %.3g/s, %.3g ns added to each but the start; %llu events dropped",
             counts->n_spans, n_calls / viewer.min * 1e3, added_ns > 0 && n_calls > 0 ? added_ns / n_calls : 0,
             counts->n_dropped);
    viewer.detail = detail;
    rv_bench_row(out, &plain);
    rv_bench_row(out, &nothing);
    rv_bench_row(out, &viewer);
}

static int measure_command(struct rv_bench_out *out, const char *const *command)
{
    char output[] = "/tmp/ringviz-bench-XXXXXX";
    struct times times;
    struct counts counts = {0};
    int fd = mkstemp(output);
    if (fd < 0)
        return rv_err_sys("%s", output);
    close(fd);
    int error = time_stages(command, output, &times);
    if (!error && read_counts(output, &counts) != 0)
        error = rv_err(EIO, "%s could not be traced", command[0]);
    unlink(output);
    if (!error)
        print_times(out, &times, &counts);
    return error;
}

int rv_bench_overhead(struct rv_bench_out *out)
{
    const char *const *command = rv_bench_command(out);
    if (command)
        return measure_command(out, command);
    int error = measure_c(out);
    return error ? error : measure_perl(out);
}
