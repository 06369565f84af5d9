/* A text that grows, for answers to monitors: UTF-8, always NUL-terminated. Without memory it stays as it is. */
#ifndef RV_PRODUCERS_COMMANDS_TEXT_H
#define RV_PRODUCERS_COMMANDS_TEXT_H

#include <stddef.h>

struct rv_text { /* all zero: empty */
    char *bytes; /* NULL: none yet */
    size_t n_bytes, capacity;
};

/* Append bytes, or a text like printf's. */
void rv_text_add(struct rv_text *text, const char *bytes, size_t n_bytes);
__attribute__((format(printf, 2, 3))) void rv_text_addf(struct rv_text *text, const char *format, ...);

/* Its bytes; "" while there are none. Valid until it grows. */
const char *rv_text_bytes(const struct rv_text *text);

/* Shorten it to that many bytes, or a few less, so as not to cut inside of a character. */
void rv_text_cut(struct rv_text *text, size_t n_bytes);

void rv_text_fini(struct rv_text *text); /* empty, and usable again */

#endif
