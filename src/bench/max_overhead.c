/*
 * What a program takes within limits of --max-overhead: CPU time of the program, without ringviz's own, in turns. One that
 * is traced in no function shows what of it is set-up.
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

enum { N_RUNS = 7, N_WAYS = 4, N_FRONT = 7, PATH_BYTES = 4096, STATUS_NOT_FOUND = 127 };

static const struct way {
    const char *name, *option; /* NULL: untraced */
} ways[N_WAYS] = {{"untraced", NULL},
                  {"nothing", "--include=^ringviz-bench-nothing$"},
                  {"limit_10", "--max-overhead=10"},
                  {"limit_50", "--max-overhead=50"}};

struct run {
    char timer[PATH_BYTES];
    const char *const *command;
    double ns[N_WAYS][N_RUNS];
};

/* ringviz with the way's option, the timer, and the command; freed by the caller. */
static const char **arguments_of(const struct run *run, const struct way *way)
{
    const char *const front[N_FRONT] = {"/proc/self/exe", "--report=json", "--force", "--output=/dev/null",
                                        way->option,      "--",            run->timer};
    const size_t n_front = way->option ? N_FRONT : 1;
    size_t n = 0;
    while (run->command[n])
        n++;
    const char **all = rv_alloc(n_front + n + 1, sizeof *all);
    memcpy(all, front + N_FRONT - n_front, n_front * sizeof *all);
    memcpy(all + n_front, run->command, n * sizeof *all);
    return all;
}

static int measure(struct run *run, unsigned way, unsigned turn)
{
    const char **argv = arguments_of(run, &ways[way]);
    int out, status = 0;
    const pid_t pid = rv_child_start(argv, NULL, &out);
    free(argv);
    if (pid < 0)
        return (int)pid;
    FILE *text = fdopen(out, "r");
    const bool is_read = text && fscanf(text, "%lf", &run->ns[way][turn]) == 1;
    if (text)
        fclose(text);
    else
        close(out);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND ? -ENOENT : is_read ? 0 : -EIO;
}

static void print_row(struct rv_bench_out *out, struct run *run, unsigned way)
{
    char bench[64], detail[64] = "CPU time; so are the rows below";
    const double median = rv_bench_median(run->ns[way], N_RUNS), least = run->ns[way][0], untraced = run->ns[0][0];
    snprintf(bench, sizeof bench, "max_overhead.%s", ways[way].name);
    if (way)
        snprintf(detail, sizeof detail, "%+.1f %%, %+.1f ms", (least / untraced - 1) * 100, (least - untraced) / 1e6);
    rv_bench_row(out, &(struct rv_bench_row){.bench = bench,
                                             .unit = "ms",
                                             .median = median / 1e6,
                                             .min = least / 1e6,
                                             .n = N_RUNS,
                                             .baseline = way ? ways[0].name : NULL,
                                             .ratio = untraced / least,
                                             .detail = detail});
}

int rv_bench_max_overhead(struct rv_bench_out *out)
{
    char plain[PATH_BYTES];
    const char *const ours[] = {plain, NULL};
    struct run run = {.command = rv_bench_command(out)};
    int error = 0;
    if (rv_launch_find_file("ringviz-bench-cpu-time", run.timer, sizeof run.timer) != 0 ||
        (!run.command && rv_launch_find_file("ringviz-bench-plain", plain, sizeof plain) != 0))
        return 0;
    run.command = run.command ? run.command : ours;
    for (unsigned turn = 0; turn < N_RUNS && !error; turn++)
        for (unsigned way = 0; way < N_WAYS && !error; way++)
            error = measure(&run, way, turn);
    for (unsigned way = 0; way < N_WAYS && !error; way++)
        print_row(out, &run, way);
    return error ? rv_err(-error, "%s: %s", *run.command, error == -ENOENT ? "it cannot be run" : "no times") : 0;
}
