/* Some lines of a source file, around one of them. */
#ifndef RV_DEBUGGER_SOURCE_LINES_H
#define RV_DEBUGGER_SOURCE_LINES_H

#include <stdint.h>

#define RV_SOURCE_LINES_LINES 9u
#define RV_SOURCE_LINES_BYTES 160u /* of a line; what is longer is cut */

struct rv_source_lines { /* n 0 = it cannot be read, or has no such line */
    uint32_t first, n;
    char lines[RV_SOURCE_LINES_LINES][RV_SOURCE_LINES_BYTES]; /* UTF-8 fit to be shown, tabs as spaces */
};

/*
 * Around a line, or from one on, of a process's file, whose path may be relative to where that process is. Regular
 * files are read, 4 MiB at most.
 */
void rv_source_lines_read(struct rv_source_lines *listing, uint32_t pid, const char *path, uint32_t line);
void rv_source_lines_read_from(struct rv_source_lines *listing, uint32_t pid, const char *path, uint32_t first);

#endif
