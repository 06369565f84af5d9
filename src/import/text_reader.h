/*
 * Reads a file that is plain, or packed by gzip or zstd, once from beginning to end, through one buffer.
 */
#ifndef RV_IMPORT_TEXT_READER_H
#define RV_IMPORT_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>

/* Longer lines are truncated. */
#define RV_TEXT_READER_LINE_BYTES (1u << 20)

struct rv_text_reader; /* opaque */

/* The first bytes, at most max. Returns how many there are; 0 as well when it cannot be read. Prints nothing. */
size_t rv_text_reader_head(const char *path, char *head, size_t max);

/* A regular file only. NULL with one line printed. */
struct rv_text_reader *rv_text_reader_open(const char *path);
void rv_text_reader_close(struct rv_text_reader *file);

/*
 * Read up to max bytes.
 *   n        bytes read, 0 at the end
 *   returns  0, or a negative errno with one line printed. A truncated packed file gives what is there, and is_cut() is
 *            true
 */
int rv_text_reader_read(struct rv_text_reader *file, char *out, size_t max, size_t *n);
bool rv_text_reader_is_cut(const struct rv_text_reader *file);

/* Nothing was read so far; at the end: the file is empty. */
bool rv_text_reader_is_empty(const struct rv_text_reader *file);

/*
 * The next line, without its end.
 *   line     n bytes and a NUL, valid until the next call
 *   returns  1, 0 at the end, or a negative errno with one line printed
 */
int rv_text_reader_line(struct rv_text_reader *file, char **line, size_t *n);

/* Share of the file read so far, 0 .. 1. */
double rv_text_reader_share(const struct rv_text_reader *file);

#endif
