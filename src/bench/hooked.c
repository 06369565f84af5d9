/*
 * The traced program runs in bursts of 44 thousand events and is read meanwhile by naps of a millisecond, as a viewer
 * would; it waits for nobody. Its own clock reads, plain calls and traced calls are minima of one process.
 */
#include "bench/hooked.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/os.h"
#include "launch/launch.h"
#include "ring/directory.h"
#include "ring/ring.h"

enum { N_RUNS = 3, N_SAMPLES = 60, N_SAMPLES_UFTRACE = 12, N_BATCH = 1 << 16 };
static const uint64_t NAP_NS = 1000000;

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
    return rv_launch_find_producer("ringviz-bench-traced", program->traced, sizeof program->traced) == 0 &&
           rv_launch_find_producer("libringviz-cyg.so", program->hooks, sizeof program->hooks) == 0;
}

/* Start argv with its output in a pipe. */
static pid_t start(char *const *argv, const char *trace_path, const char *hooks, int *out)
{
    int pipe_fds[2];
    if (pipe2(pipe_fds, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipe_fds[1], STDOUT_FILENO);
        if (trace_path) {
            setenv("RINGVIZ_FILE", trace_path, 1);
            setenv("LD_PRELOAD", hooks, 1);
        } else {
            dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
        }
        execvp(argv[0], argv);
        _exit(127);
    }
    close(pipe_fds[1]);
    *out = pipe_fds[0];
    return pid;
}

static int read_cost(int out, struct cost *cost)
{
    FILE *text = fdopen(out, "r");
    int n = text ? fscanf(text, "%lf %lf %lf", &cost->clock_ns, &cost->plain_ns, &cost->traced_ns) : 0;
    if (text)
        fclose(text);
    return n == 3 ? 0 : -EIO;
}

static uint64_t read_until_end(struct rv_map *map, pid_t pid)
{
    static struct rv_event events[N_BATCH];
    struct rv_ring ring;
    uint64_t n_read = 0;
    int status;
    bool has_ended;
    rv_ring_view(&ring, map, 0);
    do {
        has_ended = waitpid(pid, &status, WNOHANG) != 0;
        for (size_t n = 1; n > 0; n_read += n)
            n = rv_ring_pop(&ring, events, N_BATCH).n;
        __atomic_fetch_add(&map->header->tick, 1, __ATOMIC_RELAXED);
        rv_ring_turn_done(map->header);
        rv_os_sleep_ns(NAP_NS);
    } while (!has_ended);
    return n_read;
}

static int run_hooked(const struct program *program, enum rv_clock_kind clock_kind, struct cost *cost)
{
    struct rv_map_params params = {.n_rings = 1, .clock_kind = clock_kind};
    struct rv_map map = {0};
    char path[4096], samples[16];
    char *argv[] = {(char *)(uintptr_t)program->traced, samples, NULL};
    int out, error = rv_map_default_path(path, sizeof path, 1 << 22);
    snprintf(samples, sizeof samples, "%d", N_SAMPLES);
    if (error || (error = rv_map_create(&map, path, &params)) || (error = rv_directory_attach_consumer(&map)))
        return error;
    pid_t pid = start(argv, path, program->hooks, &out);
    if (pid < 0)
        error = -errno;
    else if (read_until_end(&map, pid) == 0)
        error = rv_err(EIO, "%s wrote no event", program->traced);
    if (pid >= 0 && read_cost(out, cost) != 0)
        error = rv_err(EIO, "%s printed no times", program->traced);
    unlink(path);
    rv_map_close(&map);
    return error;
}

static void remove_folder(const char *folder)
{
    char *argv[] = {(char *)(uintptr_t) "rm", (char *)(uintptr_t) "-rf", (char *)(uintptr_t)folder, NULL};
    int out;
    pid_t pid = start(argv, NULL, NULL, &out);
    if (pid > 0) {
        close(out);
        waitpid(pid, NULL, 0);
    }
}

/* -ENOENT when uftrace is not installed. */
static int run_uftrace(const struct program *program, struct cost *cost)
{
    char folder[] = "/tmp/ringviz-bench-XXXXXX", samples[16];
    const char *argv[] = {"uftrace", "record", "--no-pager", "--no-libcall",  "--libmcount-single",
                          "--force", "-d",     folder,       program->traced, samples,
                          NULL};
    int out, status = 0;
    snprintf(samples, sizeof samples, "%d", N_SAMPLES_UFTRACE);
    if (!mkdtemp(folder))
        return -errno;
    pid_t pid = start((char *const *)(uintptr_t)argv, NULL, NULL, &out);
    int error = pid < 0 ? -errno : read_cost(out, cost);
    if (pid > 0)
        waitpid(pid, &status, 0);
    remove_folder(folder);
    return error || status ? -ENOENT : 0;
}

struct result {
    double added[N_RUNS];
    struct cost least; /* of the run that added least */
    double median;
};

/* The least of several runs: one process may have had a bad placement for its whole life. */
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
