/*
 * Reads a trace once more for the times of its lines in a range (sink/line_times.h): a session of its own without
 * calls, so that whatever range is asked for, each line and each call around it is seen from its begin. One thread at a
 * time.
 */
#ifndef RV_PIPELINE_LINE_TIMES_READER_H
#define RV_PIPELINE_LINE_TIMES_READER_H

#include "pipeline/session.h"
#include "sink/line_times.h"

struct rv_line_times_reader; /* opaque */

/* Start reading. Takes the source, which gives all events. */
struct rv_line_times_reader *rv_line_times_reader_start(struct rv_source *source,
                                                        const struct rv_line_times_params *params);

/* Wait until all is read, at most timeout_ns; returns whether it is. */
bool rv_line_times_reader_wait(struct rv_line_times_reader *reader, uint64_t timeout_ns);

/* When all is read: as rv_line_times_take(). The strings are valid until destroy. */
struct rv_line_table_row *rv_line_times_reader_take(struct rv_line_times_reader *reader, size_t *n);
struct rv_subroutines *rv_line_times_reader_subroutines(struct rv_line_times_reader *reader);

/* Read or not. NULL-safe. */
void rv_line_times_reader_destroy(struct rv_line_times_reader *reader);

#endif
