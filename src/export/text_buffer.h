/* Text that grows at its end: numbers, CSV fields and JSON strings, fast enough for millions of rows. */
#ifndef RV_EXPORT_TEXT_BUFFER_H
#define RV_EXPORT_TEXT_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define RV_TEXT_BUFFER_NUMBER 24u /* bytes of room that a number wants, its digits being fewer */

struct rv_text_buffer { /* zero is empty; bytes is not terminated */
    char *bytes;
    size_t n, capacity;
};

void rv_text_buffer_fini(struct rv_text_buffer *text);

/* Room for n more bytes at the returned place; the caller adds to text->n what it wrote. */
char *rv_text_buffer_reserve(struct rv_text_buffer *text, size_t n);

void rv_text_buffer_add_bytes(struct rv_text_buffer *text, const char *bytes, size_t n);
void rv_text_buffer_add(struct rv_text_buffer *text, const char *string);
void rv_text_buffer_add_u64(struct rv_text_buffer *text, uint64_t value);

/* Microseconds with all three decimals: "1234.567". */
void rv_text_buffer_add_us(struct rv_text_buffer *text, uint64_t ns);
/* The same two into room that was reserved, RV_TEXT_BUFFER_NUMBER bytes each; return what is behind the digits. */
char *rv_text_buffer_put_u64(char *at, uint64_t value);
char *rv_text_buffer_put_us(char *at, uint64_t ns);

void rv_text_buffer_format(struct rv_text_buffer *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A duration with its unit, in a column of a table: a space and ten characters at least. */
void rv_text_buffer_add_duration(struct rv_text_buffer *text, uint64_t ns);

/* As a CSV field: quoted where it holds a comma, a quote or a line end, quotes doubled (RFC 4180). What a spreadsheet
 * would take for a formula, by a first = + - @ or tab, gets a ' in front. */
void rv_text_buffer_add_csv(struct rv_text_buffer *text, const char *string);

/* As UTF-8: what is not becomes U+FFFD. */
void rv_text_buffer_add_utf8(struct rv_text_buffer *text, const char *string);

/* As a JSON string with its quotes, in UTF-8. */
void rv_text_buffer_add_json(struct rv_text_buffer *text, const char *string);

/* Write all out and empty it. 0 or negative errno. */
int rv_text_buffer_flush(struct rv_text_buffer *text, FILE *out);

#endif
