/*
 * Protocol Buffers' wire format, written at the end of a text: varints, fixed 64 bits, strings, nested messages. The
 * shortest encoding always.
 */
#ifndef RV_EXPORT_PROTOBUF_H
#define RV_EXPORT_PROTOBUF_H

#include "export/text_buffer.h"

void rv_proto_add_varint(struct rv_text_buffer *text, uint32_t field, uint64_t value);
void rv_proto_add_double(struct rv_text_buffer *text, uint32_t field, double value);

/* In UTF-8: what is not becomes U+FFFD. */
void rv_proto_add_string(struct rv_text_buffer *text, uint32_t field, const char *string);

/*
 * A message in a message: what is added between the two is its content. They nest.
 *   returns  what rv_proto_end() wants
 */
size_t rv_proto_begin(struct rv_text_buffer *text, uint32_t field);
void rv_proto_end(struct rv_text_buffer *text, size_t mark);

#endif
