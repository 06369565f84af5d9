/*
 * Order: first everything that can fail before the program runs (outputs, trace file, filter, attaching as consumer),
 * then the command starts, then the session; at the end in reverse.
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
#include "cli/recorder.h"
#include "cli/repatch.h"
#include "cli/signals.h"
#include "cli/reports.h"
#include "cli/warnings.h"
#include "cli/window_module.h"
#include "base/clock.h"
#include "base/err.h"
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

enum { MAX_SINKS = 8, STATUS_FAILED = 1, STATUS_INTERRUPTED = 128 + SIGINT };
static const uint64_t TURN_NS = 50000000;
/* A daemon started last may not have made its first call when the command ends. */
static const uint64_t LATECOMER_NS = 500000000;

struct watch {
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
    unsigned n_interrupts0;              /* number of interrupts when its end was seen */
    int status;                          /* ringviz's exit status */
    struct rv_losses losses;             /* as counted when the session has ended */
    struct rv_critical_path_request lit; /* the critical path that was written; zeroed: none */
    uint64_t alone_since_ns;             /* drain thread: since when only descendants of the command run */
};

/* The terminal sends Ctrl-C to the command as well: while a command runs the second one ends us, afterwards each. */
static bool is_interrupted(struct watch *watch)
{
    if (rv_signals_has_end())
        return true;
    if (!watch->launch)
        return rv_signals_n_interrupts() > 0;
    if (!watch->has_ended && rv_launch_has_ended(watch->launch)) {
        watch->has_ended = true;
        watch->n_interrupts0 = rv_signals_n_interrupts();
    }
    unsigned n = rv_signals_n_interrupts();
    return n > 1 || (watch->has_ended && n > watch->n_interrupts0);
}

/* ---- begin ---- */

static bool is_set_to_one(const char *name)
{
    const char *value = getenv(name);
    return value && strcmp(value, "1") == 0;
}

/* The trace file of a command. */
static int create_map(struct watch *watch)
{
    const struct rv_options *options = watch->options;
    struct rv_map_params params = options->map;
    params.settles_clock_later = options->argv; /* once the command runs */
    params.max_depth = options->max_depth;
    params.is_filtered = watch->filter != NULL;
    params.has_call_sites = options->has_lines || is_set_to_one("RINGVIZ_NATIVE_LINES");
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
        error = rv_map_create(&watch->map, options->trace_file ? options->trace_file : path, &params);
    free((void *)(uintptr_t)params.captures);
    return error;
}

/* Original bytes and return addresses are put back while events are still read: none waits for room any more. */
static void detach(struct watch *watch)
{
    rv_repatch_stop(watch->repatch);
    if (watch->is_attached && rv_cli_detach_all(watch->options, &watch->map) != 0)
        watch->status = STATUS_FAILED;
    watch->is_attached = false;
}

static void end_capture(struct watch *watch)
{
    detach(watch);
    rv_session_stop(watch->session);
}

/* Drain thread. */
static void follow_verdicts(void *context)
{
    struct watch *watch = context;
    rv_repatch_wake(watch->repatch);
}

/* Drain thread. */
static bool has_process_ended(void *context)
{
    const struct watch *watch = context;
    return !rv_process_liveness_is_running(watch->options->pid, watch->attached_start);
}

/* The command has ended, and its daemons had the time to appear. Drain thread. */
static bool is_over(void *context)
{
    struct watch *watch = context;
    if (!rv_launch_has_ended(watch->launch))
        return false;
    if (!rv_launch_has_offspring(watch->launch))
        return true;
    if (watch->alone_since_ns == 0)
        watch->alone_since_ns = rv_clock_mono_ns();
    return rv_clock_mono_ns() - watch->alone_since_ns >= LATECOMER_NS;
}

static void add_sink(struct watch *watch, struct rv_sink sink)
{
    rv_assert(watch->n_sinks < MAX_SINKS);
    watch->sinks[watch->n_sinks++] = sink;
}

/* When it is known whether the source is read on demand. */
static int open_sinks(struct watch *watch)
{
    if (watch->source->is_on_demand)
        return 0;
    if (rv_options_has(watch->options, RV_OPTION_SPANS) || rv_options_has(watch->options, RV_OPTION_WAITS) ||
        rv_options_has(watch->options, RV_OPTION_CRITICAL_PATH) || watch->options->group_by.is_on ||
        watch->options->n_exports) {
        watch->spool = rv_spool_create();
        if (!watch->spool)
            return -EIO;
        add_sink(watch, rv_spool_sink(watch->spool));
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
static bool leaves_calls(const struct watch *watch)
{
    const struct rv_options *options = watch->options;
    return !watch->source->is_on_demand && !is_looked_at(options) &&
           !(options->has_report && rv_cli_slice_is_asked(options));
}

static struct rv_context_switches *open_context_switches(const struct rv_options *options)
{
    int error;
    struct rv_context_switches *switches =
        options->pid ? rv_context_switches_open_process((pid_t)options->pid, &error) : rv_context_switches_open(&error);
    if (error)
        rv_note("%sthreads' states are not known: perf_event_open: %s%s", switches ? "some " : "", strerror(-error),
                error == -EACCES || error == -EPERM ? " (sysctl kernel.perf_event_paranoid=2, or CAP_PERFMON)" : "");
    return switches;
}

static int open_source(struct watch *watch)
{
    const struct rv_options *options = watch->options;
    struct rv_live_drain_params live = {
        .interval_ns = options->drain_interval_ns,
        .filter = watch->filter,
        .is_own = !options->file,
        .max_overhead = rv_options_max_overhead(options),
        .on_verdicts = follow_verdicts,
        .context = watch,
    };
    if (options->file)
        return rv_open_trace(
            &watch->map, &watch->source,
            &(struct rv_open_trace_params){options->file, options->import_format, live, needs_few_blocks(options)});
    watch->attached_start = options->pid ? rv_os_process_start((pid_t)options->pid) : 0;
    live.is_over = options->pid ? has_process_ended : is_over;
    int error = create_map(watch);
    if (error)
        return error;
    live.switches = options->leaves_states ? NULL : open_context_switches(options);
    watch->source = rv_live_drain_open(&watch->map, &live);
    return watch->source ? 0 : -EBUSY;
}

static int open_recorder(struct watch *watch)
{
    uint32_t pid = watch->options->file ? watch->map.geometry.creator_pid : 0;
    int error = rv_recorder_open(&watch->recorder, watch->options, pid, watch->source);
    struct rv_trigger *trigger = watch->options->record_limit.trigger;
    if (watch->recorder.record && trigger)
        add_sink(watch, rv_trigger_sink(trigger));
    if (watch->recorder.record)
        add_sink(watch, rv_recording_writer_sink(watch->recorder.record));
    return error;
}

/* A program that runs, or the trace file of one. */
static bool is_live(const struct watch *watch)
{
    return watch->map.base || (watch->options->import_format && watch->options->import_format->heeds);
}

/* Without it older calls are shown by their density. */
static void open_history(struct watch *watch)
{
    const struct rv_options *options = watch->options;
    if (!is_looked_at(options) || options->leaves_history || !is_live(watch))
        return;
    const uint64_t n_bytes = options->history_bytes ? options->history_bytes : rv_history_default_bytes();
    if (n_bytes < RV_HISTORY_LEAST_BYTES)
        rv_warn("no history of older calls: the folder for temporary files is full or in memory (--history, TMPDIR)");
    else
        watch->history = rv_history_create(n_bytes);
    if (watch->history)
        add_sink(watch, rv_history_sink(watch->history));
}

/* When it is known whether the source is live. */
static int open_lines(struct watch *watch)
{
    struct rv_sink sink = {.context = NULL};
    const int error =
        watch->options->has_lines ? rv_report_lines_open(&watch->lines, watch->options, is_live(watch), &sink) : 0;
    if (sink.context)
        add_sink(watch, sink);
    return error;
}

static int prepare(struct watch *watch)
{
    const struct rv_options *options = watch->options;
    int error = is_looked_at(options) ? rv_window_module_check(!options->is_headless) : 0;
    if (!error)
        error = rv_output_open(&watch->output, options->output, options->is_forced);
    if (!error)
        error = rv_cli_screenshot_check(options->screenshot);
    if (!error)
        error = rv_film_open(&watch->film, options);
    if (!error)
        error = rv_exports_open(&watch->exports, options);
    if (!error)
        error = rv_capture_filter_create(&watch->filter, options->include, options->exclude);
    if (!error)
        error = open_source(watch);
    if (!error)
        error = open_sinks(watch);
    if (!error && watch->map.base)
        rv_sigbus_catch(
            &(struct rv_sigbus_region){watch->map.base, watch->map.n_bytes, watch->map.fd, watch->map.path});
    if (!error)
        error = open_recorder(watch);
    if (!error)
        error = open_lines(watch);
    if (!error)
        open_history(watch);
    return error;
}

static int attach(struct watch *watch)
{
    if (!watch->options->trace_file)
        rv_map_give(&watch->map, (pid_t)watch->options->pid);
    int error = rv_cli_attach(watch->options, watch->map.path);
    watch->is_attached = !error;
    watch->status = error ? STATUS_FAILED : watch->status;
    if (!error)
        rv_recorder_name(&watch->recorder, (pid_t)watch->options->pid);
    return error;
}

/* Before this signals end the process; from here on there is output to write. */
static int start_command(struct watch *watch)
{
    char plans[PATH_MAX];
    rv_signals_catch_interrupts(0);
    if (!watch->options->argv) {
        rv_signals_catch_ends(watch->source);
        return watch->options->pid ? attach(watch) : 0;
    }
    watch->refusals_fd = rv_refused_processes_open(watch->map.path);
    watch->launch = rv_launch_start(&(struct rv_launch_params){.trace_path = watch->map.path,
                                                               .argv = watch->options->argv,
                                                               .patches = watch->options->patches,
                                                               .plans = rv_cache_folder_open(RV_CACHE_PLANS, plans),
                                                               .is_alone = watch->options->is_alone,
                                                               .wants_lines = watch->options->has_lines,
                                                               .end_us = rv_signals_end},
                                    &watch->status);
    if (!watch->launch)
        return -ENOENT;
    rv_map_settle_clock(&watch->map);
    rv_recorder_name(&watch->recorder, rv_launch_pid(watch->launch));
    return 0;
}

static void start_session(struct watch *watch)
{
    const struct rv_options *options = watch->options;
    if (watch->map.base)
        watch->repatch = rv_repatch_start(&watch->map);
    watch->session = rv_session_start(
        &(struct rv_session_params){
            .n_workers = options->n_threads,
            .memory_bytes = options->memory_bytes,
            .leaves_calls = leaves_calls(watch),
            .keeps_stretches = rv_options_has(options, RV_OPTION_SPANS) || options->n_exports ||
                               rv_options_has(options, RV_OPTION_CRITICAL_PATH),
            .keeps_waits = is_looked_at(options) || rv_options_has(options, RV_OPTION_WAITS) ||
                           rv_options_has(options, RV_OPTION_HOLDERS) ||
                           rv_options_has(options, RV_OPTION_CRITICAL_PATH),
            .keeps_flows = is_looked_at(options) || rv_options_has(options, RV_OPTION_FLOWS) || options->n_exports ||
                           options->group_by.is_task,
            .times_stages = options->is_verbose,
            .max_depth = options->max_depth,
            .sinks = watch->sinks,
            .n_sinks = watch->n_sinks,
            .reopen = options->file && !is_live(watch) ? rv_report_lines_reopen : NULL,
            .reopen_context = (void *)(uintptr_t)options,
            .history = watch->history,
        },
        watch->source);
    watch->source = NULL; /* the session's now */
}

/* ---- run ---- */

/* Is capture over: by --duration, or because nothing more can be read? */
static bool is_capture_over(const struct watch *watch)
{
    return rv_clock_mono_ns() >= watch->end_ns || rv_sigbus_has_come() || rv_memory_is_short();
}

static void run_headless(struct watch *watch)
{
    while (!rv_session_wait(watch->session, TURN_NS))
        if (is_interrupted(watch) || is_capture_over(watch))
            end_capture(watch);
}

/* Called by the window between frames: the capture may end before the window is closed. Who asked us to end while the
 * command lived meant the window, too. */
static bool should_close(void *context)
{
    struct watch *watch = context;
    if (is_capture_over(watch) && !rv_session_is_done(watch->session))
        end_capture(watch);
    return is_interrupted(watch) || (watch->has_ended && rv_launch_was_asked_to_end());
}

/* The window starts or stops a recording. */
static bool switch_recorder(void *context, bool is_on)
{
    struct watch *watch = context;
    bool can_begin = !rv_session_is_done(watch->session);
    return rv_recorder_switch(&watch->recorder, is_on && (can_begin || watch->recorder.is_on));
}

static const char *recorded_later(void *context)
{
    return rv_recorder_later_path(&((const struct watch *)context)->recorder);
}

/* The capture is over; the program may go on. Wait for its end, as a shell does. */
static void wait_for_command(struct watch *watch)
{
    while (watch->launch && !rv_launch_has_ended(watch->launch) && !is_interrupted(watch)) {
        struct timespec turn = {.tv_nsec = (long)TURN_NS / 5};
        nanosleep(&turn, NULL);
    }
    if (!watch->launch || watch->status)
        return;
    watch->status = rv_launch_has_ended(watch->launch) ? rv_launch_status(watch->launch) : STATUS_INTERRUPTED;
}

/* ---- end ---- */

static const char *title_of(const struct watch *watch)
{
    const struct rv_options *options = watch->options;
    return options->file ? options->file : options->argv ? options->argv[0] : "a running program";
}

/* Wait until the picture has all its spans, for a limited time. */
static bool fetch_view(void *context, const struct rv_view *view)
{
    struct watch *watch = context;
    if (rv_session_want(watch->session, view->from_ns, view->to_ns, view->level) == 0 || is_interrupted(watch))
        return false;
    rv_os_sleep_ns(TURN_NS / 10);
    return true;
}

static struct rv_screenshot_params picture_of(struct watch *watch, const struct rv_session_counts *counts)
{
    struct rv_screenshot_params picture = rv_cli_screenshot_params(watch->session, watch->options);
    picture.program = title_of(watch);
    picture.pid = watch->launch ? (uint32_t)rv_launch_pid(watch->launch) : 0;
    picture.n_dropped = counts->n_dropped;
    picture.lit = watch->lit.to_ns ? &watch->lit : NULL;
    picture.fetch = fetch_view;
    picture.context = watch;
    return picture;
}

static bool should_stop_filming(void *context)
{
    const struct watch *watch = context;
    return rv_signals_n_interrupts() > watch->n_interrupts0;
}

static int write_pictures(struct watch *watch, const struct rv_session_counts *counts)
{
    struct rv_screenshot_params picture = picture_of(watch, counts);
    int error = picture.path ? rv_cli_screenshot_take(&picture) : 0;
    if (error || !(watch->options->frames || watch->options->video))
        return error;
    watch->n_interrupts0 = rv_signals_n_interrupts();
    const struct rv_window_module *window = rv_window_module_load();
    return !window ? -ENOTSUP
                   : window->take_film(&watch->film, &(struct rv_film_params){.picture = &picture,
                                                                              .fps = watch->options->fps,
                                                                              .speed = watch->options->speed,
                                                                              .should_stop = should_stop_filming,
                                                                              .context = watch});
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

static int write_texts(struct watch *watch, const struct rv_session_counts *counts,
                       const struct rv_range_statistics *range)
{
    int error = rv_output_begin(&watch->output);
    struct rv_reports reports = {.options = watch->options,
                                 .session = watch->session,
                                 .spool = watch->spool,
                                 .lines = &watch->lines,
                                 .range = range,
                                 .counts = counts,
                                 .losses = &watch->losses,
                                 .output = &watch->output};
    if (!error)
        error = rv_reports_write(&reports);
    watch->lit = reports.lit;
    return error;
}

static void write_outputs(struct watch *watch)
{
    const struct rv_options *options = watch->options;
    struct rv_session_counts counts;
    rv_session_counts(watch->session, &counts);
    print_costs(&counts);
    struct rv_range_statistics *range = rv_reports_measure(options, watch->session);
    rv_session_losses(watch->session, &watch->losses);
    watch->losses.n[RV_LOSS_PROCESSES_REFUSED] = rv_refused_processes_count(watch->refusals_fd);
    const struct rv_warnings warnings = {.options = options,
                                         .session = watch->session,
                                         .map = &watch->map,
                                         .launch = watch->launch,
                                         .losses = &watch->losses,
                                         .counts = &counts};
    rv_warnings_print(&warnings);
    if (rv_session_error(watch->session) || rv_sigbus_has_come())
        watch->status = STATUS_FAILED;
    if (watch->spool && rv_spool_seal(watch->spool) != 0)
        watch->status = STATUS_FAILED; /* what was read before is written all the same */
    int error = rv_options_n_texts(options) ? write_texts(watch, &counts, range) : 0;
    if (rv_output_close(&watch->output) != 0 || error)
        watch->status = STATUS_FAILED;
    const struct rv_exports_content content = {watch->session, watch->spool, &watch->losses, title_of(watch)};
    if (options->n_exports && rv_exports_write(&watch->exports, &content) != 0)
        watch->status = STATUS_FAILED;
    if (write_pictures(watch, &counts) != 0)
        watch->status = STATUS_FAILED;
    if (rv_warnings_fail_on_loss(&warnings))
        watch->status = STATUS_FAILED;
    rv_range_statistics_destroy(range);
}

static void remove_private_files(const struct watch *watch)
{
    rv_refused_processes_unlink(watch->refusals_fd, watch->map.path);
    if (*watch->map.path && !watch->options->file && !watch->options->trace_file)
        unlink(watch->map.path);
}

static const struct watch *quitting;

/* Memory or a thread was refused. Other threads still run: nothing is closed or freed. */
static void quit(void)
{
    remove_private_files(quitting);
    rv_output_abandon(&quitting->output);
    rv_exports_abandon(&quitting->exports);
}

static void tear_down(struct watch *watch)
{
    detach(watch);
    rv_session_destroy(watch->session);
    rv_repatch_destroy(watch->repatch);
    rv_history_destroy(watch->history);
    if (rv_recorder_close(&watch->recorder) != 0)
        watch->status = STATUS_FAILED;
    if (watch->source)
        watch->source->close(watch->source);
    rv_launch_destroy(watch->launch);
    remove_private_files(watch);
    if (watch->refusals_fd >= 0)
        close(watch->refusals_fd);
    rv_sigbus_release();
    rv_map_close(&watch->map);
    rv_report_lines_close(&watch->lines);
    rv_spool_destroy(watch->spool);
    rv_capture_filter_destroy(watch->filter);
    rv_film_close(&watch->film);
}

/* One that begins with the capture, as the times of its bookmarks do. */
static const char *whole_recording(const struct watch *watch)
{
    const bool is_whole = watch->recorder.is_on && !rv_record_limit_is_set(&watch->options->record_limit);
    return is_whole ? watch->recorder.path : NULL;
}

static int run_window(struct watch *watch)
{
    const struct rv_window_module *window = rv_window_module_load();
    const struct rv_window_params params = {
        .title = title_of(watch),
        .pid = watch->launch ? rv_launch_pid(watch->launch) : (pid_t)watch->options->pid,
        .should_close = should_close,
        .map = watch->map.base ? &watch->map : NULL,
        .is_recording = watch->recorder.is_on,
        .record = switch_recorder,
        .recorded = recorded_later,
        .is_program = is_live(watch) || watch->launch,
        .recording = whole_recording(watch),
        .context = watch,
    };
    return window ? window->show(watch->session, watch->options, &params) : -ENOTSUP;
}

static void run(struct watch *watch)
{
    const struct rv_options *options = watch->options;
    watch->end_ns = options->duration_ns ? rv_clock_mono_ns() + options->duration_ns : UINT64_MAX;
    if (!options->is_headless) {
        if (run_window(watch) != 0)
            watch->status = STATUS_FAILED;
        end_capture(watch);
    }
    run_headless(watch);
    wait_for_command(watch);
    /* Nobody comes to the file any more, and writing may be ended by a signal; the first interrupt may be a hasty one.
     */
    remove_private_files(watch);
    rv_signals_release_ends();
    rv_signals_catch_interrupts(SA_RESETHAND);
    write_outputs(watch);
}

int rv_run_session(const struct rv_options *options)
{
    struct watch watch = {.options = options, .output.file = NULL, .refusals_fd = -1};
    rv_memory_keep_reserve();
    quitting = &watch;
    at_quick_exit(quit);
    if (options->import_format && options->import_format->heeds) /* for questions to the source */
        rv_signals_hold_ends();
    if (prepare(&watch) != 0 || rv_memory_is_short()) {
        watch.status = STATUS_FAILED;
    } else if (start_command(&watch) == 0) {
        start_session(&watch);
        run(&watch);
    }
    rv_output_close(&watch.output);
    rv_exports_close(&watch.exports);
    tear_down(&watch);
    return rv_memory_is_short() ? STATUS_FAILED : watch.status;
}
