#include "export/text_buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/vec.h"

void rv_text_buffer_fini(struct rv_text_buffer *text)
{
    free(text->bytes);
    *text = (struct rv_text_buffer){0};
}

void rv_text_buffer_grow(struct rv_text_buffer *text, size_t n)
{
    text->bytes = rv_vec_reserve(text->bytes, &text->capacity, text->n + n, 1);
}

void rv_text_buffer_add_bytes(struct rv_text_buffer *text, const char *bytes, size_t n)
{
    memcpy(rv_text_buffer_reserve(text, n), bytes, n);
    text->n += n;
}

void rv_text_buffer_add(struct rv_text_buffer *text, const char *string)
{
    rv_text_buffer_add_bytes(text, string, strlen(string));
}

/* Write the digits so that they end at `end`. Returns their start. */
static char *put_digits(char *end, uint64_t value)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434"
        "44546474849505152535455565758596061626364656667686970717273747576777879808182838485868788"
        "8990919293949596979899";
    while (value >= 100) {
        end -= 2;
        memcpy(end, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value < 10) {
        *--end = (char)('0' + value);
        return end;
    }
    end -= 2;
    return memcpy(end, pairs + value * 2, 2);
}

/* Copy digits [first, end); the bytes copied past them are overwritten later. */
static char *put(char *at, const char *first, const char *end)
{
    memcpy(at, first, RV_TEXT_BUFFER_NUMBER); /* fixed size: compiles to moves */
    return at + (end - first);
}

char *rv_text_buffer_put_u64(char *at, uint64_t value)
{
    char digits[2 * RV_TEXT_BUFFER_NUMBER];
    return put(at, put_digits(digits + RV_TEXT_BUFFER_NUMBER, value), digits + RV_TEXT_BUFFER_NUMBER);
}

char *rv_text_buffer_put_us(char *at, uint64_t ns)
{
    char digits[2 * RV_TEXT_BUFFER_NUMBER];
    char *end = digits + RV_TEXT_BUFFER_NUMBER;
    uint64_t fraction = ns % 1000;
    end[-1] = (char)('0' + fraction % 10);
    end[-2] = (char)('0' + fraction / 10 % 10);
    end[-3] = (char)('0' + fraction / 100);
    end[-4] = '.';
    return put(at, put_digits(end - 4, ns / 1000), end);
}

void rv_text_buffer_add_u64(struct rv_text_buffer *text, uint64_t value)
{
    char *at = rv_text_buffer_reserve(text, RV_TEXT_BUFFER_NUMBER);
    text->n += (size_t)(rv_text_buffer_put_u64(at, value) - at);
}

void rv_text_buffer_add_us(struct rv_text_buffer *text, uint64_t ns)
{
    char *at = rv_text_buffer_reserve(text, RV_TEXT_BUFFER_NUMBER);
    text->n += (size_t)(rv_text_buffer_put_us(at, ns) - at);
}

void rv_text_buffer_format(struct rv_text_buffer *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (n > 0) {
        (void)vsnprintf(rv_text_buffer_reserve(text, (size_t)n + 1), (size_t)n + 1, format, again);
        text->n += (size_t)n;
    }
    va_end(again);
}

void rv_text_buffer_add_duration(struct rv_text_buffer *text, uint64_t ns)
{
    char duration[32];
    rv_units_format_ns(duration, sizeof duration, ns);
    rv_text_buffer_format(text, " %10s", duration);
}

void rv_text_buffer_add_csv(struct rv_text_buffer *text, const char *string)
{
    bool is_formula =
        *string && strchr("=+-@\t\r", *string); /* spreadsheets see a formula, quoted or not: ' makes it text */
    if (!is_formula && !strpbrk(string, ",\"\r\n")) {
        rv_text_buffer_add(text, string);
        return;
    }
    rv_text_buffer_add(text, is_formula ? "\"'" : "\"");
    for (; *string; string++) {
        if (*string == '"')
            rv_text_buffer_add_bytes(text, "\"", 1);
        rv_text_buffer_add_bytes(text, string, 1);
    }
    rv_text_buffer_add_bytes(text, "\"", 1);
}

/* Length of the UTF-8 character here; 0 if invalid. */
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

void rv_text_buffer_add_utf8(struct rv_text_buffer *text, const char *string)
{
    for (const unsigned char *at = (const unsigned char *)string; *at;) {
        size_t n = utf8_bytes(at);
        rv_text_buffer_add_bytes(text, n ? (const char *)at : "\xef\xbf\xbd", n ? n : 3);
        at += n ? n : 1;
    }
}

void rv_text_buffer_add_json(struct rv_text_buffer *text, const char *string)
{
    rv_text_buffer_add_bytes(text, "\"", 1);
    for (const unsigned char *at = (const unsigned char *)string; *at;) {
        size_t n = utf8_bytes(at);
        if (n == 0)
            rv_text_buffer_add(text, "\xef\xbf\xbd");
        else if (*at == '"' || *at == '\\')
            rv_text_buffer_format(text, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            rv_text_buffer_format(text, "\\u%04x", *at);
        else
            rv_text_buffer_add_bytes(text, (const char *)at, n);
        at += n ? n : 1;
    }
    rv_text_buffer_add_bytes(text, "\"", 1);
}

int rv_text_buffer_flush(struct rv_text_buffer *text, FILE *out)
{
    errno = 0;
    bool is_written = text->n == 0 || fwrite(text->bytes, 1, text->n, out) == text->n;
    text->n = 0;
    if (!is_written || ferror(out))
        return errno ? -errno : -EIO;
    return 0;
}

int rv_text_buffer_finish(struct rv_text_buffer *text, FILE *out, int error)
{
    if (!error)
        error = rv_text_buffer_flush(text, out);
    if (!error && fflush(out) != 0)
        error = -errno;
    rv_text_buffer_fini(text);
    return error;
}
