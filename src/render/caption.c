#include "render/caption.h"

#include <stdio.h>
#include <string.h>

#define ELLIPSIS "…"
#define CHARACTERS_MIN 2

/* Bytes before the argument list: "f(int)" -> 1. A component in parentheses is none. */
static size_t length_without_arguments(const char *name)
{
    int angle = 0;
    for (size_t i = 0; name[i]; i++) {
        angle += (name[i] == '<') - (name[i] == '>' && angle > 0);
        if (name[i] == '(' && i > 0 && angle == 0 && !strchr(":.", name[i - 1]))
            return i;
    }
    return strlen(name);
}

/* Start of the next component, past "::", "." or "/"; NULL when this is the last. */
static const char *next_component(const char *name, const char *end)
{
    int nesting = 0;
    for (const char *at = name; at < end; at++) {
        if (strchr("<([", *at))
            nesting++;
        else if (strchr(">)]", *at) && nesting)
            nesting--;
        if (nesting || at == name)
            continue;
        if (at + 2 < end && at[0] == ':' && at[1] == ':')
            return at + 2;
        if (at + 1 < end && (*at == '/' || *at == '.') && at[1] != *at)
            return at + 1;
    }
    return NULL;
}

static bool put(const char *text, size_t n_bytes, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%.*s", (int)(n_bytes < out_bytes ? n_bytes : out_bytes), text);
    return true;
}

static bool put_cut(const char *text, const char *end, enum rv_font font, float width_px, char *out, size_t out_bytes)
{
    float room_px = width_px - rv_font_width(font, ELLIPSIS, sizeof ELLIPSIS);
    const char *cut = text;
    unsigned n_characters = 0;
    while (cut < end) {
        const char *next = cut;
        rv_font_next(&next);
        if (rv_font_width(font, text, (size_t)(next - text)) > room_px)
            break;
        cut = next;
        n_characters++;
    }
    if (n_characters < CHARACTERS_MIN)
        return false;
    snprintf(out, out_bytes, "%.*s" ELLIPSIS, (int)(cut - text), text);
    return true;
}

bool rv_caption_fit(const char *full_name, enum rv_font font, float width_px, char *out, size_t out_bytes)
{
    size_t full_bytes = strlen(full_name);
    if (rv_font_width(font, full_name, full_bytes) <= width_px)
        return put(full_name, full_bytes, out, out_bytes);
    const char *end = full_name + length_without_arguments(full_name);
    const char *name = full_name, *next;
    while (rv_font_width(font, name, (size_t)(end - name)) > width_px) {
        next = next_component(name, end);
        if (!next)
            return put_cut(name, end, font, width_px, out, out_bytes);
        name = next;
    }
    return put(name, (size_t)(end - name), out, out_bytes);
}
