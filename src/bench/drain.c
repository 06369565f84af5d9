/*
 * From a producer at full speed to spans in the model: another process pushes native events under `block`, a real
 * session drains them, with and without a recording. Events are counted; a lost one fails the benchmark. What ringviz has
 * resident is that of a process of its own.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/os.h"
#include "base/vec.h"
#include "bench/bench.h"
#include "bench/child.h"
#include "launch/launch.h"
#include "pipeline/session.h"
#include "ring/ownership.h"
#include "ring/push.h"
#include "sink/recording_writer.h"
#include "source/live_drain.h"

enum { N_RUNS = 7, N_EVENTS = 1 << 24, N_PATTERN = 1 << 14, N_FUNCTIONS = 1000, DEPTH = 10 };
static const uint64_t STACK = 0x7ff000000000;
static const uint64_t FIRST_FUNCTION = 0x560000001000;
static const uint64_t IDLE_NS = 1000000000;
static const uint64_t PEAK_INTERVAL_NS = 10000000;

struct step {
    uint64_t word;
    enum rv_event_kind kind;
};

/* A random walk at depth 10 that ends where it began. */
static struct step *make_pattern(void)
{
    struct step *steps = rv_alloc(N_PATTERN, sizeof *steps);
    uint64_t open[N_PATTERN], seed = 1;
    unsigned depth = 0;
    for (unsigned i = 0; i < N_PATTERN; i++) {
        uint64_t random = rv_bench_random(&seed);
        bool must_return = depth >= N_PATTERN - i;
        bool is_call = depth == 0 || (!must_return && random % (2 * DEPTH) >= depth);
        if (is_call)
            open[depth++] = FIRST_FUNCTION + (random >> 32) % N_FUNCTIONS * 64;
        else
            depth--;
        unsigned frame = is_call ? depth - 1 : depth;
        steps[i] = (struct step){rv_event_word_at(open[frame], (uint16_t)frame),
                                 is_call ? RV_EVENT_CALL_AT : RV_EVENT_RETURN_AT};
    }
    return steps;
}

/* The producer process. Waits for a byte from `go`, pushes, and writes the time that it took to `took`. */
_Noreturn static void produce(const char *path, const struct step *steps, uint64_t n_events, int go, int took)
{
    struct rv_map map = {0};
    struct rv_pusher_state *state = rv_alloc(1, sizeof *state);
    struct rv_pusher pusher = {0};
    struct rv_ring ring;
    char byte;
    int process_idx = rv_map_open(&map, path, RV_MAP_PRODUCER, true) ? -1 : rv_ownership_enter_process(&map);
    int ring_idx = process_idx < 0 ? -1 : rv_ownership_claim(&map, (uint32_t)process_idx);
    if (ring_idx < 0 || read(go, &byte, 1) != 1)
        _exit(1);
    rv_ring_view(&ring, &map, (uint32_t)ring_idx);
    rv_pusher_attach(&pusher, state, &ring, (uint32_t)ring_idx);
    uint64_t began_ns = rv_clock_mono_ns();
    for (uint64_t i = 0; i < n_events; i += N_PATTERN)
        for (const struct step *step = steps; step < steps + N_PATTERN; step++)
            rv_push(&pusher, step->kind, step->word, STACK, rv_push_slow);
    rv_pusher_flush(&pusher);
    uint64_t took_ns = rv_clock_mono_ns() - began_ns;
    rv_ownership_release(&map, (uint32_t)ring_idx);
    _exit(write(took, &took_ns, sizeof took_ns) == sizeof took_ns ? 0 : 1);
}

struct producer {
    pid_t pid;
    int go;   /* write one byte: begin */
    int took; /* read a uint64_t at its end: ns */
    bool has_ended;
};

static int start_producer(struct producer *producer, const char *path, const struct step *steps, uint64_t n_events)
{
    int go[2], took[2];
    if (pipe(go) != 0 || pipe(took) != 0)
        return rv_err_sys("pipe");
    *producer = (struct producer){.pid = fork(), .go = go[1], .took = took[0]};
    if (producer->pid == 0)
        produce(path, steps, n_events, go[0], took[1]);
    close(go[0]);
    close(took[1]);
    return producer->pid < 0 ? rv_err_sys("fork") : 0;
}

static bool producer_has_ended(void *context)
{
    struct producer *producer = context;
    int status;
    if (!producer->has_ended && waitpid(producer->pid, &status, WNOHANG) == producer->pid)
        producer->has_ended = true;
    return producer->has_ended;
}

struct setup {
    struct rv_map map;
    char path[4096];
    struct producer producer;
    struct rv_session *session;
    struct rv_recording_writer *record; /* NULL: none */
    struct rv_sink sink;                /* of the recording */
};

static void end_run(struct setup *setup)
{
    struct rv_recording_writer_totals totals;
    rv_session_destroy(setup->session);
    if (setup->record)
        (void)rv_recording_writer_stop(setup->record, &totals);
    rv_recording_writer_destroy(setup->record);
    if (setup->producer.pid > 0 && !setup->producer.has_ended) {
        kill(setup->producer.pid, SIGKILL);
        waitpid(setup->producer.pid, NULL, 0);
    }
    close(setup->producer.go);
    close(setup->producer.took);
    if (*setup->map.path)
        unlink(setup->map.path);
    rv_map_close(&setup->map);
}

/* Into an unlinked file. */
static int start_record(struct setup *setup)
{
    char path[4096];
    int error = rv_bench_make_file(path, sizeof path);
    if (error)
        return error;
    setup->record = rv_recording_writer_create(0);
    error = rv_recording_writer_start(
        setup->record,
        &(struct rv_recording_writer_params){.path = path, .program = "bench", .is_forced = true, .is_all = true});
    unlink(path);
    setup->sink = rv_recording_writer_sink(setup->record);
    return error;
}

static int begin_run(struct setup *setup, const struct step *steps, uint64_t n_events, bool is_recorded)
{
    *setup = (struct setup){.producer = {.go = -1, .took = -1}};
    int error = rv_map_default_path(setup->path, sizeof setup->path, 4u << 20);
    if (!error)
        error = rv_map_create(&setup->map, setup->path, &(struct rv_map_params){0});
    struct rv_source *source = NULL;
    if (!error) {
        source = rv_live_drain_open(
            &setup->map, &(struct rv_live_drain_params){.is_over = producer_has_ended, .context = &setup->producer});
        error = source ? start_producer(&setup->producer, setup->path, steps, n_events) : -EBUSY;
    }
    if (!error && is_recorded)
        error = start_record(setup); /* after the fork: no page is shared with the other process */
    if (error)
        return error;
    setup->session = rv_session_start(
        &(struct rv_session_params){.sinks = &setup->sink, .n_sinks = is_recorded, .times_stages = true}, source);
    return 0;
}

struct sample {
    double rate;                                     /* M events/s, from the first to the last in the model */
    double producer_ns;                              /* until the producer pushed its last event */
    double drain, scan, carry, timeline, statistics; /* ns of CPU an event */
};

static int measure_flat_out(const struct step *steps, bool is_recorded, struct sample *sample)
{
    struct setup setup;
    int error = begin_run(&setup, steps, N_EVENTS, is_recorded);
    if (error)
        return error;
    uint64_t began = rv_clock_mono_ns();
    if (write(setup.producer.go, "g", 1) != 1)
        error = -EPIPE;
    while (!rv_session_wait(setup.session, 1000000000))
        ;
    double ns = (double)(rv_clock_mono_ns() - began);
    uint64_t took_ns = 1;
    struct rv_session_counts counts;
    if (read(setup.producer.took, &took_ns, sizeof took_ns) != sizeof took_ns)
        error = -EPIPE;
    rv_session_counts(setup.session, &counts);
    /* Some more tell that the producer slept until there was room. */
    if (counts.n_consumed < N_EVENTS || counts.n_dropped || counts.n_spans != N_EVENTS / 2)
        error = rv_err(EIO, "drain: %llu of %d events, %llu dropped, %llu spans", (unsigned long long)counts.n_consumed,
                       N_EVENTS, (unsigned long long)counts.n_dropped, (unsigned long long)counts.n_spans);
    *sample = (struct sample){.rate = N_EVENTS / ns * 1e3,
                              .producer_ns = (double)took_ns,
                              .drain = (double)counts.drain_ns / N_EVENTS,
                              .scan = (double)counts.scan_ns / N_EVENTS,
                              .carry = (double)counts.carry_ns / N_EVENTS,
                              .timeline = (double)counts.timeline_ns / N_EVENTS,
                              .statistics = (double)counts.stats_ns / N_EVENTS};
    end_run(&setup);
    return error;
}

/* Per cent of one core while no event comes. */
static int measure_idle(const struct step *steps, double *percent)
{
    struct setup setup;
    int error = begin_run(&setup, steps, N_PATTERN, false);
    if (error)
        return error;
    rv_os_sleep_ns(IDLE_NS / 5); /* started, and idle for a while */
    uint64_t before_ns = rv_clock_process_cpu_ns();
    rv_os_sleep_ns(IDLE_NS);
    *percent = (double)(rv_clock_process_cpu_ns() - before_ns) / (double)IDLE_NS * 100;
    end_run(&setup);
    return 0;
}

/* From the first event after a pause to that event in the model, ms. */
static int measure_wake(const struct step *steps, double *ms)
{
    struct setup setup;
    int error = begin_run(&setup, steps, N_PATTERN, false);
    if (error)
        return error;
    rv_os_sleep_ns(IDLE_NS / 10);
    uint64_t began = rv_clock_mono_ns();
    struct rv_session_counts counts = {0};
    if (write(setup.producer.go, "g", 1) != 1)
        error = -EPIPE;
    while (!error && counts.n_spans == 0)
        rv_session_counts(setup.session, &counts);
    *ms = (double)(rv_clock_mono_ns() - began) / 1e6;
    end_run(&setup);
    return error;
}

/* The most that a process has had resident so far, in MiB; 0: it has ended. */
static double peak_mib(pid_t pid)
{
    char path[64], line[256];
    unsigned long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status) && sscanf(line, "VmHWM: %lu", &kib) != 1)
        ;
    if (status)
        fclose(status);
    return (double)kib / 1024;
}

/* Of ringviz with the rings and pages of libraries, while it records a program whose calls come in bursts. */
static int measure_resident(const char *program, double *mib)
{
    char path[4096], option[4200];
    const char *argv[] = {"/proc/self/exe", "--headless", "--force", option, "--", program, "200", NULL};
    int error = rv_bench_make_file(path, sizeof path), status = 0;
    if (error)
        return error;
    snprintf(option, sizeof option, "--record=%s", path);
    pid_t pid = rv_child_start(argv, NULL, NULL);
    for (double now; pid > 0 && waitpid(pid, &status, WNOHANG) == 0; rv_os_sleep_ns(PEAK_INTERVAL_NS))
        *mib = (now = peak_mib(pid)) > 0 ? now : *mib;
    unlink(path);
    return pid < 0 ? (int)pid : status ? rv_err(EIO, "drain: recording %s failed", program) : 0;
}

static int print_resident(struct rv_bench_out *out)
{
    char program[4096];
    double mib[3] = {0};
    if (rv_launch_find_file("ringviz-bench-traced", program, sizeof program) != 0)
        return 0;
    for (unsigned i = 0; i < 3; i++) {
        int error = measure_resident(program, &mib[i]);
        if (error)
            return error;
    }
    double median = rv_bench_median(mib, 3);
    rv_bench_row(out, &(struct rv_bench_row){"drain.record.resident", "MiB", median, mib[0], 3, NULL, 0,
                                             "at most, of ringviz --headless --record with its rings"});
    return 0;
}

static void print_row(struct rv_bench_out *out, const char *name, const char *unit, double *samples, unsigned n,
                      const char *detail)
{
    double median = rv_bench_median(samples, n);
    bool is_rate = strcmp(unit, "Mevents/s") == 0;
    double best = is_rate ? samples[n - 1] : samples[0];
    rv_bench_row(out, &(struct rv_bench_row){
                          .bench = name, .unit = unit, .median = median, .min = best, .n = n, .detail = detail});
}

int rv_bench_drain(struct rv_bench_out *out)
{
    struct step *steps = make_pattern();
    struct sample samples[N_RUNS], recorded[N_RUNS];
    double idle[N_RUNS], wake[N_RUNS], column[N_RUNS];
    int error = 0;
    for (unsigned i = 0; i < 2 * N_RUNS && !error; i++) /* in turns */
        error = measure_flat_out(steps, i % 2, i % 2 ? &recorded[i / 2] : &samples[i / 2]);
    for (unsigned i = 0; i < 3 && !error; i++)
        error = measure_idle(steps, &idle[i]);
    for (unsigned i = 0; i < N_RUNS && !error; i++)
        error = measure_wake(steps, &wake[i]);
    free(steps);
    if (error)
        return error;
    static const struct {
        const char *name;
        size_t offset;
    } STAGES[] = {{"drain.stage.drain", offsetof(struct sample, drain)},
                  {"drain.stage.scan", offsetof(struct sample, scan)},
                  {"drain.stage.carry", offsetof(struct sample, carry)},
                  {"drain.stage.timeline", offsetof(struct sample, timeline)},
                  {"drain.stage.statistics", offsetof(struct sample, statistics)}};
    for (unsigned i = 0; i < N_RUNS; i++)
        column[i] = samples[i].rate;
    print_row(out, "drain.end_to_end", "Mevents/s", column, N_RUNS,
              "min is the best rate; one producer, block, nothing lost");
    double best = column[N_RUNS - 1], median;
    for (unsigned i = 0; i < N_RUNS; i++)
        column[i] = recorded[i].rate;
    median = rv_bench_median(column, N_RUNS);
    rv_bench_row(out, &(struct rv_bench_row){"drain.record", "Mevents/s", median, column[N_RUNS - 1], N_RUNS,
                                             "not recorded", column[N_RUNS - 1] / best, "the same into a recording"});
    for (unsigned i = 0; i < N_RUNS; i++)
        column[i] = recorded[i].producer_ns / samples[i].producer_ns;
    print_row(out, "drain.slowdown", "x", column, N_RUNS,
              "the producer's time with a recording to that without, in turns");
    for (size_t k = 0; k < sizeof STAGES / sizeof *STAGES; k++) {
        for (unsigned i = 0; i < N_RUNS; i++)
            column[i] = *(const double *)((const char *)&samples[i] + STAGES[k].offset);
        print_row(out, STAGES[k].name, "ns/event", column, N_RUNS, "CPU time");
    }
    print_row(out, "drain.idle", "% of a core", idle, 3, NULL);
    print_row(out, "drain.wake", "ms", wake, N_RUNS, "first event to span in the model");
    return print_resident(out);
}
