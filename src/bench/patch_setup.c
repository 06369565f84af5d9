/*
 * Set-up of a program that is patched as it starts: the time until its begin, less that of it alone, in turns. Without a
 * plan, as what is started for the first time; and with all that three processes before it have left (patch/plan_file.h).
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/bench.h"
#include "bench/child.h"
#include "launch/launch.h"
#include "ring/map.h"

enum { N_TURNS = 15, N_BEFORE = 3, PATH_BYTES = 4096, VARIABLE_BYTES = 2 * PATH_BYTES + 32 };
enum way { WAY_ALONE, WAY_UNPLANNED, WAY_PLANNED, N_WAYS };

struct setup {
    const char *const *command;
    char probe[PATH_BYTES], ours[PATH_BYTES];
    char plans[sizeof "/tmp/ringviz-bench-XXXXXX"];
    double wall_ns[N_WAYS][N_TURNS], cpu_ns[N_WAYS][N_TURNS];
};

static int run_child(const struct setup *setup, const char *const *variables, double *wall_ns, double *cpu_ns)
{
    int out;
    double numbers[2] = {0}; /* when it would begin, and its CPU time */
    const double start_ns = (double)rv_clock_mono_ns();
    const pid_t pid = rv_child_start(setup->command, variables, &out);
    if (pid < 0)
        return (int)pid;
    const int error = rv_child_read_numbers(out, numbers, 2);
    waitpid(pid, NULL, 0);
    *wall_ns = numbers[0] - start_ns;
    *cpu_ns = numbers[1];
    return error;
}

static int run_traced(const struct setup *setup, enum way way, double *wall_ns, double *cpu_ns)
{
    static struct rv_map map;
    char path[PATH_BYTES], file[VARIABLE_BYTES], preload[VARIABLE_BYTES], plans[VARIABLE_BYTES];
    const char *const variables[] = {preload, file, plans, "RINGVIZ_PATCH=auto", NULL};
    int error = rv_map_default_path(path, sizeof path, 1 << 24);
    map = (struct rv_map){0};
    if (error || (error = rv_map_create(&map, path, &(struct rv_map_params){.policy = RV_POLICY_RING})))
        return error;
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s:%s", setup->probe, setup->ours);
    snprintf(file, sizeof file, "RINGVIZ_FILE=%s", path);
    snprintf(plans, sizeof plans, "RINGVIZ_PLANS=%s", way == WAY_PLANNED ? setup->plans : "off");
    error = run_child(setup, variables, wall_ns, cpu_ns);
    unlink(path);
    rv_map_close(&map);
    return error;
}

static int run_way(const struct setup *setup, enum way way, double *wall_ns, double *cpu_ns)
{
    char preload[VARIABLE_BYTES];
    const char *const variables[] = {preload, NULL};
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", setup->probe);
    return way == WAY_ALONE ? run_child(setup, variables, wall_ns, cpu_ns) : run_traced(setup, way, wall_ns, cpu_ns);
}

static void use_one_of(const cpu_set_t *cpus)
{
    cpu_set_t one;
    int cpu = 0;
    while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, cpus))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
}

/* CPU time on one CPU: no account has that of the child on another (producers/native/second_cpu.h). */
static int take_turn(struct setup *setup, enum way way, unsigned turn)
{
    double unused;
    cpu_set_t cpus;
    int error = run_way(setup, way, &setup->wall_ns[way][turn], &unused);
    if (error)
        return error;
    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0)
        return -errno;
    use_one_of(&cpus);
    error = run_way(setup, way, &unused, &setup->cpu_ns[way][turn]);
    (void)sched_setaffinity(0, sizeof cpus, &cpus);
    return error;
}

static int measure(struct setup *setup)
{
    int error = 0;
    for (unsigned i = 0; i < N_BEFORE && !error; i++)
        error = run_way(setup, WAY_PLANNED, &setup->wall_ns[WAY_PLANNED][0], &setup->cpu_ns[WAY_PLANNED][0]);
    for (unsigned turn = 0; turn < N_TURNS && !error; turn++)
        for (unsigned way = 0; way < N_WAYS && !error; way++)
            error = take_turn(setup, (enum way)way, turn);
    return error;
}

static void print_row(struct rv_bench_out *out, struct setup *setup, enum way way, size_t n_functions)
{
    char detail[112];
    const double median_ms =
                     (rv_bench_median(setup->wall_ns[way], N_TURNS) - setup->wall_ns[WAY_ALONE][N_TURNS / 2]) / 1e6,
                 wall_ms = (setup->wall_ns[way][0] - setup->wall_ns[WAY_ALONE][0]) / 1e6;
    (void)rv_bench_median(setup->cpu_ns[way], N_TURNS);
    const double cpu_ms = (setup->cpu_ns[way][0] - setup->cpu_ns[WAY_ALONE][0]) / 1e6;
    snprintf(detail, sizeof detail, "by the wall clock; %.3g for 10,000 functions; CPU time on one CPU %.3g, %.3g",
             wall_ms * 1e4 / (double)n_functions, cpu_ms, cpu_ms * 1e4 / (double)n_functions);
    rv_bench_row(out, &(struct rv_bench_row){.bench = way == WAY_PLANNED ? "patch.setup.planned" : "patch.setup",
                                             .unit = "ms",
                                             .median = median_ms,
                                             .min = wall_ms,
                                             .n = N_TURNS,
                                             .detail = detail});
}

int rv_bench_patch_setup(struct rv_bench_out *out, size_t n_functions)
{
    struct setup setup = {.command = rv_bench_command(out), .plans = "/tmp/ringviz-bench-XXXXXX"};
    if (rv_launch_find_file("ringviz-bench-before-main.so", setup.probe, sizeof setup.probe) != 0 ||
        rv_launch_find_file("libringviz-cyg.so", setup.ours, sizeof setup.ours) != 0 || !mkdtemp(setup.plans))
        return 0;
    const int error = measure(&setup);
    rv_child_remove_folder(setup.plans);
    if (error)
        return error == -EIO ? 0 : error; /* a static program, say, has no preloaded library */
    (void)rv_bench_median(setup.wall_ns[WAY_ALONE], N_TURNS);
    (void)rv_bench_median(setup.cpu_ns[WAY_ALONE], N_TURNS);
    for (unsigned way = WAY_UNPLANNED; way < N_WAYS; way++)
        print_row(out, &setup, (enum way)way, n_functions);
    return 0;
}
