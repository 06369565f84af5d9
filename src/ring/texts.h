/*
 * The texts of a ring: bytes that its owner puts beside its events, each at the position that an event tells. A ring of
 * bytes, where room is taken before the event is written, so that handlers in between take theirs behind.
 *
 *   T1 -> T2  the consumer has copied a text before its tail passes it; the producer reads the tail before it
 *   overwrites T3 -> T4  the producer moves the head before it overwrites; the consumer copies, then reads the head
 *   again and
 *             discards what may have been overwritten
 * A text's bytes are written before its event is published (P1 -> C1).
 */
#ifndef RV_RING_TEXTS_H
#define RV_RING_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/ring.h"

struct rv_texts { /* a view, like struct rv_ring */
    struct rv_wire_header *header;
    struct rv_wire_control *control;
    uint8_t *bytes;
    uint32_t n_bytes; /* power of two; 0: the file has none */
    enum rv_policy policy;
    struct rv_map *map; /* the owner allocates pages through it */
    uint64_t tail;      /* the consumer's own */
};

/* The texts of a ring, for its owner or its consumer. Borrows the ring's map. */
void rv_texts_view(struct rv_texts *texts, const struct rv_ring *ring);

/*
 * Owner: room for a text of at most n_bytes, multiples of 8. A full ring of bytes waits where the policy is to block,
 * else the text is refused and counted.
 *   returns  where its struct rv_wire_text, with its position, is followed by n_bytes; NULL: refused
 *   thread   the ring's owner, handlers included; keeps errno
 */
struct rv_wire_text *rv_texts_take(const struct rv_texts *texts, uint32_t n_bytes);

/* Owner: it has become shorter. Gives room back unless a handler has taken what is behind. */
void rv_texts_shorten(const struct rv_texts *texts, const struct rv_wire_text *text, uint32_t n_bytes_taken);

/* Owner: a text is not written. */
void rv_texts_refuse(const struct rv_texts *texts);

/*
 * Consumer: copy the text at an event's position, and release all before its end.
 *   out      room for most bytes
 *   returns  false: there is none, or it has been overwritten
 */
bool rv_texts_read(struct rv_texts *texts, uint64_t position, struct rv_wire_text *head, uint8_t *out, size_t most);

/* Consumer: the head, and, once all events that were there then are read, release all before it. */
uint64_t rv_texts_head(const struct rv_texts *texts);
void rv_texts_release(struct rv_texts *texts, uint64_t head);

#endif
