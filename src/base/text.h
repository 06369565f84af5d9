/* Strings from a trace file, made fit to be shown. */
#ifndef RV_BASE_TEXT_H
#define RV_BASE_TEXT_H

#include <stddef.h>

/*
 * Copy text to out, NUL-terminated: valid UTF-8 stays; control characters, marks that reverse the writing direction and
 * bytes that are not UTF-8 become \xNN. Cut between characters where out is full.
 *   out_bytes  at least 1
 *   returns    bytes written, without the NUL
 */
size_t rv_text_escape(char *out, size_t out_bytes, const char *text, size_t n_bytes);

/* The most bytes of a text, up to `most`, that do not end within a character; `most` where it is no UTF-8. */
size_t rv_text_whole(const char *text, size_t n_bytes, size_t most);

#endif
