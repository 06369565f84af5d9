/*
 * Encodes blocks of events into payloads of EVENTS chunks and back. The layout and the prediction rules are in
 * ringviz/recording.h.
 */
#ifndef RV_RECORDING_CODEC_H
#define RV_RECORDING_CODEC_H

#include "recording/column_compression.h"

struct rv_codec; /* working memory, 5 MiB of address space; for one thread */

struct rv_codec *rv_codec_create(void);
void rv_codec_destroy(struct rv_codec *codec);

/* Its compressor, for columns of other chunks. Valid until destroy. */
struct rv_compressor *rv_codec_compressor(struct rv_codec *codec);

/*
 * Append the payload of n events, 1 to RV_REC_MAX_EVENTS, to out.
 *   chunk    gets n_events, flags, first_ns, last_ns, end_level
 *   ordinal  number of events in the stream before these
 * Decoding yields the same events, with times mod 2^60. Events from rv_normalize() compress well.
 */
void rv_codec_encode(struct rv_codec *codec, const struct rv_event *events, uint32_t n, uint64_t ordinal,
                     struct rv_rec_chunk *chunk, struct rv_rec_buffer *out);

/*
 * Decode the chunk->n_events events of a payload.
 *   out      room for RV_REC_MAX_EVENTS
 *   returns  0, or -EBADMSG: not written by an encoder; then out is undefined
 */
int rv_codec_decode(struct rv_codec *codec, const struct rv_rec_chunk *chunk, const uint8_t *payload, size_t n_bytes,
                    struct rv_event *out);

#endif
