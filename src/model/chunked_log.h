/*
 * A log of fixed-size records, appended in order of a 64-bit key that never falls, held in chunks so that nothing moves
 * and the oldest can be dropped. The first member of every record is a uint32_t: its key less its chunk's base.
 *
 * Invariants: list[first .. n) are held; keys rise within a chunk and from chunk to chunk; last - base fits 32 bits.
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
    struct rv_chunk *list, *tail; /* tail: the last of the list, NULL where there is none */
    uint64_t n_dropped;           /* records pushed before the list, where it is empty */
    size_t first, n, capacity;
    size_t n_item_bytes_held;
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

/* Out of line half of rv_chunked_log_tail(): begins a chunk at this key. */
void rv_chunked_log_begin(struct rv_chunked_log *chunks, uint64_t key);

/* The chunk that the next record of this key goes into; it has room for one at least. key >= the last one. */
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

/* The first record whose key is at least this one. */
struct rv_chunked_log_at rv_chunked_log_find(const struct rv_chunked_log *chunks, uint64_t key);

/* The same, not before `at`; cheap where it is near. */
struct rv_chunked_log_at rv_chunked_log_find_after(const struct rv_chunked_log *chunks, struct rv_chunked_log_at at,
                                                   uint64_t key);

/* How many records were ever pushed before this place: differences count records between two places. */
uint64_t rv_chunked_log_ordinal(const struct rv_chunked_log *chunks, struct rv_chunked_log_at at);

/* The place that this many records were pushed before; the oldest held where that one is gone. */
struct rv_chunked_log_at rv_chunked_log_nth(const struct rv_chunked_log *chunks, uint64_t ordinal);

/* The record before this place; false, and nothing moves, where none is held. */
bool rv_chunked_log_back(const struct rv_chunked_log *chunks, struct rv_chunked_log_at *at);

/*
 * Walk from *at towards `end`, a chunk a step: sets the chunk's base key and how many records lie there, moves *at.
 *   returns  the first of them; NULL when *at has reached end
 */
const void *rv_chunked_log_walk(const struct rv_chunked_log *chunks, struct rv_chunked_log_at *at,
                                struct rv_chunked_log_at end, uint64_t *base, uint32_t *n);

static inline struct rv_chunked_log_at rv_chunked_log_end(const struct rv_chunked_log *chunks)
{
    return (struct rv_chunked_log_at){chunks->n, 0};
}

/* The oldest chunk when there is one besides the one being filled, else NULL. */
static inline const struct rv_chunk *rv_chunked_log_oldest_full(const struct rv_chunked_log *chunks)
{
    return chunks->n - chunks->first > 1 ? &chunks->list[chunks->first] : NULL;
}

/* The same of all that there are, for a log that nothing more is pushed to. */
static inline const struct rv_chunk *rv_chunked_log_oldest(const struct rv_chunked_log *chunks)
{
    return chunks->n > chunks->first ? &chunks->list[chunks->first] : NULL;
}

/* Give back what the chunk being filled did not fill, where that is half of it or more. */
void rv_chunked_log_trim(struct rv_chunked_log *chunks);

/* Drop the oldest chunk; there must be one. Returns its records. */
uint32_t rv_chunked_log_drop_oldest(struct rv_chunked_log *chunks);

#endif
