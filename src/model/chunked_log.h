/*
 * A log of fixed-size records, appended in order of a 64-bit key that never falls. It is held in chunks, so that
 * records never move and the oldest can be dropped. Every record starts with a uint32_t: its key minus its chunk's
 * base.
 *
 * Invariants: list[first .. n) are held; keys never fall within a chunk or between chunks; last - base fits 32 bits.
 */
#ifndef RV_MODEL_CHUNKED_LOG_H
#define RV_MODEL_CHUNKED_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_chunk {
    uint64_t base, last; /* keys of the first and the last record */
    uint64_t n_before;   /* records ever pushed before this chunk */
    unsigned char *items;
    uint32_t n, capacity;
};

struct rv_chunked_log {           /* set item_bytes, zero the rest */
    struct rv_chunk *list, *tail; /* tail: the last of the list or NULL */
    uint64_t n_dropped;           /* records dropped so far: those pushed before the list */
    size_t capacity;              /* of the list, chunks */
    size_t n_item_bytes_held;
    uint32_t first, n; /* chunks of the list in use: from first up to n */
    uint32_t item_bytes;
    uint32_t next_capacity;
};

struct rv_chunked_log_at { /* a place in the log; chunk == chunks->n: the end */
    size_t chunk;
    uint32_t item;
};

void rv_chunked_log_fini(struct rv_chunked_log *chunks);

/* Bytes held, headers included. */
size_t rv_chunked_log_bytes(const struct rv_chunked_log *chunks);

/* Slow path of rv_chunked_log_tail(): start a chunk at this key. */
void rv_chunked_log_begin(struct rv_chunked_log *chunks, uint64_t key);

/* The chunk that the next record of this key goes into; it has room for at least one. key >= the last one. */
static inline struct rv_chunk *rv_chunked_log_tail(struct rv_chunked_log *chunks, uint64_t key)
{
    struct rv_chunk *tail = chunks->tail;
    if (__builtin_expect(!tail || tail->n == tail->capacity || key - tail->base > UINT32_MAX, 0)) {
        rv_chunked_log_begin(chunks, key);
        tail = chunks->tail;
    }
    tail->last = key;
    return tail;
}

static inline bool rv_chunked_log_is_empty(const struct rv_chunked_log *chunks)
{
    return chunks->n == chunks->first;
}

/* The first record whose key is at least this one. */
struct rv_chunked_log_at rv_chunked_log_find(const struct rv_chunked_log *chunks, uint64_t key);

/* The same, searching from `at` on; cheap when it is near. */
struct rv_chunked_log_at rv_chunked_log_find_after(const struct rv_chunked_log *chunks, struct rv_chunked_log_at at,
                                                   uint64_t key);

/* Number of records ever pushed before this place, so differences count the records in between. */
uint64_t rv_chunked_log_ordinal(const struct rv_chunked_log *chunks, struct rv_chunked_log_at at);

/* The place of record number `ordinal`; the oldest one held if that was dropped. */
struct rv_chunked_log_at rv_chunked_log_nth(const struct rv_chunked_log *chunks, uint64_t ordinal);

/* Move *at to the previous record; false, with *at unchanged, when none is held. */
static inline bool rv_chunked_log_back(const struct rv_chunked_log *chunks, struct rv_chunked_log_at *at)
{
    if (at->item == 0) {
        if (at->chunk == chunks->first)
            return false;
        *at = (struct rv_chunked_log_at){at->chunk - 1, chunks->list[at->chunk - 1].n};
    }
    at->item--;
    return true;
}

/*
 * Walk from *at towards `end`, a chunk a step: sets the chunk's base key and its number of records, advances *at.
 *   returns  the first of these records; NULL when *at has reached end
 */
const void *rv_chunked_log_walk(const struct rv_chunked_log *chunks, struct rv_chunked_log_at *at,
                                struct rv_chunked_log_at end, uint64_t *base, uint32_t *n);

static inline struct rv_chunked_log_at rv_chunked_log_end(const struct rv_chunked_log *chunks)
{
    return (struct rv_chunked_log_at){chunks->n, 0};
}

/* The oldest chunk, except the one being filled; NULL when there is none. */
static inline const struct rv_chunk *rv_chunked_log_oldest_full(const struct rv_chunked_log *chunks)
{
    return chunks->n - chunks->first > 1 ? &chunks->list[chunks->first] : NULL;
}

/* The oldest chunk or NULL, for a log that is no longer appended to. */
static inline const struct rv_chunk *rv_chunked_log_oldest(const struct rv_chunked_log *chunks)
{
    return chunks->n > chunks->first ? &chunks->list[chunks->first] : NULL;
}

/* Free the unused part of the chunk being filled, when that is at least half of it. */
void rv_chunked_log_trim(struct rv_chunked_log *chunks);

/* Drop the oldest chunk; there must be one. Returns its records. */
uint32_t rv_chunked_log_drop_oldest(struct rv_chunked_log *chunks);

#endif
