/* Lines of stdin; on a terminal with editing and history, if libedit is available. */
#ifndef RV_DEBUGGER_LINE_READER_H
#define RV_DEBUGGER_LINE_READER_H

#include <stdbool.h>

struct rv_line_reader;

struct rv_line_reader *rv_line_reader_create(bool is_terminal); /* never NULL */

/* Without its newline, for free(); NULL at the end. */
char *rv_line_reader_read(struct rv_line_reader *line_reader);

void rv_line_reader_destroy(struct rv_line_reader *line_reader);

#endif
