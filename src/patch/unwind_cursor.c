#include "patch/unwind_cursor.h"

#include <string.h>

#include "base/leb128.h"

enum {
    FORM_MASK = 0x0f,
    RELATION_MASK = 0x70,
    RELATIVE_TO_PC = 0x10,
    RELATIVE_TO_DATA = 0x30,
    OMITTED = 0xff,
};

struct rv_patch_unwind_cursor rv_patch_unwind_cursor_at(const struct rv_patch_image *image, uint64_t address,
                                                        uint64_t end)
{
    struct rv_patch_unwind_cursor cursor = {.address = address};
    cursor.bytes = rv_patch_image_at(image, address, &cursor.n_bytes);
    cursor.has_failed = !cursor.bytes || end < address;
    if (!cursor.has_failed && end - address < cursor.n_bytes)
        cursor.n_bytes = (size_t)(end - address);
    return cursor;
}

void rv_patch_unwind_cursor_skip(struct rv_patch_unwind_cursor *cursor, uint64_t n)
{
    if (cursor->has_failed || n > cursor->n_bytes) {
        cursor->has_failed = true;
        return;
    }
    cursor->bytes += n;
    cursor->address += n;
    cursor->n_bytes -= (size_t)n;
}

uint64_t rv_patch_unwind_cursor_number(struct rv_patch_unwind_cursor *cursor, unsigned n_bytes)
{
    const uint8_t *bytes = cursor->bytes;
    uint64_t number = 0;
    rv_patch_unwind_cursor_skip(cursor, n_bytes);
    if (!cursor->has_failed)
        memcpy(&number, bytes, n_bytes);
    return number;
}

/* Move past the bytes up to there. */
static void pass(struct rv_patch_unwind_cursor *cursor, const uint8_t *to, bool has_failed)
{
    cursor->address += (uint64_t)(to - cursor->bytes);
    cursor->n_bytes -= (size_t)(to - cursor->bytes);
    cursor->bytes = to;
    cursor->has_failed = has_failed;
}

uint64_t rv_patch_unwind_cursor_uleb(struct rv_patch_unwind_cursor *cursor)
{
    const uint8_t *at = cursor->bytes;
    uint64_t value;
    if (cursor->has_failed)
        return 0;
    const bool is_read = rv_leb128_take(&at, at + cursor->n_bytes, &value);
    pass(cursor, at, !is_read);
    return is_read ? value : 0;
}

int64_t rv_patch_unwind_cursor_sleb(struct rv_patch_unwind_cursor *cursor)
{
    const uint8_t *at = cursor->bytes;
    int64_t value;
    if (cursor->has_failed)
        return 0;
    const bool is_read = rv_leb128_take_signed(&at, at + cursor->n_bytes, &value);
    pass(cursor, at, !is_read);
    return is_read ? value : 0;
}

static uint64_t read_form(struct rv_patch_unwind_cursor *cursor, uint8_t form)
{
    switch (form) {
    case 0x01:
        return rv_patch_unwind_cursor_uleb(cursor);
    case 0x09:
        return (uint64_t)rv_patch_unwind_cursor_sleb(cursor);
    case 0x02:
        return rv_patch_unwind_cursor_number(cursor, 2);
    case 0x03:
        return rv_patch_unwind_cursor_number(cursor, 4);
    case 0x0a:
        return (uint64_t)(int64_t)(int16_t)rv_patch_unwind_cursor_number(cursor, 2);
    case 0x0b:
        return (uint64_t)(int64_t)(int32_t)rv_patch_unwind_cursor_number(cursor, 4);
    case 0x00:
    case 0x04:
    case 0x0c:
        return rv_patch_unwind_cursor_number(cursor, 8);
    default:
        cursor->has_failed = true;
        return 0;
    }
}

uint64_t rv_patch_unwind_cursor_pointer(struct rv_patch_unwind_cursor *cursor, uint8_t encoding, uint64_t relative_to)
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
