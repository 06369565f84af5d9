/* A growing text: numbers, CSV fields and JSON strings, fast enough for millions of rows. */
#ifndef RV_EXPORT_TEXT_BUFFER_H
#define RV_EXPORT_TEXT_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define RV_TEXT_BUFFER_NUMBER 24u /* room to reserve for a number, more than its digits */

struct rv_text_buffer { /* zeroed = empty; bytes is not terminated */
    char *bytes;
    size_t n, capacity;
};

void rv_text_buffer_fini(struct rv_text_buffer *text);

/* Make room for n more bytes. */
void rv_text_buffer_grow(struct rv_text_buffer *text, size_t n);

/* Reserve n more bytes and return their place; the caller adds the bytes written to text->n. */
static inline char *rv_text_buffer_reserve(struct rv_text_buffer *text, size_t n)
{
    if (__builtin_expect(text->n + n > text->capacity || !text->bytes, 0))
        rv_text_buffer_grow(text, n);
    return text->bytes + text->n;
}

/* Append n bytes, a terminated string, or a decimal number. */
void rv_text_buffer_add_bytes(struct rv_text_buffer *text, const char *bytes, size_t n);
void rv_text_buffer_add(struct rv_text_buffer *text, const char *string);
void rv_text_buffer_add_u64(struct rv_text_buffer *text, uint64_t value);

/* Microseconds with all three decimals: "1234.567". */
void rv_text_buffer_add_us(struct rv_text_buffer *text, uint64_t ns);
/* The same into RV_TEXT_BUFFER_NUMBER reserved bytes; return the end of the digits. */
char *rv_text_buffer_put_u64(char *at, uint64_t value);
char *rv_text_buffer_put_us(char *at, uint64_t ns);

/* Append as printf() writes. */
void rv_text_buffer_format(struct rv_text_buffer *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A duration with its unit, in a column of a table: a space and ten characters at least. */
void rv_text_buffer_add_duration(struct rv_text_buffer *text, uint64_t ns);

/* As a CSV field: quoted if it has a comma, a quote or a line end, quotes doubled (RFC 4180). A text that a spreadsheet
 * would take for a formula, starting with = + - @ or tab, gets a ' in front. */
void rv_text_buffer_add_csv(struct rv_text_buffer *text, const char *string);

/* As UTF-8: invalid bytes become U+FFFD. */
void rv_text_buffer_add_utf8(struct rv_text_buffer *text, const char *string);

/* As a JSON string with its quotes, in UTF-8. */
void rv_text_buffer_add_json(struct rv_text_buffer *text, const char *string);

/* Write the text to out and clear it. 0 or negative errno. */
int rv_text_buffer_flush(struct rv_text_buffer *text, FILE *out);

/* The end of an output: write the text and all that out has, unless there was an error, and free it. Returns the error,
 * or as rv_text_buffer_flush(). */
int rv_text_buffer_finish(struct rv_text_buffer *text, FILE *out, int error);

#endif
