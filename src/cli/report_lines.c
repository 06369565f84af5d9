#include "cli/report_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/os.h"
#include "cli/open_trace.h"
#include "cli/slice.h"
#include "export/lines_table.h"
#include "pipeline/line_times_reader.h"
#include "source/replay.h"

enum { BLOCK_EVENTS = 1 << 14 }; /* each thread has one in memory */
static const uint64_t TURN_NS = 50000000;

/* ---- a program's recording ---- */

static void ignore_place(void *context, uint64_t offset)
{
    (void)context;
    (void)offset;
}

static void fail(void *context, int error)
{
    ((struct rv_report_lines *)context)->has_failed = true;
    (void)rv_err(-error, "no room for the events of --report=lines (TMPDIR): %s", strerror(-error));
}

static int open_record(struct rv_report_lines *lines)
{
    const int fd = rv_os_open_spool("the events of --report=lines");
    if (fd < 0)
        return fd;
    lines->record_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    lines->record = rv_recording_writer_create(0);
    return rv_recording_writer_start(
        lines->record, &(struct rv_recording_writer_params){.fd = fd,
                                                            .block_events = BLOCK_EVENTS,
                                                            .follower = {ignore_place, ignore_place, fail, lines}});
}

/* NULL: there is none that is whole. */
static struct rv_source *reopen_record(struct rv_report_lines *lines)
{
    char path[64];
    struct rv_recording_writer_totals totals;
    if (rv_recording_writer_stop(lines->record, &totals) != 0 || lines->has_failed)
        return NULL;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", lines->record_fd);
    return rv_replay_open(path);
}

struct rv_source *rv_report_lines_reopen(void *context)
{
    struct rv_map map = {0};
    struct rv_source *source = NULL;
    const struct rv_options *options = context;
    const int error = rv_open_trace(
        &map, &source, &(struct rv_open_trace_params){.path = options->file, .format = options->import_format});
    return error ? NULL : source;
}

/* ---- the report ---- */

int rv_report_lines_open(struct rv_report_lines *lines, const struct rv_options *options, bool is_live,
                         struct rv_sink *sink)
{
    *lines = (struct rv_report_lines){.options = options, .record_fd = -1};
    if (!rv_cli_slice_is_asked(options)) {
        lines->lines = rv_line_times_create(&(struct rv_line_times_params){0});
        *sink = rv_line_times_sink(lines->lines);
        return 0;
    }
    if (!is_live)
        return 0;
    const int error = open_record(lines);
    if (!error)
        *sink = rv_recording_writer_sink(lines->record);
    return error;
}

static void warn_if_unknown(size_t n, bool are_known)
{
    if (!n && !are_known)
        rv_warn(
            "no line is known: Perl and Ruby report the lines of statements, native programs with debug information "
            "those of calls, if they are asked when they start (--report=lines -- COMMAND, or RINGVIZ_PERL_LINES=1, "
            "RINGVIZ_RUBY_LINES=1, RINGVIZ_NATIVE_LINES=1 in the environment)");
}

static int write_all(struct rv_report_lines *lines, struct rv_session *session, const struct rv_losses *losses,
                     FILE *out)
{
    size_t n;
    struct rv_subroutines *subroutines = rv_session_subroutines(session);
    struct rv_line_table_row *rows = rv_line_times_take(lines->lines, subroutines, &n);
    warn_if_unknown(n, rv_line_times_are_known(lines->lines));
    const int error =
        rv_lines_write(&(struct rv_lines_report){rows, n, subroutines, losses}, lines->options->report_format, out);
    free(rows);
    return error;
}

/* Without --from, lines before the first call are in the part, too. */
static int write_part(struct rv_report_lines *lines, const struct rv_slice *part, const struct rv_losses *losses,
                      FILE *out)
{
    size_t n;
    struct rv_source *source =
        lines->record ? reopen_record(lines) : rv_report_lines_reopen((void *)(uintptr_t)lines->options);
    if (!source)
        return -EIO;
    struct rv_line_times_reader *reader = rv_line_times_reader_start(
        source, &(struct rv_line_times_params){.from_ns = lines->options->from_ns ? part->from_ns : 0,
                                               .to_ns = part->to_ns,
                                               .filter = part->filter});
    while (!rv_line_times_reader_wait(reader, TURN_NS))
        continue;
    struct rv_line_table_row *rows = rv_line_times_reader_take(reader, &n);
    const int error =
        rv_lines_write(&(struct rv_lines_report){rows, n, rv_line_times_reader_subroutines(reader), losses},
                       lines->options->report_format, out);
    free(rows);
    rv_line_times_reader_destroy(reader);
    return error;
}

int rv_report_lines_write(struct rv_report_lines *lines, struct rv_session *session, const struct rv_losses *losses,
                          FILE *out)
{
    struct rv_cli_slice slice;
    if (lines->lines)
        return write_all(lines, session, losses, out);
    rv_cli_slice_init(&slice, lines->options, rv_session_lanes(session), rv_session_subroutines(session));
    const struct rv_slice part = rv_cli_slice_part(&slice);
    const int error = write_part(lines, &part, losses, out);
    rv_cli_slice_fini(&slice);
    return error;
}

void rv_report_lines_close(struct rv_report_lines *lines)
{
    struct rv_recording_writer_totals totals;
    if (!lines->options)
        return;
    if (lines->record && rv_recording_writer_stop(lines->record, &totals) != -ETIMEDOUT)
        rv_recording_writer_destroy(lines->record);
    if (lines->record_fd >= 0)
        close(lines->record_fd);
    rv_line_times_destroy(lines->lines);
}
