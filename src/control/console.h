/*
 * The monitor of the command line: a command a line, an answer for each. Commands are in console.c's table, and in the
 * README. A failed one answers one line, "error: ...".
 */
#ifndef RV_CONTROL_CONSOLE_H
#define RV_CONTROL_CONSOLE_H

#include <stdbool.h>

#include "control/subject.h"

#define RV_CONSOLE_NO_RING UINT32_MAX

struct rv_console {
    struct rv_subject *subject;
    uint32_t ring; /* of the thread that is spoken to; RV_CONSOLE_NO_RING: none was chosen */
    bool has_failed, has_quit;
};

/* Run one line, and write its answer to stdout. */
void rv_console_run(struct rv_console *console, const char *line);

/* From stdin until its end or `quit`; with editing and a history where that is a terminal. Returns an exit status. */
int rv_console_talk(const char *path);

#endif
