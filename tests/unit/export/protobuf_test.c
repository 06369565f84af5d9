#include "export/protobuf.h"

#include <criterion/criterion.h>
#include <string.h>

static void check(const struct rv_text_buffer *text, const char *expected, size_t n)
{
    cr_assert_eq(text->n, n, "%zu bytes, not %zu", text->n, n);
    cr_assert_eq(memcmp(text->bytes, expected, n), 0);
}
#define CHECK(text, expected) check(text, expected, sizeof expected - 1)

/* The first three are the encoding guide's own examples. */
Test(protobuf, encodings_are_the_documented_ones, .timeout = 60)
{
    struct rv_text_buffer text = {0};
    rv_protobuf_add_varint(&text, 1, 150);
    CHECK(&text, "\x08\x96\x01");
    text.n = 0;
    rv_protobuf_add_string(&text, 2, "testing");
    CHECK(&text, "\x12\x07testing");
    text.n = 0;
    size_t mark = rv_protobuf_begin(&text, 3);
    rv_protobuf_add_varint(&text, 1, 150);
    rv_protobuf_end(&text, mark);
    CHECK(&text, "\x1a\x03\x08\x96\x01");
    text.n = 0;
    rv_protobuf_add_varint(&text, 58, UINT64_MAX);
    CHECK(&text, "\xd0\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    text.n = 0;
    rv_protobuf_add_double(&text, 44, 1.0);
    CHECK(&text, "\xe1\x02\0\0\0\0\0\0\xf0\x3f");
    text.n = 0;
    rv_protobuf_add_string(&text, 2, "a\xffz");
    CHECK(&text, "\x12\x05"
                 "a\xef\xbf\xbdz");
    rv_text_buffer_fini(&text);
}

Test(protobuf, a_long_message_moves_to_make_room_for_its_length, .timeout = 60)
{
    static const size_t sizes[] = {0, 1, 127, 128, 129, 16383, 16384, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct rv_text_buffer text = {0};
        size_t outer = rv_protobuf_begin(&text, 1), inner = rv_protobuf_begin(&text, 2);
        for (size_t j = 0; j < sizes[i]; j++)
            rv_text_buffer_add_bytes(&text, (char[]){(char)(j * 7)}, 1);
        rv_protobuf_end(&text, inner);
        rv_protobuf_end(&text, outer);
        size_t at = 0, lengths[2];
        for (int level = 0; level < 2; level++) {
            cr_assert_eq((unsigned char)text.bytes[at++], level ? 0x12 : 0x0a);
            lengths[level] = 0;
            for (unsigned shift = 0;; shift += 7) {
                lengths[level] |= (size_t)(text.bytes[at] & 0x7f) << shift;
                if (!(text.bytes[at++] & 0x80))
                    break;
            }
            cr_assert_eq(lengths[level], level ? sizes[i] : text.n - at);
        }
        for (size_t j = 0; j < sizes[i]; j++)
            cr_assert_eq(text.bytes[at + j], (char)(j * 7));
        cr_assert_eq(at + sizes[i], text.n);
        rv_text_buffer_fini(&text);
    }
}
