/*
 * Both files are opened before either is read, so that a wrong name costs nothing. Their calls are counted as they end
 * (export/diff_times) and not kept: there is nothing that a span reader could read.
 */
#include "cli/diff.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/diff_window.h"
#include "cli/open_trace.h"
#include "cli/output.h"
#include "cli/screenshot.h"
#include "cli/warnings.h"
#include "cli/window_module.h"
#include "pipeline/session.h"
#include "ring/map.h"
#include "export/diff_table.h"
#include "export/diff_times.h"

static const uint64_t TURN_NS = 50000000;

struct capture {
    struct rv_map map;
    struct rv_capture_filter *filter;
    struct rv_source *source;
    struct rv_session *session;
    struct rv_stats *stats;
    struct rv_diff_times *own_times;
    struct rv_sink sink; /* that fills them */
};

static int open_capture(struct capture *capture, const struct rv_options *options, const char *path)
{
    int error = rv_capture_filter_create(&capture->filter, options->include, options->exclude);
    if (error)
        return error;
    return rv_open_trace(&capture->map, &capture->source,
                         &(struct rv_open_trace_params){
                             .path = path, .format = options->import_format, .live = {.filter = capture->filter}});
}

static void run(struct capture *capture, const struct rv_options *options)
{
    capture->own_times = rv_diff_times_create();
    capture->sink = rv_diff_times_sink(capture->own_times);
    const struct rv_session_params params = {.n_workers = options->n_threads,
                                             .memory_bytes = options->memory_bytes,
                                             .leaves_calls = true,
                                             .joins_lines = true,
                                             .max_depth = options->max_depth,
                                             .sinks = &capture->sink,
                                             .n_sinks = 1};
    capture->session = rv_session_start(&params, capture->source);
    capture->source = NULL;
    while (!rv_session_wait(capture->session, TURN_NS))
        ;
    capture->stats = rv_session_stats(capture->session);
}

static void close_capture(struct capture *capture)
{
    rv_stats_destroy(capture->stats);
    rv_session_destroy(capture->session);
    rv_diff_times_destroy(capture->own_times);
    if (capture->source)
        capture->source->close(capture->source);
    rv_capture_filter_destroy(capture->filter);
    rv_map_close(&capture->map);
}

/* Text where it is asked for, and the picture. */
static int show_diff(const struct rv_options *options, struct capture *captures, struct rv_output *output)
{
    struct rv_diff_table table = {0};
    struct rv_diff diff;
    struct rv_diff_side sides[RV_DIFF_SIDES];
    uint64_t starts_ns[RV_DIFF_SIDES] = {0}, last_ns;
    for (int i = 0; i < RV_DIFF_SIDES; i++) {
        struct rv_session_counts counts;
        rv_session_counts(captures[i].session, &counts);
        sides[i] = (struct rv_diff_side){.stats = captures[i].stats,
                                         .own = rv_diff_times_stats(captures[i].own_times),
                                         .variance = rv_diff_times_variance(captures[i].own_times),
                                         .subroutines = rv_session_subroutines(captures[i].session)};
        (void)rv_lanes_bounds(rv_session_lanes(captures[i].session), &starts_ns[i], &last_ns);
        table.title[i] = options->files[i];
        table.n_spans[i] = counts.n_spans;
        table.has_states[i] = counts.n_switches > 0;
        rv_session_losses(captures[i].session, &table.losses[i]);
        rv_warnings_not_traced(options->files[i], captures[i].session);
    }
    rv_diff_init(&diff, sides);
    table.diff = &diff;
    table.width = output->file ? rv_table_width(output->file) : 0;
    int error = options->has_diff_window ? 0 : rv_output_begin(output);
    if (!error && !options->has_diff_window)
        error = rv_diff_table_write(&table, options->report_format, output->file);
    if (!error && (options->has_diff_window || options->screenshot))
        error = rv_cli_diff_window(options, &diff, starts_ns);
    rv_diff_fini(&diff);
    return error;
}

int rv_cli_diff(const struct rv_options *options)
{
    struct capture captures[RV_DIFF_SIDES] = {0};
    struct rv_output output = {0};
    bool is_drawn = options->has_diff_window || options->screenshot;
    int error = is_drawn ? rv_window_module_check() : 0;
    if (!error)
        error = rv_cli_screenshot_check(options->screenshot);
    if (!error)
        error = rv_output_open(&output, options->output, options->is_forced);
    for (int i = 0; i < RV_DIFF_SIDES && !error; i++)
        error = open_capture(&captures[i], options, options->files[i]);
    if (!error && is_drawn && !options->screenshot)
        error = rv_window_module_check_display();
    for (int i = 0; i < RV_DIFF_SIDES && !error; i++) {
        run(&captures[i], options);
        error = rv_session_error(captures[i].session);
    }
    if (!error)
        error = show_diff(options, captures, &output);
    int close_error = rv_output_close(&output);
    for (int i = 0; i < RV_DIFF_SIDES; i++)
        close_capture(&captures[i]);
    return error || close_error ? EXIT_FAILURE : EXIT_SUCCESS;
}
