/*
 * The command line debugger console: one command per line, with an answer for each. The commands are in console.c's
 * table and in the man page. A failed command prints one line, "error: ...".
 */
#ifndef RV_DEBUGGER_CONSOLE_H
#define RV_DEBUGGER_CONSOLE_H

#include <stdbool.h>

#include "debugger/target.h"

#define RV_CONSOLE_NO_RING UINT32_MAX

struct rv_console_frame { /* selected frame of a thread's stack, until the thread moves */
    uint32_t ring, generation, n_stops;
    uint32_t number; /* 0 is the innermost */
};

struct rv_console_listed { /* state of `list` */
    char file[256];        /* file and line of the frame at the last `list` */
    uint32_t line;
    char shown[256]; /* the listed file; lines before `next` were shown */
    uint32_t next;   /* 0: none yet */
};

struct rv_console_stop {
    uint32_t generation, n_stops;
};

struct rv_console {
    struct rv_target *target;
    uint32_t ring; /* the chosen ring; RV_CONSOLE_NO_RING: none */
    struct rv_console_frame frame;
    struct rv_console_listed listed;
    bool has_levels;
    uint32_t levels;               /* levels of references to show, if has_levels */
    struct rv_console_stop *shown; /* the last stop shown, by ring; for free() */
    size_t n_shown;
    bool has_failed, has_quit;
};

/* Run one line, and write its answer to stdout. */
void rv_console_run(struct rv_console *console, const char *line);

/* Read commands from stdin until its end or `quit`, with editing and history on a terminal. Returns an exit status. */
int rv_console_talk(const char *path);

#endif
