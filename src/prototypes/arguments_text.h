/*
 * Captured arguments and results as text, the way ltrace shows them. What was captured is input: whatever it holds,
 * nothing but its bytes is read.
 */
#ifndef RV_PROTOTYPES_ARGUMENTS_TEXT_H
#define RV_PROTOTYPES_ARGUMENTS_TEXT_H

#include "prototypes/prototypes.h"

struct rv_arguments_text { /* zeroed: empty */
    char *bytes;           /* NUL-terminated once something was formatted; to be freed by the caller */
    size_t n, capacity;
};

/*
 * The arguments, RV_ARGUMENTS_SEPARATOR between them; else printable ASCII only, since all else is escaped. A pointer
 * that cannot be read is <0x...>.
 *   bytes  as RV_EVENT_ARGUMENTS behind a CALL has them
 */
void rv_arguments_text_of_call(const struct rv_prototype *prototype, const uint8_t *bytes, size_t n_bytes,
                               struct rv_arguments_text *out);

/* The result, "" for none; then, separated likewise, "N=TEXT": argument N, from 1 as shown, as it is now. */
void rv_arguments_text_of_return(const struct rv_prototype *prototype, const uint8_t *bytes, size_t n_bytes,
                                 struct rv_arguments_text *out);

#endif
