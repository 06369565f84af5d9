/*
 * --report=lines. Of the whole capture the lines are summed up as it is read; a part of it is known only at its end, so
 * that a FILE is read once more, and what a program does is kept in a private recording until then.
 */
#ifndef RV_CLI_REPORT_LINES_H
#define RV_CLI_REPORT_LINES_H

#include "cli/options.h"
#include "pipeline/session.h"
#include "sink/line_times.h"
#include "sink/recording_writer.h"

struct rv_report_lines { /* zeroed = not asked for */
    const struct rv_options *options;
    struct rv_line_times *lines;        /* of the whole capture; NULL: a part is asked for */
    struct rv_recording_writer *record; /* of a program */
    int record_fd;
    bool has_failed; /* the recording */
};

/*
 * Before the session. is_live: events come from a program, once.
 *   sink     to be added to the session's, where it has a context
 *   returns  0, or a negative errno with one line printed
 */
int rv_report_lines_open(struct rv_report_lines *lines, const struct rv_options *options, bool is_live,
                         struct rv_sink *sink);

/* When the session is done. 0, or a negative errno with one line printed unless it is the stream's. */
int rv_report_lines_write(struct rv_report_lines *lines, struct rv_session *session, const struct rv_losses *losses,
                          FILE *out);

/* Another source of the options' FILE, to be read to its end; NULL with one line printed. context: struct
 * rv_options. */
struct rv_source *rv_report_lines_reopen(void *context);

void rv_report_lines_close(struct rv_report_lines *lines); /* after the session */

#endif
