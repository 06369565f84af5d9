#include "cli/reports.h"

#include <errno.h>

#include "cli/critical_path_sums_file.h"
#include "cli/progress.h"
#include "cli/session_calls.h"
#include "cli/slice.h"
#include "base/err.h"
#include "export/critical_path_table.h"
#include "export/flows_table.h"
#include "export/holders_table.h"
#include "export/spool.h"
#include "export/waits_table.h"

struct rv_range_statistics *rv_reports_measure(const struct rv_options *options, struct rv_session *session)
{
    if (!options->has_report || !rv_cli_slice_is_asked(options))
        return NULL;
    struct rv_cli_slice slice;
    rv_cli_slice_init(&slice, options, rv_session_lanes(session), rv_session_subroutines(session));
    struct rv_range_statistics *range = rv_cli_slice_measure(&slice, session);
    rv_cli_slice_fini(&slice);
    return range;
}

static struct rv_group_by *group_calls(const struct rv_reports *reports)
{
    struct rv_group_by_params params = {.spool = reports->spool,
                                        .lanes = rv_session_lanes(reports->session),
                                        .subroutines = rv_session_subroutines(reports->session),
                                        .key = reports->options->group_by};
    if (params.key.is_task)
        params.flows = rv_flow_table_create(rv_session_flows(reports->session), params.lanes);
    struct rv_group_by *group_by = rv_group_by_create(&params);
    rv_flow_table_release(params.flows);
    return group_by;
}

static struct rv_full_rings full_rings_of(const struct rv_reports *reports)
{
    struct rv_lanes *lanes = rv_session_lanes(reports->session);
    if (!rv_options_has_part(reports->options))
        return rv_full_rings_sum(lanes);
    uint64_t from_ns, to_ns;
    rv_cli_slice_times(reports->options, lanes, &from_ns, &to_ns);
    return rv_full_rings_between(lanes, rv_session_waits(reports->session), from_ns, to_ns);
}

static int write_report(struct rv_reports *reports)
{
    struct rv_group_by *group_by = reports->options->group_by.is_on ? group_calls(reports) : NULL;
    if (reports->options->group_by.is_on && !group_by)
        return -EIO;
    if (group_by && !reports->options->group_by.is_task && !rv_group_by_has_texts(group_by))
        rv_warn("--group-by: no call has this argument or result; -F FILE (--prototypes), and -x where there is DWARF, "
                "capture them");
    struct rv_stats *stats = reports->range ? NULL : rv_session_stats(reports->session);
    struct rv_report report = {
        .lanes = rv_session_lanes(reports->session),
        .subroutines = rv_session_subroutines(reports->session),
        .stats = reports->range ? rv_range_statistics_stats(reports->range) : stats,
        .group_by = group_by,
        .lacks_objects = reports->range && rv_range_statistics_lacks_objects(reports->range),
        .n_produced = reports->counts->n_produced,
        .n_consumed = reports->counts->n_consumed,
        .n_dropped = reports->counts->n_dropped,
        .n_spans = reports->counts->n_spans,
        .n_switches = reports->counts->n_switches,
        .losses = reports->losses,
        .width = rv_table_width(reports->output->file),
    };
    rv_session_silent(reports->session, &report.silent);
    report.full_rings = full_rings_of(reports);
    int error = rv_report_write(&report, reports->options->report_format, reports->output->file);
    rv_silent_threads_fini(&report.silent);
    rv_stats_destroy(stats);
    rv_group_by_destroy(group_by);
    return error;
}

static int write_waits(struct rv_reports *reports)
{
    struct rv_waits_report report = {.waits = rv_session_waits(reports->session),
                                     .lanes = rv_session_lanes(reports->session),
                                     .subroutines = rv_session_subroutines(reports->session),
                                     .losses = reports->losses,
                                     .spool = reports->spool,
                                     .of_arcs = reports->options->has_arcs};
    rv_session_silent(reports->session, &report.silent);
    const int error = rv_waits_write(&report, reports->options->report_format, reports->output->file);
    rv_silent_threads_fini(&report.silent);
    return error;
}

static int write_holders(struct rv_reports *reports)
{
    const struct rv_holders_report report = {.waits = rv_session_waits(reports->session),
                                             .lanes = rv_session_lanes(reports->session),
                                             .subroutines = rv_session_subroutines(reports->session),
                                             .losses = reports->losses};
    return rv_holders_write(&report, reports->options->report_format, reports->output->file);
}

static int write_flows(struct rv_reports *reports)
{
    const struct rv_flows_report report = {.flows = rv_session_flows(reports->session),
                                           .lanes = rv_session_lanes(reports->session),
                                           .subroutines = rv_session_subroutines(reports->session),
                                           .losses = reports->losses};
    return rv_flows_write(&report, reports->options->report_format, reports->output->file);
}

static int write_critical_path(struct rv_reports *reports)
{
    struct rv_cli_slice slice;
    struct rv_critical_path_report report = {
        .lanes = rv_session_lanes(reports->session),
        .subroutines = rv_session_subroutines(reports->session),
        .waits = rv_session_waits(reports->session),
        .calls = reports->spool ? rv_spool_calls(reports->spool) : rv_cli_session_calls(reports->session),
        .most_fold_bytes = rv_session_most_fold_bytes(reports->session),
        .losses = reports->losses,
    };
    rv_cli_slice_init(&slice, reports->options, report.lanes, report.subroutines);
    report.part = rv_cli_slice_part(&slice);
    struct rv_critical_path_sums_file kept = {.sums = NULL};
    if (!reports->spool)
        rv_critical_path_sums_file_open(&kept, reports->options->file, report.subroutines);
    report.sums = kept.sums;
    struct rv_progress progress;
    rv_progress_begin(&progress, "critical path");
    report.tell = rv_progress_tell;
    report.teller = &progress;
    struct rv_critical_path_end end;
    int error = rv_critical_path_table_write(&report, reports->options->report_format, reports->output->file, &end);
    rv_progress_end(&progress);
    rv_critical_path_sums_file_close(&kept);
    if (!error)
        reports->lit = (struct rv_critical_path_request){end.lane_idx, end.call, end.from_ns, end.to_ns};
    rv_cli_slice_fini(&slice);
    return error;
}

static int write_spans(struct rv_reports *reports)
{
    struct rv_cli_slice slice;
    struct rv_spans_params params = {
        .spool = reports->spool,
        .lanes = rv_session_lanes(reports->session),
        .subroutines = rv_session_subroutines(reports->session),
        .format = reports->options->spans_format,
        .losses = reports->losses,
    };
    rv_cli_slice_init(&slice, reports->options, params.lanes, params.subroutines);
    params.part = rv_cli_slice_part(&slice);
    int error = rv_spans_write(&params, reports->output->file);
    rv_cli_slice_fini(&slice);
    return error;
}

int rv_reports_write(struct rv_reports *reports)
{
    const struct rv_options *options = reports->options;
    int error = 0;
    if (options->has_report)
        error = write_report(reports);
    if (!error && options->has_lines)
        error = rv_report_lines_write(reports->lines, reports->session, reports->losses, reports->output->file);
    if (!error && rv_options_has(options, RV_OPTION_SPANS))
        error = write_spans(reports);
    if (!error && rv_options_has(options, RV_OPTION_WAITS))
        error = write_waits(reports);
    if (!error && rv_options_has(options, RV_OPTION_HOLDERS))
        error = write_holders(reports);
    if (!error && rv_options_has(options, RV_OPTION_FLOWS))
        error = write_flows(reports);
    return !error && rv_options_has(options, RV_OPTION_CRITICAL_PATH) ? write_critical_path(reports) : error;
}
