/* Strings for display: escaping what is not trusted, decoding, cutting, appending. */
#ifndef RV_BASE_TEXT_H
#define RV_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copy text to out, NUL-terminated. Valid UTF-8 stays; control characters, marks that reverse the writing direction and
 * invalid bytes become \xNN. Cut between characters when out is full.
 *   out_bytes  at least 1
 *   returns    bytes written, without the NUL
 */
size_t rv_text_escape(char *out, size_t out_bytes, const char *text, size_t n_bytes);

/* Decode the UTF-8 character at *text, before end, and step past it: U+FFFD for each invalid byte. */
uint32_t rv_text_next(const char **text, const char *end);

/* Append at most n_bytes of a text to the string in out, as far as there is room. SIZE_MAX: the whole text. */
void rv_text_append(char *out, size_t out_bytes, const char *text, size_t n_bytes);

/* Drop a character at the end of a UTF-8 string of which bytes are missing, as where it was cut to fit. Returns
 * text. */
char *rv_text_end_whole(char *text);

/* The longest prefix of at most `most` bytes that does not end inside a character; `most` if not UTF-8. */
size_t rv_text_whole(const char *text, size_t n_bytes, size_t most);

#endif
