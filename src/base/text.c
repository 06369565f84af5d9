#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Length of the valid UTF-8 sequence at text, 0 if invalid. */
static size_t decode(const unsigned char *text, size_t n_bytes, uint32_t *code)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = text[0];
    size_t length = first < 0x80 ? 1 : first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0;
    if (length == 0 || first >= 0xf8 || length > n_bytes)
        return 0;
    *code = length == 1 ? first : first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    bool is_surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < smallest[length] || *code > 0x10ffff || is_surrogate ? 0 : length;
}

static bool is_harmless(uint32_t code)
{
    bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    bool is_direction =
        (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return !is_control && !is_direction;
}

static void escape_byte(char out[4], unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    memcpy(out, "\\x", 2);
    out[2] = digits[byte >> 4];
    out[3] = digits[byte & 15];
}

size_t rv_text_escape(char *out, size_t out_bytes, const char *text, size_t n_bytes)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t used = 0;
    for (size_t i = 0; i < n_bytes;) {
        uint32_t code = 0;
        size_t length = decode(bytes + i, n_bytes - i, &code);
        if (length && is_harmless(code)) {
            if (length >= out_bytes - used)
                break;
            memcpy(out + used, text + i, length);
            used += length;
            i += length;
        } else {
            if (out_bytes - used <= 4)
                break;
            escape_byte(out + used, bytes[i]);
            used += 4;
            i++;
        }
    }
    out[used] = '\0';
    return used;
}

uint32_t rv_text_next(const char **text, const char *end)
{
    uint32_t code = 0;
    size_t length = decode((const unsigned char *)*text, (size_t)(end - *text), &code);
    *text += length ? length : 1;
    return length ? code : 0xfffd;
}

size_t rv_text_whole(const char *text, size_t n_bytes, size_t most)
{
    if (n_bytes <= most)
        return n_bytes;
    size_t n = most;
    while (n > 0 && most - n < 3 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return ((unsigned char)text[n] & 0xc0) == 0x80 ? most : n; /* not UTF-8 */
}

char *rv_text_end_whole(char *text)
{
    size_t n = strlen(text), last = n;
    while (last > 0 && n - last < 3 && ((unsigned char)text[last - 1] & 0xc0) == 0x80)
        last--;
    const unsigned char lead = last > 0 ? (unsigned char)text[last - 1] : 0;
    const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
    if (length > n - last + 1)
        text[last - 1] = '\0';
    return text;
}

void rv_text_append(char *out, size_t out_bytes, const char *text, size_t n_bytes)
{
    size_t n = strlen(out), room = out_bytes - 1 - n, length = strnlen(text, n_bytes < room ? n_bytes : room);
    memcpy(out + n, text, length);
    out[n + length] = '\0';
}
