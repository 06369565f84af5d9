/* What --patch and -x ask for, read from the patcher's text (producers/native/patcher.h) line by line. */
#ifndef RV_CLI_PATCH_LINES_H
#define RV_CLI_PATCH_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct rv_patch_line {           /* neither string ends in NUL */
    const char *regex, *library; /* library: a part of its path, "" = all objects; NULL: the program itself */
    size_t n_regex, n_library;
};

/* The next line at *text, which is moved behind it; those of --libcalls are skipped. False: there is none. */
bool rv_patch_line_next(const char **text, struct rv_patch_line *line);

#endif
