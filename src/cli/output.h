/* --output=FILE: opened before the program runs, so that a bad path costs nothing; emptied only when it is written. */
#ifndef RV_CLI_OUTPUT_H
#define RV_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct rv_output {
    FILE *file;
    const char *path; /* NULL = stdout */
    FILE *packed;     /* what file packs into, where the name asks for gzip */
    bool is_new;      /* nothing was there: nothing is left where it is not written */
    bool is_begun;    /* rv_output_begin() */
};

/*
 * A file that is there already stays, unless is_forced; a symbolic link is never followed, and a pipe that nobody reads
 * is waited for only when is_forced. NULL and "-" are stdout. 0 or negative errno, one line printed.
 */
int rv_output_open(struct rv_output *output, const char *path, bool is_forced);

/* The same, of what rv_output_finish() closes: a name in .gz is packed. */
int rv_output_create(struct rv_output *output, const char *path, bool is_forced);

/* Drop what the file held before. 0 or negative errno, one line printed. */
int rv_output_begin(struct rv_output *output);

/* Flush and close; a write that failed anywhere shows here; a new file in which nothing was begun is removed. 0 or
 * negative errno, one line printed. Safe on a zeroed one. */
int rv_output_close(struct rv_output *output);

/* The program ends at once, without closing it: a new file, which is not whole, is removed. */
void rv_output_abandon(const struct rv_output *output);

/*
 * Close one that rv_output_create() opened.
 *   error    of whoever wrote it, printed unless it is the stream's; a new file is removed then
 *   returns  error, or the negative errno of what failed here, one line printed
 */
int rv_output_finish(struct rv_output *output, int error);

#endif
