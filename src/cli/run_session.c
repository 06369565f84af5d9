/*
 * Order: first everything that can fail before the program runs (outputs, trace file, filter, attaching as consumer),
 * then the command starts, then the session; at the end in reverse. Outputs are written when the capture is over, though
 * the command may run on.
 */
#include "cli/cache_folder.h"
#include "cli/run_session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/attach.h"
#include "cli/slice.h"
#include "cli/exports.h"
#include "cli/film.h"
#include "cli/report_lines.h"
#include "cli/open_trace.h"
#include "cli/output.h"
#include "cli/screenshot.h"
#include "cli/prototypes.h"
#include "cli/progress.h"
#include "cli/recorder.h"
#include "cli/repatch.h"
#include "cli/signals.h"
#include "cli/reports.h"
#include "cli/warnings.h"
#include "cli/window_module.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/exec.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/sigbus.h"
#include "launch/launch.h"
#include "pipeline/history_on_disk.h"
#include "pipeline/session.h"
#include "export/losses.h"
#include "ring/process_liveness.h"
#include "ring/refused_processes.h"
#include "source/context_switches.h"
#include "symbols/debuginfod.h"

enum { MAX_SINKS = 8, STATUS_FAILED = 1, STATUS_INTERRUPTED = 128 + SIGINT, STATUS_TERMINATED = 128 + SIGTERM };
static const uint64_t TURN_NS = 50000000;
/* Of tracing, for a command that was asked to end: half of the time that `docker stop` gives us both. */
static const uint64_t ENDING_NS = 5000000000;
/* A daemon started last may not have made its first call when the command ends. */
static const uint64_t LATECOMER_NS = 500000000;
/* After the end of a command, before it is said that its daemons are traced. */
static const uint64_t DAEMONS_NS = 2000000000;
/* After the outputs, before it is said that a command is waited for. */
static const uint64_t RUNS_ON_NS = 500000000;

struct run {
    const struct rv_options *options;
    struct rv_output output;
    struct rv_exports exports;
    struct rv_spool *spool; /* of every call; NULL: not needed, or blocks are read on demand */
    struct rv_report_lines lines;
    struct rv_sink sinks[MAX_SINKS];
    size_t n_sinks;
    struct rv_recorder recorder;
    struct rv_history *history; /* NULL: none */
    struct rv_film film;
    struct rv_capture_filter *filter;
    struct rv_map map; /* zeroed: the source is not a live trace file */
    int refusals_fd;   /* -1: processes that may not open it are not counted */
    struct rv_source *source;
    struct rv_repatch *repatch; /* NULL: the source is not a live trace file */
    struct rv_launch *launch;
    bool is_attached;
    uint64_t attached_start; /* start time: tells the process from a later one with its pid */
    struct rv_session *session;
    uint64_t end_ns;                     /* when capture ends by --duration */
    bool has_ended;                      /* the command has ended; its children may run */
    bool is_silence_said;                /* why no call came */
    bool has_warned;                     /* of losses, and of what was not traced */
    uint64_t asked_ns;                   /* when it was seen that the command was sent TERM; 0: it was not */
    unsigned n_interrupts0;              /* number of interrupts when its end was seen */
    int status;                          /* ringviz's exit status */
    struct rv_losses losses;             /* as counted when the session has ended */
    struct rv_critical_path_request lit; /* the critical path that was written; zeroed: none */
    uint64_t alone_since_ns;             /* drain thread: since when only descendants of the command run */
};

/* Does the command run on though it was sent TERM? HUP may mean that it shall read its settings again. */
static bool is_asked_in_vain(struct run *run)
{
    if (run->has_ended || rv_launch_end_signal() != SIGTERM)
        return false;
    const uint64_t now_ns = rv_clock_mono_ns();
    if (!run->asked_ns)
        run->asked_ns = now_ns;
    return now_ns - run->asked_ns >= ENDING_NS;
}

/* The terminal sends Ctrl-C to the command as well: while a command runs the second one ends us, afterwards each. */
static bool is_interrupted(struct run *run)
{
    if (rv_signals_has_end())
        return true;
    if (!run->launch)
        return rv_signals_n_interrupts() > 0;
    if (!run->has_ended && rv_launch_has_ended(run->launch)) {
        run->has_ended = true;
        run->n_interrupts0 = rv_signals_n_interrupts();
    }
    unsigned n = rv_signals_n_interrupts();
    return n > 1 || (run->has_ended && n > run->n_interrupts0);
}

/* Is capture to end though the command runs? */
static bool is_to_end(struct run *run)
{
    return is_interrupted(run) || is_asked_in_vain(run);
}

/* ---- begin ---- */

static bool is_set_to_one(const char *name)
{
    const char *value = getenv(name);
    return value && strcmp(value, "1") == 0;
}

/* The trace file of a command. */
static int create_map(struct run *run)
{
    const struct rv_options *options = run->options;
    struct rv_map_params params = options->map;
    params.settles_clock_later = options->argv; /* once the command runs */
    params.max_depth = options->max_depth;
    params.is_filtered = run->filter != NULL;
    params.has_call_sites = options->has_lines || is_set_to_one("RINGVIZ_NATIVE_LINES");
    params.is_private = !options->trace_file && options->is_headless;
    params.include = options->include;
    params.exclude = options->exclude;
    char path[4096];
    rv_map_remove_stale();
    if (!options->trace_file) {
        uint64_t ring_bytes =
            (options->map.ring_events ? options->map.ring_events : 1u << 17) * sizeof(struct rv_event);
        int error = rv_map_default_path(path, sizeof path, 8 * ring_bytes);
        if (error)
            return error;
    }
    int error = rv_cli_prototypes_read(options, &params);
    if (!error)
        error = rv_map_create(&run->map, options->trace_file ? options->trace_file : path, &params);
    free((void *)(uintptr_t)params.captures);
    return error;
}

/* Original bytes and return addresses are put back while events are still read: none waits for room any more. */
static void detach(struct run *run)
{
    rv_repatch_stop(run->repatch);
    if (run->is_attached && rv_cli_detach_all(run->options, &run->map) != 0)
        run->status = STATUS_FAILED;
    run->is_attached = false;
}

/* Who asks for the end, also of the command alone, does not wait for names. */
static void heed_end(struct run *run)
{
    if (rv_launch_end_signal() || is_to_end(run))
        rv_debuginfod_cancel();
}

static void end_capture(struct run *run)
{
    detach(run);
    rv_session_stop(run->session);
}

/* Drain thread. */
static void follow_verdicts(void *context)
{
    struct run *run = context;
    rv_repatch_wake(run->repatch);
}

/* Drain thread. */
static bool has_process_ended(void *context)
{
    const struct run *run = context;
    return !rv_process_liveness_is_running(run->options->pid, run->attached_start);
}

/* The command has ended, and its daemons had the time to appear. Drain thread. */
static bool is_over(void *context)
{
    struct run *run = context;
    if (!rv_launch_has_ended(run->launch))
        return false;
    if (!rv_launch_has_offspring(run->launch))
        return true;
    if (run->alone_since_ns == 0)
        run->alone_since_ns = rv_clock_mono_ns();
    return rv_clock_mono_ns() - run->alone_since_ns >= LATECOMER_NS;
}

static void add_sink(struct run *run, struct rv_sink sink)
{
    rv_assert(run->n_sinks < MAX_SINKS);
    run->sinks[run->n_sinks++] = sink;
}

/* When it is known whether the source is read on demand. */
static int open_sinks(struct run *run)
{
    if (run->source->is_on_demand)
        return 0;
    if (rv_options_has(run->options, RV_OPTION_SPANS) || rv_options_has(run->options, RV_OPTION_WAITS) ||
        rv_options_has(run->options, RV_OPTION_CRITICAL_PATH) || run->options->group_by.is_on ||
        run->options->n_exports) {
        run->spool = rv_spool_create();
        if (!run->spool)
            return -EIO;
        add_sink(run, rv_spool_sink(run->spool));
    }
    return 0;
}

/* Are calls drawn, in a window or a picture? */
static bool is_looked_at(const struct rv_options *options)
{
    return !options->is_headless || options->screenshot || options->frames || options->video;
}

/* Are few calls needed, or each once: for a picture, a report of a range, or a critical path, and nothing else? */
static bool needs_few_blocks(const struct rv_options *options)
{
    bool has_calls = options->has_lines || rv_options_has(options, RV_OPTION_SPANS) ||
                     rv_options_has(options, RV_OPTION_WAITS) || rv_options_has(options, RV_OPTION_HOLDERS) ||
                     rv_options_has(options, RV_OPTION_FLOWS) || options->n_exports ||
                     rv_options_has(options, RV_OPTION_RECORD) || options->frames || options->video ||
                     options->max_depth || options->look == RV_VIEW_MODE_TASKS;
    if (has_calls)
        return false;
    const bool has_path = rv_options_has(options, RV_OPTION_CRITICAL_PATH), has_part = rv_options_has_part(options);
    if (is_looked_at(options))
        return !options->has_report && !has_path && !options->find && !has_part;
    const bool has_arguments =
        rv_filter_has_arguments(options->filter) || (options->find && rv_filter_is_for_arguments(options->find));
    return has_part ? options->has_report || has_path : has_path && !options->has_report && !has_arguments;
}

/* The report of a slice, and what is read on demand, is computed at the end, from the calls in lanes; all other text
 * comes from sinks and statistics. */
static bool leaves_calls(const struct run *run)
{
    const struct rv_options *options = run->options;
    return !run->source->is_on_demand && !is_looked_at(options) &&
           !(options->has_report && rv_cli_slice_is_asked(options));
}

/* Of the process, and of those below it that are entered. */
static struct rv_context_switches *open_processes_switches(const struct rv_options *options, int *error)
{
    pid_t below[RV_CLI_ATTACH_BELOW];
    struct rv_context_switches *switches = rv_context_switches_open_process((pid_t)options->pid, error);
    const bool has_others = switches && options->follow == RV_FOLLOW_ALL;
    const size_t n = has_others ? rv_cli_attach_below((pid_t)options->pid, below) : 0;
    for (size_t i = 0; i < n; i++)
        rv_context_switches_add_process(switches, below[i]);
    return switches;
}

static struct rv_context_switches *open_context_switches(const struct rv_options *options)
{
    int error;
    struct rv_context_switches *switches =
        options->pid ? open_processes_switches(options, &error) : rv_context_switches_open(&error);
    if (switches && options->states == RV_STATES_ON)
        (void)rv_context_switches_add_wakes(switches); /* few users may: without a message */
    if (error)
        rv_note("threads' states are not known: perf_event_open: %s%s", strerror(-error),
                error == -EACCES || error == -EPERM
                    ? " (sysctl kernel.perf_event_paranoid=2, or CAP_PERFMON; root also sees who of other programs "
                      "wakes them)"
                    : "");
    return switches;
}

static int open_source(struct run *run)
{
    const struct rv_options *options = run->options;
    struct rv_live_drain_params live = {
        .interval_ns = options->drain_interval_ns,
        .is_unattended = !is_looked_at(options),
        .filter = run->filter,
        .is_own = !options->file,
        .max_overhead = rv_options_max_overhead(options),
        .on_verdicts = follow_verdicts,
        .context = run,
    };
    if (options->file)
        return rv_open_trace(
            &run->map, &run->source,
            &(struct rv_open_trace_params){options->file, options->import_format, live, needs_few_blocks(options)});
    run->attached_start = options->pid ? rv_os_process_start((pid_t)options->pid) : 0;
    live.is_over = options->pid ? has_process_ended : is_over;
    int error = create_map(run);
    if (error)
        return error;
    live.switches = options->states == RV_STATES_OFF ? NULL : open_context_switches(options);
    run->source = rv_live_drain_open(&run->map, &live);
    return run->source ? 0 : -EBUSY;
}

static int open_recorder(struct run *run)
{
    uint32_t pid = run->options->file ? run->map.geometry.creator_pid : 0;
    int error = rv_recorder_open(&run->recorder, run->options, pid, run->source);
    struct rv_trigger *trigger = run->options->record_limit.trigger;
    if (run->recorder.record && trigger)
        add_sink(run, rv_trigger_sink(trigger));
    if (run->recorder.record)
        add_sink(run, rv_recording_writer_sink(run->recorder.record));
    return error;
}

/* A program that runs, or the trace file of one. */
static bool is_live(const struct run *run)
{
    return run->map.base || (run->options->import_format && run->options->import_format->heeds);
}

/* Without it older calls are shown by their density. */
static void open_history(struct run *run)
{
    const struct rv_options *options = run->options;
    if (!is_looked_at(options) || options->leaves_history || !is_live(run))
        return;
    const uint64_t n_bytes = options->history_bytes ? options->history_bytes : rv_history_default_bytes();
    if (n_bytes < RV_HISTORY_LEAST_BYTES)
        rv_warn("no history of older calls: the folder for temporary files is full or in memory (--history, TMPDIR)");
    else
        run->history = rv_history_create(n_bytes);
    if (run->history)
        add_sink(run, rv_history_sink(run->history));
}

/* When it is known whether the source is live. */
static int open_lines(struct run *run)
{
    struct rv_sink sink = {.context = NULL};
    const int error =
        run->options->has_lines ? rv_report_lines_open(&run->lines, run->options, is_live(run), &sink) : 0;
    if (sink.context)
        add_sink(run, sink);
    return error;
}

/* On one thread at a time. */
static void tell_fetched(const char *file, double done)
{
    static struct rv_progress progress;
    static char what[PATH_MAX];
    if (done < 0) {
        rv_progress_end(&progress);
        return;
    }
    if (!progress.what) {
        snprintf(what, sizeof what, "fetching the debug file of %s", file);
        rv_progress_begin(&progress, what);
    }
    rv_progress_tell(&progress, done);
}

/* Not for a command that is not found: that is said when it is started. */
static bool needs_display(const struct rv_options *options)
{
    char path[PATH_MAX];
    return !options->is_headless && (!options->argv || rv_exec_find(options->argv[0], path, sizeof path));
}

static int prepare(struct run *run)
{
    const struct rv_options *options = run->options;
    int error = is_looked_at(options) ? rv_window_module_check() : 0;
    if (!error)
        error = rv_output_open(&run->output, options->output, options->is_forced);
    if (!error)
        error = rv_cli_screenshot_check(options->screenshot);
    if (!error)
        error = rv_film_open(&run->film, options);
    if (!error)
        error = rv_exports_open(&run->exports, options);
    if (!error)
        error = rv_capture_filter_create(&run->filter, options->include, options->exclude);
    if (!error && options->fetches_debug_files)
        error = rv_debuginfod_enable(tell_fetched);
    if (!error)
        error = open_source(run);
    if (!error && needs_display(options))
        error = rv_window_module_check_display();
    if (!error)
        error = open_sinks(run);
    if (!error && run->map.base)
        rv_sigbus_catch(&(struct rv_sigbus_region){run->map.base, run->map.n_bytes, run->map.fd, run->map.path});
    if (!error)
        error = open_recorder(run);
    if (!error)
        error = open_lines(run);
    if (!error)
        open_history(run);
    return error;
}

static int attach(struct run *run)
{
    int error = rv_cli_attach(run->options, &run->map);
    run->is_attached = !error;
    run->status = error ? STATUS_FAILED : run->status;
    if (!error)
        rv_recorder_name(&run->recorder, (pid_t)run->options->pid);
    return error;
}

/* Before this signals end the process; from here on there is output to write. */
static int start_command(struct run *run)
{
    char plans[PATH_MAX];
    rv_signals_catch_interrupts(0);
    if (!run->options->argv) {
        rv_signals_catch_ends(run->source);
        return run->options->pid ? attach(run) : 0;
    }
    run->refusals_fd = rv_refused_processes_open(run->map.path);
    run->launch = rv_launch_start(&(struct rv_launch_params){.trace_path = run->map.path,
                                                             .argv = run->options->argv,
                                                             .patches = run->options->patches,
                                                             .plans = rv_cache_folder_open(RV_CACHE_PLANS, plans),
                                                             .is_alone = run->options->follow == RV_FOLLOW_NONE,
                                                             .wants_lines = run->options->has_lines,
                                                             .end_us = rv_signals_end},
                                  &run->status);
    if (!run->launch)
        return -ENOENT;
    rv_map_settle_clock(&run->map);
    rv_recorder_name(&run->recorder, rv_launch_pid(run->launch));
    return 0;
}

static void start_session(struct run *run)
{
    const struct rv_options *options = run->options;
    if (run->map.base)
        run->repatch = rv_repatch_start(&run->map);
    run->session = rv_session_start(
        &(struct rv_session_params){
            .n_workers = options->n_threads,
            .memory_bytes = options->memory_bytes,
            .leaves_calls = leaves_calls(run),
            .keeps_stretches = rv_options_has(options, RV_OPTION_SPANS) || options->n_exports ||
                               rv_options_has(options, RV_OPTION_CRITICAL_PATH),
            .keeps_notes = options->n_exports,
            .keeps_waits = is_looked_at(options) || options->n_exports || rv_options_has(options, RV_OPTION_WAITS) ||
                           rv_options_has(options, RV_OPTION_HOLDERS) ||
                           rv_options_has(options, RV_OPTION_CRITICAL_PATH) ||
                           (options->has_report && rv_options_has_part(options)),
            .keeps_flows = is_looked_at(options) || rv_options_has(options, RV_OPTION_FLOWS) || options->n_exports ||
                           options->group_by.is_task,
            .times_stages = options->is_verbose,
            .max_depth = options->max_depth,
            .sinks = run->sinks,
            .n_sinks = run->n_sinks,
            .reopen = options->file && !is_live(run) ? rv_report_lines_reopen : NULL,
            .reopen_context = (void *)(uintptr_t)options,
            .history = run->history,
        },
        run->source);
    run->source = NULL; /* the session's now */
}

/* ---- run ---- */

/* Is capture over: by --duration, or because nothing more can be read? */
static bool is_capture_over(const struct run *run)
{
    return rv_clock_mono_ns() >= run->end_ns || rv_sigbus_has_come() || rv_memory_is_short();
}

static bool why_silent(void *context, char *out, size_t out_bytes)
{
    const struct run *run = context;
    return rv_warnings_why_silent(run->options, &run->map, out, out_bytes);
}

/* Who waits before a terminal need not wait for the end. Returns when to look again. */
static uint64_t say_silence(struct run *run, uint64_t now_ns)
{
    char why[RV_WINDOW_WHY_BYTES];
    struct rv_session_counts counts;
    rv_session_counts(run->session, &counts);
    run->is_silence_said = !counts.n_consumed && why_silent(run, why, sizeof why);
    if (run->is_silence_said)
        rv_warn("so far, %s", why);
    return counts.n_consumed || run->is_silence_said ? UINT64_MAX : now_ns + RV_WINDOW_SILENCE_NS;
}

/* Who started a daemon would wait for it without knowing. */
static void say_daemons(const struct run *run)
{
    rv_warn("%s has ended, but processes that it started run on, and are traced: Ctrl-C or SIGTERM ends that",
            run->options->argv[0]);
}

static void run_headless(struct run *run)
{
    uint64_t speaks_ns = isatty(STDERR_FILENO) ? rv_clock_mono_ns() + RV_WINDOW_SILENCE_NS : UINT64_MAX;
    uint64_t daemons_ns = UINT64_MAX;
    bool are_daemons_said = false;
    while (!rv_session_wait(run->session, TURN_NS)) {
        const uint64_t now_ns = rv_clock_mono_ns();
        heed_end(run);
        if (run->has_ended && daemons_ns == UINT64_MAX)
            daemons_ns = now_ns + DAEMONS_NS;
        if (is_to_end(run) || is_capture_over(run)) {
            end_capture(run);
        } else if (now_ns >= daemons_ns && !are_daemons_said && rv_launch_has_offspring(run->launch)) {
            are_daemons_said = true;
            say_daemons(run);
        } else if (now_ns >= speaks_ns) {
            speaks_ns = say_silence(run, now_ns);
        }
    }
}

/* Called by the window between frames: the capture may end before the window is closed. Who asked us to end while the
 * command lived meant the window, too. */
static bool should_close(void *context)
{
    struct run *run = context;
    if (is_capture_over(run) && !rv_session_is_done(run->session))
        end_capture(run);
    return is_to_end(run) || (run->has_ended && rv_launch_end_signal());
}

/* The window starts or stops a recording. */
static bool switch_recorder(void *context, bool is_on)
{
    struct run *run = context;
    bool can_begin = !rv_session_is_done(run->session);
    return rv_recorder_switch(&run->recorder, is_on && (can_begin || run->recorder.is_on));
}

static const char *recorded_later(void *context)
{
    return rv_recorder_later_path(&((const struct run *)context)->recorder);
}

static bool does_command_run_on(struct run *run)
{
    return run->launch && !rv_launch_has_ended(run->launch) && !is_to_end(run);
}

/* The capture is over; the program may go on. Wait for its end, as a shell does. */
static void wait_for_command(struct run *run)
{
    uint64_t speaks_ns = rv_clock_mono_ns() + RUNS_ON_NS;
    while (does_command_run_on(run)) {
        if (rv_clock_mono_ns() >= speaks_ns) {
            rv_warn("the capture is over; %s runs on, and its end is waited for (Ctrl-C)", run->options->argv[0]);
            speaks_ns = UINT64_MAX;
        }
        rv_os_sleep_ns(TURN_NS / 5);
    }
    if (!run->launch)
        return;
    const bool has_ended = rv_launch_has_ended(run->launch);
    if (!has_ended && is_asked_in_vain(run))
        rv_warn("the command runs on after SIGTERM; its later calls are missing");
    if (!run->status)
        run->status = has_ended                           ? rv_launch_status(run->launch)
                      : rv_launch_end_signal() == SIGTERM ? STATUS_TERMINATED
                                                          : STATUS_INTERRUPTED;
}

/* ---- end ---- */

static const char *title_of(const struct run *run)
{
    const struct rv_options *options = run->options;
    return options->file ? options->file : options->argv ? options->argv[0] : "a running program";
}

/* Wait until the picture has all its spans, for a limited time. */
static bool fetch_view(void *context, const struct rv_view *view)
{
    struct run *run = context;
    if (rv_session_want(run->session, view->from_ns, view->to_ns, view->level) == 0 || is_interrupted(run))
        return false;
    rv_os_sleep_ns(TURN_NS / 10);
    return true;
}

static struct rv_screenshot_params picture_of(struct run *run, const struct rv_session_counts *counts)
{
    struct rv_screenshot_params picture = rv_cli_screenshot_params(run->session, run->options);
    picture.program = title_of(run);
    picture.pid = run->launch ? (uint32_t)rv_launch_pid(run->launch) : 0;
    picture.n_dropped = counts->n_dropped;
    picture.lit = run->lit.to_ns ? &run->lit : NULL;
    picture.fetch = fetch_view;
    picture.context = run;
    return picture;
}

static bool should_stop_filming(void *context)
{
    const struct run *run = context;
    return rv_signals_n_interrupts() > run->n_interrupts0;
}

static int write_pictures(struct run *run, const struct rv_session_counts *counts)
{
    struct rv_screenshot_params picture = picture_of(run, counts);
    int error = picture.path ? rv_cli_screenshot_take(&picture) : 0;
    if (error || !(run->options->frames || run->options->video))
        return error;
    run->n_interrupts0 = rv_signals_n_interrupts();
    const struct rv_window_module *window = rv_window_module_load();
    return !window ? -ENOTSUP
                   : window->take_film(&run->film, &(struct rv_film_params){.picture = &picture,
                                                                            .fps = run->options->fps,
                                                                            .speed = run->options->speed,
                                                                            .should_stop = should_stop_filming,
                                                                            .context = run});
}

static void print_costs(const struct rv_session_counts *counts)
{
    rv_note("%llu events, %llu spans, %llu batches; CPU ms: drain %.1f, scan %.1f, carry %.1f, timeline %.1f, "
            "statistics %.1f",
            (unsigned long long)counts->n_consumed, (unsigned long long)counts->n_spans,
            (unsigned long long)counts->n_batches, (double)counts->drain_ns / 1e6, (double)counts->scan_ns / 1e6,
            (double)counts->carry_ns / 1e6, (double)counts->timeline_ns / 1e6, (double)counts->stats_ns / 1e6);
    rv_note("%.1f MB resident, at most %.1f MB; %llu pages were loaded", (double)rv_os_resident_bytes() / 1e6,
            (double)rv_os_resident_peak_bytes() / 1e6, (unsigned long long)counts->n_pages);
    rv_note("%llu calls cut, %llu returns without a call, %llu calls open while others were lost (doubtful)",
            (unsigned long long)counts->n_cut, (unsigned long long)counts->n_orphans,
            (unsigned long long)counts->n_doubtful);
}

static bool prints_page(const struct rv_options *options)
{
    return options->has_page && strcmp(options->exports[options->n_exports - 1].path, "-") == 0;
}

/* Who reads JSON, CSV or a page does not expect what the command printed in front of it. */
static void warn_of_shared_output(const struct run *run)
{
    const struct rv_options *options = run->options;
    const bool is_for_programs = rv_options_has(options, RV_OPTION_SPANS) || prints_page(options) ||
                                 options->report_format != RV_REPORT_TEXT;
    if (run->launch && is_for_programs && rv_output_has_others(&run->output))
        rv_warn("standard output has other lines in front of this report; --output=FILE keeps it apart");
}

static int write_texts(struct run *run, const struct rv_session_counts *counts, const struct rv_range_statistics *range)
{
    int error = rv_output_begin(&run->output);
    struct rv_reports reports = {.options = run->options,
                                 .session = run->session,
                                 .spool = run->spool,
                                 .lines = &run->lines,
                                 .range = range,
                                 .counts = counts,
                                 .losses = &run->losses,
                                 .output = &run->output};
    if (!error)
        error = rv_reports_write(&reports);
    run->lit = reports.lit;
    return error;
}

static struct rv_warnings warnings_of(struct run *run, const struct rv_session_counts *counts)
{
    rv_session_losses(run->session, &run->losses);
    run->losses.n[RV_LOSS_PROCESSES_REFUSED] = rv_refused_processes_count(run->refusals_fd);
    return (struct rv_warnings){.options = run->options,
                                .session = run->session,
                                .map = &run->map,
                                .launch = run->launch,
                                .losses = &run->losses,
                                .counts = counts,
                                .is_silence_said = run->is_silence_said};
}

/* Once: with a window when the capture has ended, which is shown on. */
static void say_warnings(struct run *run, const struct rv_warnings *warnings)
{
    if (!run->has_warned)
        rv_warnings_print(warnings);
    run->has_warned = true;
}

static void write_outputs(struct run *run)
{
    const struct rv_options *options = run->options;
    struct rv_session_counts counts;
    rv_session_counts(run->session, &counts);
    print_costs(&counts);
    struct rv_range_statistics *range = rv_reports_measure(options, run->session);
    const struct rv_warnings warnings = warnings_of(run, &counts);
    say_warnings(run, &warnings);
    if (rv_session_error(run->session) || rv_sigbus_has_come())
        run->status = STATUS_FAILED;
    if (run->spool && rv_spool_seal(run->spool) != 0)
        run->status = STATUS_FAILED; /* what was read before is written all the same */
    warn_of_shared_output(run);
    int error = rv_options_n_texts(options) ? write_texts(run, &counts, range) : 0;
    if (rv_output_close(&run->output) != 0 || error)
        run->status = STATUS_FAILED;
    const struct rv_exports_content content = {run->session, run->spool, &run->losses, title_of(run)};
    if (options->n_exports && rv_exports_write(&run->exports, &content) != 0)
        run->status = STATUS_FAILED;
    if (write_pictures(run, &counts) != 0)
        run->status = STATUS_FAILED;
    if (rv_warnings_fail_on_loss(&warnings))
        run->status = STATUS_FAILED;
    rv_range_statistics_destroy(range);
}

static void remove_private_files(const struct run *run)
{
    rv_refused_processes_unlink(run->refusals_fd, run->map.path);
    if (*run->map.path && !run->options->file && !run->options->trace_file)
        unlink(run->map.path);
}

static const struct run *quitting;

/* Memory or a thread was refused. Other threads still run: nothing is closed or freed. */
static void quit(void)
{
    remove_private_files(quitting);
    rv_output_abandon(&quitting->output);
    rv_exports_abandon(&quitting->exports);
}

static void tear_down(struct run *run)
{
    detach(run);
    rv_session_destroy(run->session);
    rv_repatch_destroy(run->repatch);
    rv_history_destroy(run->history);
    if (rv_recorder_close(&run->recorder) != 0)
        run->status = STATUS_FAILED;
    if (run->source)
        run->source->close(run->source);
    rv_launch_destroy(run->launch);
    remove_private_files(run);
    if (run->refusals_fd >= 0)
        close(run->refusals_fd);
    rv_sigbus_release();
    rv_map_close(&run->map);
    rv_report_lines_close(&run->lines);
    rv_spool_destroy(run->spool);
    rv_capture_filter_destroy(run->filter);
    rv_film_close(&run->film);
}

/* One that begins with the capture, as the times of its bookmarks do. */
static const char *whole_recording(const struct run *run)
{
    const bool is_whole = run->recorder.is_on && !rv_record_limit_is_set(&run->options->record_limit);
    return is_whole ? run->recorder.path : NULL;
}

static void warn_in_window(void *context)
{
    struct run *run = context;
    struct rv_session_counts counts;
    rv_session_counts(run->session, &counts);
    const struct rv_warnings warnings = warnings_of(run, &counts);
    say_warnings(run, &warnings);
}

static int run_window(struct run *run)
{
    const struct rv_window_module *window = rv_window_module_load();
    const struct rv_window_params params = {
        .title = title_of(run),
        .pid = run->launch ? rv_launch_pid(run->launch) : (pid_t)run->options->pid,
        .should_close = should_close,
        .map = run->map.base ? &run->map : NULL,
        .is_recording = run->recorder.is_on,
        .record = switch_recorder,
        .recorded = recorded_later,
        .why_silent = why_silent,
        .ended = warn_in_window,
        .is_program = is_live(run) || run->launch,
        .recording = whole_recording(run),
        .context = run,
    };
    return window ? window->show(run->session, run->options, &params) : -ENOTSUP;
}

/*
 * The capture is over: nobody comes to its file any more, and nobody waits for outputs until the command ends. TERM and
 * HUP are still passed on to a command that runs; else they end the writing. The first interrupt may be a hasty one.
 */
static void end_run(struct run *run)
{
    const bool runs_on = does_command_run_on(run);
    remove_private_files(run);
    if (!runs_on) {
        wait_for_command(run);
        rv_signals_release_ends();
    }
    rv_signals_catch_interrupts(SA_RESETHAND);
    write_outputs(run);
    rv_recorder_switch(&run->recorder, false);
    if (runs_on) {
        rv_signals_catch_interrupts(0);
        wait_for_command(run);
    }
}

static void run_to_end(struct run *run)
{
    const struct rv_options *options = run->options;
    run->end_ns = options->duration_ns ? rv_clock_mono_ns() + options->duration_ns : UINT64_MAX;
    if (!options->is_headless) {
        if (run_window(run) != 0)
            run->status = STATUS_FAILED;
        rv_debuginfod_cancel(); /* nobody looks at names any more */
        end_capture(run);
    }
    run_headless(run);
    end_run(run);
}

int rv_run_session(const struct rv_options *options)
{
    struct run run = {.options = options, .output.file = NULL, .refusals_fd = -1};
    rv_memory_keep_reserve();
    quitting = &run;
    at_quick_exit(quit);
    if (options->import_format && options->import_format->heeds) /* for questions to the source */
        rv_signals_hold_ends();
    if (prepare(&run) != 0 || rv_memory_is_short()) {
        run.status = STATUS_FAILED;
    } else if (start_command(&run) == 0) {
        start_session(&run);
        run_to_end(&run);
    }
    rv_output_close(&run.output);
    rv_exports_close(&run.exports);
    tear_down(&run);
    return rv_memory_is_short() ? STATUS_FAILED : run.status;
}
