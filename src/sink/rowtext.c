#include "sink/rowtext.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define MOST_DIGITS 20u

void rv_rowtext_fini(struct rv_rowtext *text)
{
    free(text->bytes);
    *text = (struct rv_rowtext){0};
}

char *rv_rowtext_reserve(struct rv_rowtext *text, size_t n)
{
    if (__builtin_expect(text->n + n > text->capacity || !text->bytes, 0))
        text->bytes = rv_vec_reserve(text->bytes, &text->capacity, text->n + n, 1);
    return text->bytes + text->n;
}

void rv_rowtext_add_bytes(struct rv_rowtext *text, const char *bytes, size_t n)
{
    memcpy(rv_rowtext_reserve(text, n), bytes, n);
    text->n += n;
}

void rv_rowtext_add(struct rv_rowtext *text, const char *string)
{
    rv_rowtext_add_bytes(text, string, strlen(string));
}

void rv_rowtext_add_u64(struct rv_rowtext *text, uint64_t value)
{
    char digits[MOST_DIGITS];
    unsigned first = MOST_DIGITS;
    do {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    rv_rowtext_add_bytes(text, digits + first, MOST_DIGITS - first);
}

void rv_rowtext_format(struct rv_rowtext *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (n > 0) {
        (void)vsnprintf(rv_rowtext_reserve(text, (size_t)n + 1), (size_t)n + 1, format, again);
        text->n += (size_t)n;
    }
    va_end(again);
}

void rv_rowtext_add_csv(struct rv_rowtext *text, const char *string)
{
    if (!strpbrk(string, ",\"\r\n")) {
        rv_rowtext_add(text, string);
        return;
    }
    rv_rowtext_add_bytes(text, "\"", 1);
    for (; *string; string++) {
        if (*string == '"')
            rv_rowtext_add_bytes(text, "\"", 1);
        rv_rowtext_add_bytes(text, string, 1);
    }
    rv_rowtext_add_bytes(text, "\"", 1);
}

/* Bytes of the UTF-8 character that begins here; 0 when none does. */
static size_t utf8_bytes(const unsigned char *at)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = at[0] < 0x80 ? 1 : at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (n == 1)
        return 1;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    uint32_t character = at[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | (at[i] & 0x3fu);
    }
    if (character < least[n] || character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
        return 0;
    return n;
}

void rv_rowtext_add_json(struct rv_rowtext *text, const char *string)
{
    rv_rowtext_add_bytes(text, "\"", 1);
    for (const unsigned char *at = (const unsigned char *)string; *at;) {
        size_t n = utf8_bytes(at);
        if (n == 0)
            rv_rowtext_add(text, "\xef\xbf\xbd");
        else if (*at == '"' || *at == '\\')
            rv_rowtext_format(text, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            rv_rowtext_format(text, "\\u%04x", *at);
        else
            rv_rowtext_add_bytes(text, (const char *)at, n);
        at += n ? n : 1;
    }
    rv_rowtext_add_bytes(text, "\"", 1);
}

int rv_rowtext_flush(struct rv_rowtext *text, FILE *out)
{
    errno = 0;
    bool is_written = text->n == 0 || fwrite(text->bytes, 1, text->n, out) == text->n;
    text->n = 0;
    if (!is_written || ferror(out))
        return errno ? -errno : -EIO;
    return 0;
}
