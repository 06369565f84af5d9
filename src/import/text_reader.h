/*
 * A file that is read from its beginning to its end, once: plain, or gzip by its magic. Nothing is kept but a buffer.
 */
#ifndef RV_IMPORT_TEXT_READER_H
#define RV_IMPORT_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>

/* A line longer than this is cut there. */
#define RV_TEXT_READER_LINE_BYTES (1u << 20)

struct rv_text_reader; /* opaque */

/* A regular file only. NULL with one line printed. */
struct rv_text_reader *rv_text_reader_open(const char *path);
void rv_text_reader_close(struct rv_text_reader *file);

/*
 * Up to max bytes.
 *   n        bytes read, 0 at the end
 *   returns  0, or a negative errno with one line printed. A gzip file that ends too early reads as what there is of
 * it, and is_cut() says so
 */
int rv_text_reader_read(struct rv_text_reader *file, char *out, size_t max, size_t *n);
bool rv_text_reader_is_cut(const struct rv_text_reader *file);

/* Nothing was read of it so far: at the end, there is nothing in it. */
bool rv_text_reader_is_empty(const struct rv_text_reader *file);

/*
 * The next line, without its end.
 *   line     n bytes and a NUL, valid until the next call
 *   returns  1, 0 at the end, or a negative errno with one line printed
 */
int rv_text_reader_line(struct rv_text_reader *file, char **line, size_t *n);

/* How much of the file has been read, 0 .. 1. */
double rv_text_reader_share(const struct rv_text_reader *file);

#endif
