/* --output=FILE: opened before the program runs, to report a bad path early; truncated only when written. */
#ifndef RV_CLI_OUTPUT_H
#define RV_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct rv_output {
    FILE *file;
    const char *path; /* NULL = stdout */
    FILE *packed;     /* the compressed file under `file`, if the name ends in .gz */
    bool is_new;      /* the file is new: remove it if not written */
    bool is_begun;    /* rv_output_begin() */
    off_t place;      /* in stdout when it was opened here; -1: it is no file */
};

/*
 * Open an existing or new file. An existing regular file needs is_forced; a symbolic link is never followed; a pipe
 * without a reader is waited for only with is_forced. NULL and "-" are stdout. 0 or negative errno, one line printed.
 */
int rv_output_open(struct rv_output *output, const char *path, bool is_forced);

/* The same for rv_output_finish(); compresses if the name ends in .gz. */
int rv_output_create(struct rv_output *output, const char *path, bool is_forced);

/* Truncate the file. 0 or negative errno, one line printed. */
int rv_output_begin(struct rv_output *output);

/* Has the command, or another, written to the same file meanwhile? Of a pipe that is not known: false. */
bool rv_output_has_others(const struct rv_output *output);

/* Flush and close, reporting any earlier write error; removes a new file that was not begun. 0 or
 * negative errno, one line printed. Safe on a zeroed one. */
int rv_output_close(struct rv_output *output);

/* Before an exit without closing: removes a new file, which is not complete. */
void rv_output_abandon(const struct rv_output *output);

/*
 * Close after rv_output_create().
 *   error    the writer's error, already printed unless it is the stream's; on error a new file is removed
 *   returns  error, or the negative errno of a failure here, with one line printed
 */
int rv_output_finish(struct rv_output *output, int error);

#endif
