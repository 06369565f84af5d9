/*
 * Times of source lines in the range of the statistics: those of the chosen subroutine with the text of their file,
 * else all by own time. The trace is read once more for them, while their page is shown. Part of viewer/statistics.h.
 */
#ifndef RV_VIEWER_LINE_TIMES_H
#define RV_VIEWER_LINE_TIMES_H

#include "debugger/source_text.h"
#include "pipeline/line_times_reader.h"

struct rv_viewer;

struct rv_viewer_line_times {                   /* zeroed = none */
    struct rv_line_times_reader *reader, *next; /* of what is shown; the one that reads */
    uint64_t version, next_version;             /* of the statistics that they are of */
    struct rv_line_table_row *all; /* of the range, by falling own time; subroutines are those of the statistics */
    size_t n_all;
    bool is_of_one;                 /* of the chosen subroutine, */
    uint32_t id;                    /* which is this one */
    struct rv_line_table_row *rows; /* then its lines, executed or not, from its first to its last */
    size_t n_rows;
    struct rv_source_text source; /* of the file read last */
    const char *source_path;      /* NULL = none */
};

void rv_viewer_line_times_fini(struct rv_viewer_line_times *lines);

/* Read them for the statistics as they are shown now. Returns whether something has changed. */
bool rv_viewer_line_times_advance(struct rv_viewer *viewer);
void rv_viewer_line_times_wait(struct rv_viewer *viewer); /* until they are read */

/* They are not wanted any more. */
void rv_viewer_line_times_stop(struct rv_viewer_line_times *lines);

/* Are those shown that the statistics ask for? */
bool rv_viewer_line_times_are_read(const struct rv_viewer *viewer);

/* What is shown; NULL = none yet. */
const struct rv_line_table_row *rv_viewer_line_times_rows(const struct rv_viewer_line_times *lines, size_t *n);

/* The text of a row's line, into out; "" = unknown. Reads its file. */
const char *rv_viewer_line_times_text(struct rv_viewer_line_times *lines, const struct rv_line_table_row *row,
                                      char out[RV_SOURCE_TEXT_LINE_BYTES]);

#endif
