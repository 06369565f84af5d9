/* Lines of stdin; from a terminal with editing and a history, where libedit is there. */
#ifndef RV_DEBUGGER_LINE_READER_H
#define RV_DEBUGGER_LINE_READER_H

#include <stdbool.h>

struct rv_prompt;

struct rv_prompt *rv_prompt_create(bool is_terminal); /* never NULL */

/* Without its newline, for free(); NULL at the end. */
char *rv_prompt_read(struct rv_prompt *prompt);

void rv_prompt_destroy(struct rv_prompt *prompt);

#endif
