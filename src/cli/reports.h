/* What --report, --spans, --waits, --holders, --flows and --critical-path print, of a session that has ended. */
#ifndef RV_CLI_REPORTS_H
#define RV_CLI_REPORTS_H

#include "cli/report_lines.h"
#include "cli/options.h"
#include "cli/output.h"
#include "export/spool.h"
#include "query/critical_path_job.h"
#include "pipeline/session.h"

struct rv_reports {
    const struct rv_options *options;
    struct rv_session *session;
    struct rv_spool *spool; /* sealed */
    struct rv_report_lines *lines;
    const struct rv_range_statistics *range; /* of the report of a slice; NULL: it is of all calls */
    const struct rv_session_counts *counts;
    const struct rv_losses *losses;
    const struct rv_output *output;      /* begun */
    struct rv_critical_path_request lit; /* out: the critical path that was written; zeroed: none */
};

/*
 * For the report of a slice; NULL: it is of all calls. Before losses are counted: blocks that are read for it may turn
 * out to be damaged. The caller destroys it.
 */
struct rv_range_statistics *rv_reports_measure(const struct rv_options *options, struct rv_session *session);

/* 0, or a negative errno; with one line printed unless it is the stream's error. */
int rv_reports_write(struct rv_reports *reports);

#endif
