/* Lines of stdin; on a terminal with editing and history, if libedit is available. */
#ifndef RV_DEBUGGER_CONSOLE_INPUT_H
#define RV_DEBUGGER_CONSOLE_INPUT_H

#include <stdbool.h>

struct rv_console_input;

struct rv_console_input *rv_console_input_create(bool is_terminal); /* never NULL */

/* Without its newline, for free(); NULL at the end. */
char *rv_console_input_read(struct rv_console_input *line_reader);

void rv_console_input_destroy(struct rv_console_input *line_reader);

#endif
