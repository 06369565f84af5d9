/*
 * Stages: no tracing; hooks that do nothing; events written to a ring that nobody reads; rings drained by a plain
 * consumer; ringviz with its whole pipeline; other tracers. They run in turns and are compared by their minima.
 *
 * Each workload has the clock that is fair to all its tracers: what a tracer does in other processes while the program
 * is stopped is not in the program's CPU time.
 */
#include "bench/stages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "bench/child.h"
#include "ring/ownership.h"

enum { N_RUNS = 3, MOST_WORKLOADS = 8, NAME_BYTES = 32, PATH_BYTES = 4096, STATUS_NOT_FOUND = 127 };
enum layout { STAGE_PLAIN, STAGE_EMPTY, STAGE_UNSENT, STAGE_FULL, STAGE_START, STAGE_VIEWER, STAGE_PEERS };
enum { MOST_STAGES = STAGE_PEERS + RV_STAGES_MOST_PEERS };
#define WALL_CLOCK "by the wall clock"
static const char *const stage_names[] = {"plain", "empty", "unsent", "full", "start", "viewer"};

struct workload {
    char name[NAME_BYTES];
    const char *clock;
};

struct counts {
    unsigned long long n_produced, n_consumed, n_dropped, n_spans;
};

struct run {
    const struct rv_stages *stages;
    struct workload workloads[MOST_WORKLOADS];
    unsigned n_workloads, idx;
    double ns[MOST_STAGES][MOST_WORKLOADS][N_RUNS];
    bool is_absent[MOST_STAGES];
    struct counts counts; /* of the last run of a whole program under ringviz */
};

/* ---- one process ---- */

static const struct rv_stages_peer *peer_of(const struct run *run, unsigned layout)
{
    return layout < STAGE_PEERS ? NULL : &run->stages->peers[layout - STAGE_PEERS];
}

static const char *name_of(const struct run *run, unsigned layout)
{
    return layout < STAGE_PEERS ? stage_names[layout] : peer_of(run, layout)->name;
}

static int find_workload(struct run *run, const struct workload *workload)
{
    unsigned i = 0;
    while (i < run->n_workloads && strcmp(run->workloads[i].name, workload->name) != 0)
        i++;
    if (i == run->n_workloads && i < MOST_WORKLOADS)
        run->workloads[run->n_workloads++] = *workload;
    return i < MOST_WORKLOADS ? (int)i : -1;
}

/* Lines of "NAME NANOSECONDS CLOCK", until the end. */
static int read_samples(struct run *run, unsigned layout, int out)
{
    FILE *text = fdopen(out, "r");
    struct workload workload;
    char clock[8];
    double ns;
    int n_read = 0, idx;
    if (!text) {
        close(out);
        return -EIO;
    }
    while (fscanf(text, "%31s %lf %7s", workload.name, &ns, clock) == 3) {
        workload.clock = strcmp(clock, "wall") == 0 ? WALL_CLOCK : "in CPU time";
        if ((idx = find_workload(run, &workload)) >= 0)
            run->ns[layout][idx][run->idx] = ns;
        n_read++;
    }
    fclose(text);
    return n_read > 0 ? 0 : -EIO;
}

struct child {
    pid_t pid;
    int out; /* where its times come from; NULL: it is measured as a whole */
    uint64_t start_ns;
};

static int start_child(const struct run *run, const char *const *argv, const char *const *variables,
                       struct child *child)
{
    child->start_ns = rv_clock_mono_ns();
    child->pid = rv_child_start(argv, variables, run->stages->is_whole ? NULL : &child->out);
    return child->pid < 0 ? (int)child->pid : 0;
}

static void keep_whole(struct run *run, unsigned layout, uint64_t start_ns)
{
    int idx = find_workload(run, &(struct workload){.name = "command", .clock = WALL_CLOCK});
    run->ns[layout][idx][run->idx] = (double)(rv_clock_mono_ns() - start_ns);
}

/* Wait for the child's end, and read its times. drained: its trace file, which is drained meanwhile, or NULL. */
static int end_child(struct run *run, unsigned layout, const struct child *child, struct rv_map *drained)
{
    bool is_whole = run->stages->is_whole;
    int status = 0, error = 0;
    if (drained)
        rv_child_drain(drained, child->pid);
    else if (is_whole)
        waitpid(child->pid, &status, 0);
    if (is_whole)
        keep_whole(run, layout, child->start_ns);
    else
        error = read_samples(run, layout, child->out);
    if (!drained && !is_whole)
        waitpid(child->pid, &status, 0);
    if (!error && WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND)
        error = -ENOENT;
    return error;
}

static int run_command(struct run *run, unsigned layout, const char *const *argv, const char *const *variables)
{
    struct child child;
    int error = start_child(run, argv, variables, &child);
    return error ? error : end_child(run, layout, &child, NULL);
}

/* ---- stages ---- */

static size_t count(const char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

/* Both lists, ended with NULL; freed by the caller. */
static const char **join(const char *const *front, const char *const *back)
{
    size_t n_front = count(front), n_back = count(back);
    const char **all = rv_alloc(n_front + n_back + 1, sizeof *all);
    for (size_t i = 0; i < n_front; i++)
        all[i] = front[i];
    for (size_t i = 0; i < n_back; i++)
        all[n_front + i] = back[i];
    return all;
}

/* Into a trace file of ours, which is drained or not. */
static int run_on_file(struct run *run, enum layout layout)
{
    bool is_read = layout == STAGE_FULL;
    struct rv_map_params params = {.policy = is_read ? RV_POLICY_BLOCK : RV_POLICY_RING};
    static struct rv_map map;
    char path[PATH_BYTES], file[PATH_BYTES + 16];
    const char *const files[] = {file, NULL};
    struct child child;
    int error = rv_map_default_path(path, sizeof path, 1 << 24);
    map = (struct rv_map){0};
    if (error || (error = rv_map_create(&map, path, &params)))
        return error;
    snprintf(file, sizeof file, "RINGVIZ_FILE=%s", path);
    if (is_read)
        error = rv_ownership_attach_consumer(&map);
    const char **variables = join(run->stages->variables, files);
    if (!error)
        error = start_child(run, run->stages->traced, variables, &child);
    if (!error)
        error = end_child(run, layout, &child, is_read ? &map : NULL);
    free(variables);
    unlink(path);
    rv_map_close(&map);
    return error;
}

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

/* The program, or one that does nothing, under ringviz. */
static int run_viewer(struct run *run, enum layout layout)
{
    static const char *const nothing[] = {"true", NULL};
    char report[] = "/tmp/ringviz-bench-XXXXXX", output[64];
    const char *const front[] = {"/proc/self/exe", "--report=json", "--force", output, "--", NULL};
    int fd = mkstemp(report);
    if (fd < 0)
        return -errno;
    close(fd);
    snprintf(output, sizeof output, "--output=%s", report);
    const char **argv = join(front, layout == STAGE_START ? nothing : run->stages->traced);
    int error = run_command(run, layout, argv, NULL);
    if (!error && layout == STAGE_VIEWER && read_counts(report, &run->counts) != 0)
        error = -EIO;
    free(argv);
    unlink(report);
    return error;
}

/* A tracer that is not installed, or cannot trace the program, has no rows. */
static void run_peer(struct run *run, unsigned layout)
{
    const struct rv_stages_peer *peer = peer_of(run, layout);
    const char **argv = join(peer->front, peer->is_on_plain ? run->stages->plain : run->stages->traced);
    int error = run_command(run, layout, argv, peer->variables);
    free(argv);
    if (error || (peer->result && access(peer->result, R_OK) != 0))
        run->is_absent[layout] = true;
}

static int run_stage(struct run *run, unsigned layout)
{
    switch (layout) {
    case STAGE_PLAIN:
        return run_command(run, layout, run->stages->plain, NULL);
    case STAGE_EMPTY:
        return run_command(run, layout, run->stages->traced, run->stages->empty);
    case STAGE_UNSENT:
    case STAGE_FULL:
        return run_on_file(run, layout);
    case STAGE_START:
        run->is_absent[layout] = !run->stages->is_whole;
        return run->stages->is_whole ? run_viewer(run, layout) : 0;
    case STAGE_VIEWER:
        return run_viewer(run, layout);
    default:
        if (!run->is_absent[layout])
            run_peer(run, layout);
        return 0;
    }
}

/* ---- rows ---- */

static double least(const struct run *run, enum layout layout, unsigned workload)
{
    double ns = run->ns[layout][workload][0];
    for (unsigned i = 1; i < N_RUNS; i++)
        ns = run->ns[layout][workload][i] < ns ? run->ns[layout][workload][i] : ns;
    return ns;
}

/* What tracing adds to a run in ms, to a call in ns or us. */
static void describe_added(const struct run *run, double ns, double plain, char *out, size_t out_bytes)
{
    double added = ns - plain;
    bool is_whole = run->stages->is_whole, is_long = added > 1e4;
    snprintf(out, out_bytes, "takes %.3g times as long, adds %.3g %s", ns / plain,
             added / (is_whole  ? 1e6
                      : is_long ? 1e3
                                : 1),
             is_whole  ? "ms"
             : is_long ? "us"
                       : "ns");
}

static void describe(const struct run *run, unsigned layout, unsigned workload, char *out, size_t out_bytes)
{
    double plain = least(run, STAGE_PLAIN, workload), ns = least(run, layout, workload);
    double added = ns - plain - least(run, STAGE_START, workload);
    bool is_whole = run->stages->is_whole;
    unsigned long long n_calls = run->counts.n_spans;
    if (layout == STAGE_PLAIN)
        snprintf(out, out_bytes, "%s; so are the rows below", run->workloads[workload].clock);
    else if (layout == STAGE_START)
        snprintf(out, out_bytes, "ringviz alone, on a program that does nothing");
    else if (layout == STAGE_VIEWER && is_whole)
        snprintf(out, out_bytes, "%llu calls, %.3g/s, %.3g ns added to each but the start; %llu events dropped",
                 n_calls, (double)n_calls / ns * 1e9, n_calls && added > 0 ? added / (double)n_calls : 0,
                 run->counts.n_dropped);
    else
        describe_added(run, ns, plain, out, out_bytes);
}

static void print_row(struct rv_bench_out *out, const struct run *run, unsigned layout, unsigned workload)
{
    const struct rv_stages *stages = run->stages;
    double scale = stages->is_whole ? 1e6 : 1, ns[N_RUNS];
    char bench[96], detail[160];
    memcpy(ns, run->ns[layout][workload], sizeof ns);
    double median = rv_bench_median(ns, N_RUNS);
    if (stages->is_whole)
        snprintf(bench, sizeof bench, "overhead.%s.%s", stages->name, name_of(run, layout));
    else
        snprintf(bench, sizeof bench, "overhead.%s.%s.%s", stages->name, run->workloads[workload].name,
                 name_of(run, layout));
    describe(run, layout, workload, detail, sizeof detail);
    rv_bench_row(out, &(struct rv_bench_row){.bench = bench,
                                             .unit = stages->is_whole ? "ms" : "ns/call",
                                             .median = median / scale,
                                             .min = ns[0] / scale,
                                             .n = N_RUNS,
                                             .baseline = layout == STAGE_PLAIN ? NULL : "plain",
                                             .ratio = least(run, STAGE_PLAIN, workload) / ns[0],
                                             .detail = detail});
}

static bool has_row(const struct run *run, unsigned layout, unsigned workload)
{
    const struct rv_stages_peer *peer = peer_of(run, layout);
    bool is_seen = !peer || !peer->workload || strcmp(peer->workload, run->workloads[workload].name) == 0;
    return is_seen && !run->is_absent[layout];
}

int rv_stages_measure(struct rv_bench_out *out, const struct rv_stages *stages)
{
    struct run *run = rv_alloc(1, sizeof *run);
    unsigned n_stages = STAGE_PEERS + stages->n_peers;
    int error = 0;
    run->stages = stages;
    for (run->idx = 0; run->idx < N_RUNS && !error; run->idx++) {
        for (unsigned layout = 0; layout < n_stages && !error; layout++) {
            error = run_stage(run, layout);
            if (error)
                rv_err(-error, "%s: %s in stage %s", stages->plain[0],
                       error == -ENOENT ? "it cannot be run" : "no times", name_of(run, layout));
        }
    }
    for (unsigned workload = 0; !error && workload < run->n_workloads; workload++)
        for (unsigned layout = 0; layout < n_stages; layout++)
            if (has_row(run, layout, workload))
                print_row(out, run, layout, workload);
    free(run);
    return error;
}
