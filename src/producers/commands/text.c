#include "producers/commands/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 256u

static bool make_room(struct rv_text *text, size_t n_bytes)
{
    size_t needed = text->n_bytes + n_bytes + 1, capacity = text->capacity ? text->capacity : FIRST_BYTES;
    while (capacity < needed)
        capacity *= 2;
    if (capacity == text->capacity)
        return true;
    char *grown = realloc(text->bytes, capacity);
    if (!grown)
        return false;
    text->bytes = grown;
    text->capacity = capacity;
    return true;
}

void rv_text_add(struct rv_text *text, const char *bytes, size_t n_bytes)
{
    if (!make_room(text, n_bytes))
        return;
    memcpy(text->bytes + text->n_bytes, bytes, n_bytes);
    text->n_bytes += n_bytes;
    text->bytes[text->n_bytes] = '\0';
}

void rv_text_addf(struct rv_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments);
    if (n > 0 && make_room(text, (size_t)n)) {
        vsnprintf(text->bytes + text->n_bytes, (size_t)n + 1, format, again);
        text->n_bytes += (size_t)n;
    }
    va_end(again);
    va_end(arguments);
}

const char *rv_text_bytes(const struct rv_text *text)
{
    return text->n_bytes ? text->bytes : "";
}

void rv_text_cut(struct rv_text *text, size_t n_bytes)
{
    if (n_bytes >= text->n_bytes)
        return;
    while (n_bytes > 0 && ((unsigned char)text->bytes[n_bytes] & 0xc0) == 0x80)
        n_bytes--;
    text->bytes[n_bytes] = '\0';
    text->n_bytes = n_bytes;
}

void rv_text_fini(struct rv_text *text)
{
    free(text->bytes);
    *text = (struct rv_text){0};
}
