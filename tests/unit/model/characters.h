/* Room in which every character is as wide as any other. */
#ifndef RV_TEST_CHARACTERS_H
#define RV_TEST_CHARACTERS_H

#include <stddef.h>

/* An rv_short_name_width_fn. */
static inline float n_characters(const void *context, const char *text, size_t n_bytes)
{
    size_t n = 0;
    (void)context;
    for (size_t i = 0; i < n_bytes; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return (float)n;
}

#endif
