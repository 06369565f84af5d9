/* --output=FILE: opened before the program runs, so that a bad path costs nothing; emptied only when it is written. */
#ifndef RV_APP_OUTPUT_H
#define RV_APP_OUTPUT_H

#include <stdio.h>

struct rv_output {
    FILE *file;
    const char *path; /* NULL = stdout */
};

/* 0 or negative errno, one line printed. */
int rv_output_open(struct rv_output *output, const char *path);

/* Drop what the file held before. 0 or negative errno, one line printed. */
int rv_output_begin(struct rv_output *output);

/* Flush and close; a write that failed anywhere shows here. 0 or negative errno, one line printed. Safe on a zeroed
 * one. */
int rv_output_close(struct rv_output *output);

#endif
