/*
 * A sink that sums up the times of source lines (model/line_table.h) of one session, from its LINE events: for
 * --report=lines and the window's table of lines.
 */
#ifndef RV_SINK_LINE_TIMES_H
#define RV_SINK_LINE_TIMES_H

#include "model/line_table.h"
#include "sink/sink.h"

struct rv_line_times_params { /* zeroed = all lines */
    uint64_t from_ns, to_ns;  /* only what overlaps [from, to), and of its times the parts inside; to_ns 0 = all */
    /* Only lines of calls that pass; NULL = all. Copied: names are matched with those of the sink's session. No rules
     * over arguments, whose texts a sink does not get. */
    const struct rv_filter *filter;
};

struct rv_line_times; /* opaque; internally locked */

struct rv_line_times *rv_line_times_create(const struct rv_line_times_params *params);
void rv_line_times_destroy(struct rv_line_times *lines);
struct rv_sink rv_line_times_sink(struct rv_line_times *lines); /* borrows the lines */

/*
 * After the session's end.
 *   returns  *n rows, for free()
 */
struct rv_line_table_row *rv_line_times_take(struct rv_line_times *lines, struct rv_subroutines *subroutines,
                                             size_t *n);

/* Was the line of any statement known, in the range or not? After rv_line_times_take(). */
bool rv_line_times_are_known(const struct rv_line_times *lines);

#endif
