/* A message's length precedes it but is known only at its end: one byte is reserved, and the message is moved when its
 * length needs more. */
#include "export/protobuf.h"

#include <string.h>

#include "base/leb128.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static void add_tag(struct rv_text_buffer *text, uint32_t field, unsigned wire)
{
    text->n += rv_leb128_put(rv_text_buffer_reserve(text, RV_LEB128_MOST_BYTES), (uint64_t)field << 3 | wire);
}

void rv_protobuf_add_varint(struct rv_text_buffer *text, uint32_t field, uint64_t value)
{
    char *at = rv_text_buffer_reserve(text, 2 * RV_LEB128_MOST_BYTES);
    size_t n = rv_leb128_put(at, (uint64_t)field << 3 | WIRE_VARINT);
    text->n += n + rv_leb128_put(at + n, value);
}

void rv_protobuf_add_fixed(struct rv_text_buffer *text, uint32_t field, uint64_t value)
{
    char bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (char)(value >> 8 * i);
    add_tag(text, field, WIRE_FIXED64);
    rv_text_buffer_add_bytes(text, bytes, sizeof bytes);
}

void rv_protobuf_add_double(struct rv_text_buffer *text, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    rv_protobuf_add_fixed(text, field, bits);
}

void rv_protobuf_add_string(struct rv_text_buffer *text, uint32_t field, const char *string)
{
    size_t mark = rv_protobuf_begin(text, field);
    rv_text_buffer_add_utf8(text, string);
    rv_protobuf_end(text, mark);
}

size_t rv_protobuf_begin(struct rv_text_buffer *text, uint32_t field)
{
    add_tag(text, field, WIRE_BYTES);
    rv_text_buffer_add_bytes(text, "", 1);
    return text->n;
}

void rv_protobuf_end(struct rv_text_buffer *text, size_t mark)
{
    size_t n_bytes = text->n - mark;
    char length[RV_LEB128_MOST_BYTES];
    size_t n_length = rv_leb128_put(length, n_bytes);
    if (n_length > 1) {
        (void)rv_text_buffer_reserve(text, n_length - 1);
        memmove(text->bytes + mark + n_length - 1, text->bytes + mark, n_bytes);
        text->n += n_length - 1;
    }
    memcpy(text->bytes + mark - 1, length, n_length);
}
