/*
 * Blocks of events to the payloads of EVENTS chunks and back. The layout and the rules of prediction stand in
 * ringviz/recording.h.
 */
#ifndef RV_RECORDING_CODEC_H
#define RV_RECORDING_CODEC_H

#include "recording/column.h"

struct rv_codec; /* working memory, 5 MiB of which what is used takes room: one thread's */

struct rv_codec *rv_codec_create(void);
void rv_codec_destroy(struct rv_codec *codec);

/*
 * Append the payload of n events, 1 to RV_REC_MAX_EVENTS, to out.
 *   chunk    gets n_events, flags, first_ns, last_ns, end_level
 *   ordinal  events of the stream before these
 * Any events come back as they were, their times mod 2^60; normalized ones are small.
 */
void rv_codec_encode(struct rv_codec *codec, const struct rv_event *events, uint32_t n, uint64_t ordinal,
                     struct rv_rec_chunk *chunk, struct rv_rec_buffer *out);

/*
 * The events of a payload, chunk->n_events of them.
 *   out      room for RV_REC_MAX_EVENTS
 *   returns  0, or -EBADMSG: not what an encoder writes; out may then hold anything
 */
int rv_codec_decode(struct rv_codec *codec, const struct rv_rec_chunk *chunk, const uint8_t *payload, size_t n_bytes,
                    struct rv_event *out);

#endif
