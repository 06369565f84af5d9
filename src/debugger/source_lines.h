/* Some lines of a source file, around one of them. */
#ifndef RV_DEBUGGER_SOURCE_LINES_H
#define RV_DEBUGGER_SOURCE_LINES_H

#include <stdint.h>

#define RV_SOURCE_LINES_LINES 9u
#define RV_SOURCE_LINES_BYTES 160u /* per line; longer ones are truncated */

struct rv_source_lines { /* n 0 = unreadable, or no such line */
    uint32_t first, n;
    char lines[RV_SOURCE_LINES_LINES][RV_SOURCE_LINES_BYTES]; /* escaped UTF-8, tabs as spaces */
};

/*
 * Read lines around or from `line` of a file of a process; the path may be relative to the process's folder. Only
 * regular files, at most 4 MiB.
 */
void rv_source_lines_read(struct rv_source_lines *listing, uint32_t pid, const char *path, uint32_t line);
void rv_source_lines_read_from(struct rv_source_lines *listing, uint32_t pid, const char *path, uint32_t first);

#endif
