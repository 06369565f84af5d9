/*
 * Protocol Buffers' wire format, appended to a text buffer: varints, fixed64, strings, nested messages, always in the
 * shortest encoding.
 */
#ifndef RV_EXPORT_PROTOBUF_H
#define RV_EXPORT_PROTOBUF_H

#include "export/text_buffer.h"

/* Append a field with its tag; double, fixed: 64 bits. */
void rv_protobuf_add_varint(struct rv_text_buffer *text, uint32_t field, uint64_t value);
void rv_protobuf_add_fixed(struct rv_text_buffer *text, uint32_t field, uint64_t value);
void rv_protobuf_add_double(struct rv_text_buffer *text, uint32_t field, double value);

/* As UTF-8: invalid bytes become U+FFFD. */
void rv_protobuf_add_string(struct rv_text_buffer *text, uint32_t field, const char *string);

/*
 * Begin a nested message: everything added until rv_protobuf_end() is its content.
 *   returns  the argument for rv_protobuf_end()
 */
size_t rv_protobuf_begin(struct rv_text_buffer *text, uint32_t field);
void rv_protobuf_end(struct rv_text_buffer *text, size_t mark);

#endif
