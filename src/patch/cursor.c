#include "patch/cursor.h"

#include <string.h>

enum {
    FORM_MASK = 0x0f,
    RELATION_MASK = 0x70,
    RELATIVE_TO_PC = 0x10,
    RELATIVE_TO_DATA = 0x30,
    OMITTED = 0xff,
};

struct rv_patch_cursor rv_patch_cursor_at(const struct rv_patch_image *image, uint64_t address, uint64_t end)
{
    struct rv_patch_cursor cursor = {.address = address};
    cursor.bytes = rv_patch_image_at(image, address, &cursor.n_bytes);
    cursor.has_failed = !cursor.bytes || end < address;
    if (!cursor.has_failed && end - address < cursor.n_bytes)
        cursor.n_bytes = (size_t)(end - address);
    return cursor;
}

void rv_patch_cursor_skip(struct rv_patch_cursor *cursor, uint64_t n)
{
    if (cursor->has_failed || n > cursor->n_bytes) {
        cursor->has_failed = true;
        return;
    }
    cursor->bytes += n;
    cursor->address += n;
    cursor->n_bytes -= (size_t)n;
}

uint64_t rv_patch_cursor_number(struct rv_patch_cursor *cursor, unsigned n_bytes)
{
    const uint8_t *bytes = cursor->bytes;
    uint64_t number = 0;
    rv_patch_cursor_skip(cursor, n_bytes);
    if (!cursor->has_failed)
        memcpy(&number, bytes, n_bytes);
    return number;
}

static uint64_t read_leb(struct rv_patch_cursor *cursor, bool is_signed)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint64_t byte = rv_patch_cursor_byte(cursor);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        if (byte & 0x80)
            continue;
        if (is_signed && byte & 0x40 && shift + 7 < 64)
            value |= UINT64_MAX << (shift + 7);
        return value;
    }
}

uint64_t rv_patch_cursor_uleb(struct rv_patch_cursor *cursor)
{
    return read_leb(cursor, false);
}

int64_t rv_patch_cursor_sleb(struct rv_patch_cursor *cursor)
{
    return (int64_t)read_leb(cursor, true);
}

static uint64_t read_form(struct rv_patch_cursor *cursor, uint8_t form)
{
    switch (form) {
    case 0x01:
        return rv_patch_cursor_uleb(cursor);
    case 0x09:
        return (uint64_t)rv_patch_cursor_sleb(cursor);
    case 0x02:
        return rv_patch_cursor_number(cursor, 2);
    case 0x03:
        return rv_patch_cursor_number(cursor, 4);
    case 0x0a:
        return (uint64_t)(int64_t)(int16_t)rv_patch_cursor_number(cursor, 2);
    case 0x0b:
        return (uint64_t)(int64_t)(int32_t)rv_patch_cursor_number(cursor, 4);
    case 0x00:
    case 0x04:
    case 0x0c:
        return rv_patch_cursor_number(cursor, 8);
    default:
        cursor->has_failed = true;
        return 0;
    }
}

uint64_t rv_patch_cursor_pointer(struct rv_patch_cursor *cursor, uint8_t encoding, uint64_t relative_to)
{
    const uint64_t address = cursor->address;
    if (encoding == OMITTED)
        return 0;
    uint64_t value = read_form(cursor, encoding & FORM_MASK);
    if (value && (encoding & RELATION_MASK) == RELATIVE_TO_PC)
        value += address;
    else if (value && (encoding & RELATION_MASK) == RELATIVE_TO_DATA)
        value += relative_to;
    return cursor->has_failed ? 0 : value;
}
