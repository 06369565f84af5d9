/*
 * The monitor of the command line: a command a line, an answer for each. Commands are in console.c's table, and in the
 * man page. A failed one answers one line, "error: ...".
 */
#ifndef RV_DEBUGGER_CONSOLE_H
#define RV_DEBUGGER_CONSOLE_H

#include <stdbool.h>

#include "debugger/target.h"

#define RV_CONSOLE_NO_RING UINT32_MAX

struct rv_console_frame { /* of a thread's stack, until it moves */
    uint32_t ring, generation, n_stops;
    uint32_t number; /* from the innermost, 0, on */
};

struct rv_console_listed { /* lines of a source */
    char file[256];        /* this and the line: where the frame was */
    uint32_t line;
    char shown[256]; /* the file that was listed, up to the line before the next one */
    uint32_t next;   /* 0: none yet */
};

struct rv_console_stop {
    uint32_t generation, n_stops;
};

struct rv_console {
    struct rv_target *target;
    uint32_t ring; /* of the thread that is spoken to; RV_CONSOLE_NO_RING: none was chosen */
    struct rv_console_frame frame;
    struct rv_console_listed listed;
    bool has_levels;
    uint32_t levels;               /* that values are shown with, when it has_levels */
    struct rv_console_stop *shown; /* of each ring, the stop that was shown last; for free() */
    size_t n_shown;
    bool has_failed, has_quit;
};

/* Run one line, and write its answer to stdout. */
void rv_console_run(struct rv_console *console, const char *line);

/* From stdin until its end or `quit`; with editing and a history where that is a terminal. Returns an exit status. */
int rv_console_talk(const char *path);

#endif
