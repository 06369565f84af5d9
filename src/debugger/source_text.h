/* A source file in memory, line by line. */
#ifndef RV_DEBUGGER_SOURCE_TEXT_H
#define RV_DEBUGGER_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define RV_SOURCE_TEXT_LINE_BYTES 160u /* longer lines are truncated */

struct rv_source_text { /* zeroed = unreadable */
    char *text;
    size_t n_bytes;
    size_t *begins; /* of each line; n_lines of them */
    uint32_t n_lines;
    struct timespec modified; /* the file, when it was read */
};

/*
 * Read a file of a process; the path may be relative to the process's folder, and with pid 0 to ours. Only regular
 * files, at most 4 MiB.
 */
void rv_source_text_read(struct rv_source_text *source, uint32_t pid, const char *path);

/* Has the file of that path been written since, or has it come or gone? For a text read with pid 0. */
bool rv_source_text_has_changed(const struct rv_source_text *source, const char *path);
void rv_source_text_fini(struct rv_source_text *source);

/* A line, from 1, as escaped UTF-8 with tabs as spaces; "" where there is none. Returns out. */
char *rv_source_text_line(const struct rv_source_text *source, uint32_t line, char out[RV_SOURCE_TEXT_LINE_BYTES]);

#endif
