/* Chunks double in size from FIRST_RECORDS to a slab: short lanes stay small, long ones have few headers. */
#include "model/chunked_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/slab.h"

#define FIRST_RECORDS 8u

static const uint32_t *record(const struct rv_chunked_log *chunks, const struct rv_chunk *chunk, uint32_t idx)
{
    return (const uint32_t *)(const void *)(chunk->items + (size_t)idx * chunks->item_bytes);
}

static uint32_t slab_records(const struct rv_chunked_log *chunks)
{
    return RV_SLAB_BYTES / chunks->item_bytes;
}

static void *take_items(struct rv_chunked_log *chunks, uint32_t n)
{
    size_t capacity = 0;
    chunks->n_item_bytes_held += (size_t)n * chunks->item_bytes;
    return n == slab_records(chunks) ? rv_slab_take() : rv_vec_reserve(NULL, &capacity, n, chunks->item_bytes);
}

static void give_items(struct rv_chunked_log *chunks, const struct rv_chunk *chunk)
{
    chunks->n_item_bytes_held -= (size_t)chunk->capacity * chunks->item_bytes;
    if (chunk->capacity == slab_records(chunks))
        rv_slab_give(chunk->items);
    else
        free(chunk->items);
}

/* A chunk that ends early, because its keys exceed 32 bits, frees its unused part. */
static void trim(struct rv_chunked_log *chunks, struct rv_chunk *chunk)
{
    if (chunk->n > chunk->capacity / 2)
        return;
    void *items = take_items(chunks, chunk->n);
    memcpy(items, chunk->items, (size_t)chunk->n * chunks->item_bytes);
    give_items(chunks, chunk);
    chunk->items = items;
    chunk->capacity = chunk->n;
}

void rv_chunked_log_begin(struct rv_chunked_log *chunks, uint64_t key)
{
    uint64_t n_before = chunks->n_dropped;
    struct rv_chunk *tail = chunks->tail;
    if (tail) {
        n_before = tail->n_before + tail->n;
        if (tail->n == tail->capacity)
            chunks->next_capacity *= 2;
        trim(chunks, tail);
    } else {
        chunks->next_capacity = FIRST_RECORDS;
    }
    if (chunks->next_capacity > slab_records(chunks))
        chunks->next_capacity = slab_records(chunks);
    chunks->list = rv_vec_reserve(chunks->list, &chunks->capacity, chunks->n + 1, sizeof *chunks->list);
    chunks->tail = &chunks->list[chunks->n++];
    *chunks->tail = (struct rv_chunk){.base = key,
                                      .last = key,
                                      .n_before = n_before,
                                      .items = take_items(chunks, chunks->next_capacity),
                                      .capacity = chunks->next_capacity};
}

void rv_chunked_log_trim(struct rv_chunked_log *chunks)
{
    if (chunks->tail)
        trim(chunks, chunks->tail);
}

void rv_chunked_log_fini(struct rv_chunked_log *chunks)
{
    for (size_t i = chunks->first; i < chunks->n; i++)
        give_items(chunks, &chunks->list[i]);
    free(chunks->list);
    *chunks = (struct rv_chunked_log){.item_bytes = chunks->item_bytes};
}

size_t rv_chunked_log_bytes(const struct rv_chunked_log *chunks)
{
    return chunks->n_item_bytes_held + chunks->capacity * sizeof *chunks->list;
}

/* The first of records [from, to) of a chunk whose key minus base is at least `wanted`, else `to`.
 */
static uint32_t search(const struct rv_chunked_log *chunks, const struct rv_chunk *chunk, uint32_t from, uint32_t to,
                       uint32_t wanted)
{
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (*record(chunks, chunk, middle) < wanted)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

struct rv_chunked_log_at rv_chunked_log_find(const struct rv_chunked_log *chunks, uint64_t key)
{
    size_t low = chunks->first, high = chunks->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (chunks->list[middle].last < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == chunks->n || key <= chunks->list[low].base)
        return (struct rv_chunked_log_at){low, 0};
    const struct rv_chunk *chunk = &chunks->list[low];
    return (struct rv_chunked_log_at){low, search(chunks, chunk, 0, chunk->n, (uint32_t)(key - chunk->base))};
}

struct rv_chunked_log_at rv_chunked_log_find_after(const struct rv_chunked_log *chunks, struct rv_chunked_log_at at,
                                                   uint64_t key)
{
    if (at.chunk == chunks->n)
        return at;
    const struct rv_chunk *chunk = &chunks->list[at.chunk];
    if (chunk->last < key)
        return rv_chunked_log_find(chunks, key);
    if (key <= chunk->base)
        return at;
    uint32_t wanted = (uint32_t)(key - chunk->base), from = at.item, step = 1;
    while (from + step < chunk->n && *record(chunks, chunk, from + step) < wanted) {
        from += step;
        step *= 2;
    }
    uint32_t to = from + step < chunk->n ? from + step : chunk->n;
    return (struct rv_chunked_log_at){at.chunk, search(chunks, chunk, from, to, wanted)};
}

uint64_t rv_chunked_log_ordinal(const struct rv_chunked_log *chunks, struct rv_chunked_log_at at)
{
    if (at.chunk < chunks->n)
        return chunks->list[at.chunk].n_before + at.item;
    return chunks->tail ? chunks->tail->n_before + chunks->tail->n : chunks->n_dropped;
}

struct rv_chunked_log_at rv_chunked_log_nth(const struct rv_chunked_log *chunks, uint64_t ordinal)
{
    size_t low = chunks->first, high = chunks->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (chunks->list[middle].n_before + chunks->list[middle].n <= ordinal)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == chunks->n || ordinal <= chunks->list[low].n_before)
        return (struct rv_chunked_log_at){low, 0};
    return (struct rv_chunked_log_at){low, (uint32_t)(ordinal - chunks->list[low].n_before)};
}

const void *rv_chunked_log_walk(const struct rv_chunked_log *chunks, struct rv_chunked_log_at *at,
                                struct rv_chunked_log_at end, uint64_t *base, uint32_t *n)
{
    while (at->chunk < chunks->n && at->chunk <= end.chunk) {
        const struct rv_chunk *chunk = &chunks->list[at->chunk];
        uint32_t first = at->item, last = at->chunk == end.chunk ? end.item : chunk->n;
        *at = (struct rv_chunked_log_at){at->chunk + 1, 0};
        if (first < last) {
            *base = chunk->base;
            *n = last - first;
            return record(chunks, chunk, first);
        }
    }
    return NULL;
}

uint32_t rv_chunked_log_drop_oldest(struct rv_chunked_log *chunks)
{
    struct rv_chunk *oldest = &chunks->list[chunks->first];
    uint32_t n = oldest->n;
    chunks->n_dropped = oldest->n_before + n;
    give_items(chunks, oldest);
    oldest->items = NULL;
    chunks->first++;
    if (chunks->first == chunks->n) {
        chunks->first = chunks->n = 0;
        chunks->tail = NULL;
    } else if (chunks->first > 16 && chunks->first > chunks->n / 2) {
        memmove(chunks->list, chunks->list + chunks->first, (chunks->n - chunks->first) * sizeof *chunks->list);
        chunks->n -= chunks->first;
        chunks->first = 0;
        chunks->tail = &chunks->list[chunks->n - 1];
    }
    return n;
}
