/*
 * How soon a thread that calls subs all the time responds to its monitor while ringviz drains it: the time from a
 * request to the stop, and the time to answer a command while it runs.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/os.h"
#include "bench/bench.h"
#include "bench/child.h"
#include "debugger/target.h"
#include "launch/launch.h"
#include "ring/ring.h"

enum { N_STOPS = 50, N_COMMANDS = 1000, PATH_BYTES = 4096 };
#define BEGIN_NS 30000000000u
#define ANSWER_NS 5000000000u
#define LOOK_NS 5000000u
#define LEAST_RUN_NS 5000000u /* between two stops; a random time up to as long is added */

static const char script[] = "sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) } fib(18) while 1";

struct steered {
    struct rv_map map;
    struct rv_target *target;
};

/* Wait until the file exists and the owner of its first ring answers commands. */
static int find_thread(struct steered *steered, const char *path)
{
    uint64_t end_ns = rv_clock_mono_ns() + BEGIN_NS;
    struct rv_target_thread thread;
    while (rv_clock_mono_ns() < end_ns) {
        if (!steered->target && rv_map_open(&steered->map, path, RV_MAP_CONSUMER, true) == 0)
            steered->target = rv_target_over(&steered->map);
        if (steered->target && rv_target_thread(steered->target, 0, &thread) == 0 &&
            thread.run.state != RV_RUN_UNSTEERED)
            return rv_target_attach(steered->target);
        rv_os_sleep_ns(LOOK_NS);
    }
    return -ETIMEDOUT;
}

static int tell(struct steered *steered, const char *code)
{
    struct rv_answer answer;
    int error = rv_target_ask(steered->target, 0, code, "", ANSWER_NS, &answer);
    if (!error && !answer.is_fine)
        error = -EPROTO;
    rv_answer_fini(&answer);
    return error;
}

static double n_produced(struct steered *steered)
{
    struct rv_ring ring;
    rv_ring_view(&ring, &steered->map, 0);
    return (double)rv_ring_account(&ring).n_produced;
}

static int time_stop(struct steered *steered, uint64_t run_ns, double *rate, double *ms)
{
    struct rv_target_thread thread;
    double begun = n_produced(steered);
    uint64_t begin_ns = rv_clock_mono_ns();
    rv_os_sleep_ns(run_ns);
    int error = rv_target_thread(steered->target, 0, &thread);
    uint64_t asked_ns = rv_clock_mono_ns();
    *rate = (n_produced(steered) - begun) / (double)(asked_ns - begin_ns) * 1e9;
    if (!error)
        error = tell(steered, "stop");
    if (!error)
        error = rv_target_wait_stop(steered->target, &thread, thread.run.n_stops, ANSWER_NS);
    *ms = (double)(rv_clock_mono_ns() - asked_ns) / 1e6;
    return error ? error : tell(steered, "run");
}

static void print_row(struct rv_bench_out *out, const char *bench, const char *unit, double *samples, unsigned n,
                      const char *meanwhile)
{
    char detail[128];
    double median = rv_bench_median(samples, n);
    snprintf(detail, sizeof detail, "99 of 100 within %.3g, the slowest %.3g; %s", samples[n - 1 - n / 100],
             samples[n - 1], meanwhile);
    rv_bench_row(out, &(struct rv_bench_row){
                          .bench = bench, .unit = unit, .median = median, .min = samples[0], .n = n, .detail = detail});
}

static int measure_stops(struct rv_bench_out *out, struct steered *steered)
{
    double ms[N_STOPS], rates[N_STOPS]; /* events a second before each stop */
    char meanwhile[64];
    uint64_t state = 1;
    for (unsigned i = 0; i < N_STOPS; i++) {
        int error = time_stop(steered, LEAST_RUN_NS + rv_bench_random(&state) % LEAST_RUN_NS, &rates[i], &ms[i]);
        if (error)
            return error;
    }
    double rate = rv_bench_median(rates, N_STOPS);
    snprintf(meanwhile, sizeof meanwhile, "%.3g M events/s before a stop", rate / 1e6);
    print_row(out, "control.stop", "ms", ms, N_STOPS, meanwhile);
    return 0;
}

static int measure_commands(struct rv_bench_out *out, struct steered *steered)
{
    static double us[N_COMMANDS];
    for (unsigned i = 0; i < N_COMMANDS; i++) {
        uint64_t asked_ns = rv_clock_mono_ns();
        int error = tell(steered, "brkl");
        us[i] = (double)(rv_clock_mono_ns() - asked_ns) / 1e3;
        if (error)
            return error;
    }
    print_row(out, "control.command", "us", us, N_COMMANDS, "answered by a thread that runs");
    return 0;
}

int rv_bench_control(struct rv_bench_out *out)
{
    char module[PATH_BYTES], path[PATH_BYTES], option[PATH_BYTES + 16];
    const char *const argv[] = {"/proc/self/exe", "--headless", option, "--", "perl", "-e", script, NULL};
    if (rv_launch_find_file("perl/Devel/RingViz.pm", module, sizeof module) != 0)
        return 0;
    int error = rv_map_default_path(path, sizeof path, 1 << 24);
    if (error)
        return error;
    snprintf(option, sizeof option, "--trace-file=%s", path);
    struct steered *steered = calloc(1, sizeof *steered);
    pid_t pid = steered ? rv_child_start(argv, NULL, NULL) : -ENOMEM;
    error = pid < 0 ? (int)pid : find_thread(steered, path);
    if (!error)
        error = measure_stops(out, steered);
    if (!error)
        error = measure_commands(out, steered);
    if (error)
        rv_err(-error, "control: %s", rv_target_error(error));
    if (steered)
        rv_target_close(steered->target);
    if (steered && steered->target)
        rv_map_close(&steered->map);
    if (pid > 0) {
        kill(pid, SIGTERM);
        waitpid(pid, NULL, 0);
    }
    unlink(path);
    free(steered);
    return error;
}
