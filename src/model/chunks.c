/* Chunks double from FIRST_RECORDS to MOST_RECORDS, so that a short lane stays small and a long one has few headers. */
#include "model/chunks.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define FIRST_RECORDS 32u
#define MOST_RECORDS 4096u

static const uint32_t *record(const struct rv_chunks *chunks, const struct rv_chunk *chunk, uint32_t idx)
{
    return (const uint32_t *)(const void *)(chunk->items + (size_t)idx * chunks->item_bytes);
}

/* A chunk that ends early, because its keys ran out of 32 bits, gives back what it did not fill. */
static void trim(struct rv_chunks *chunks, struct rv_chunk *chunk)
{
    if (chunk->n == chunk->capacity)
        return;
    unsigned char *items = realloc(chunk->items, (size_t)chunk->n * chunks->item_bytes);
    if (!items)
        return;
    chunks->n_item_bytes_held -= (size_t)(chunk->capacity - chunk->n) * chunks->item_bytes;
    chunk->items = items;
    chunk->capacity = chunk->n;
}

void rv_chunks_begin(struct rv_chunks *chunks, uint64_t key)
{
    uint64_t n_before = 0;
    struct rv_chunk *tail = chunks->tail;
    if (tail) {
        n_before = tail->n_before + tail->n;
        if (tail->n == tail->capacity && chunks->next_capacity < MOST_RECORDS)
            chunks->next_capacity *= 2;
        trim(chunks, tail);
    } else {
        chunks->next_capacity = FIRST_RECORDS;
    }
    chunks->list = rv_vec_reserve(chunks->list, &chunks->capacity, chunks->n + 1, sizeof *chunks->list);
    size_t capacity = 0;
    void *items = rv_vec_reserve(NULL, &capacity, chunks->next_capacity, chunks->item_bytes);
    chunks->list[chunks->n++] = (struct rv_chunk){
        .base = key, .last = key, .n_before = n_before, .items = items, .capacity = chunks->next_capacity};
    chunks->tail = &chunks->list[chunks->n - 1];
    chunks->n_item_bytes_held += (size_t)chunks->next_capacity * chunks->item_bytes;
}

void rv_chunks_fini(struct rv_chunks *chunks)
{
    for (size_t i = chunks->first; i < chunks->n; i++)
        free(chunks->list[i].items);
    free(chunks->list);
    *chunks = (struct rv_chunks){.item_bytes = chunks->item_bytes};
}

size_t rv_chunks_bytes(const struct rv_chunks *chunks)
{
    return chunks->n_item_bytes_held + chunks->capacity * sizeof *chunks->list;
}

struct rv_chunks_at rv_chunks_find(const struct rv_chunks *chunks, uint64_t key)
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
        return (struct rv_chunks_at){low, 0};

    const struct rv_chunk *chunk = &chunks->list[low];
    uint32_t wanted = (uint32_t)(key - chunk->base), from = 0, to = chunk->n;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (*record(chunks, chunk, middle) < wanted)
            from = middle + 1;
        else
            to = middle;
    }
    return (struct rv_chunks_at){low, from};
}

uint64_t rv_chunks_ordinal(const struct rv_chunks *chunks, struct rv_chunks_at at)
{
    if (at.chunk < chunks->n)
        return chunks->list[at.chunk].n_before + at.item;
    return chunks->tail ? chunks->tail->n_before + chunks->tail->n : 0;
}

const void *rv_chunks_walk(const struct rv_chunks *chunks, struct rv_chunks_at *at, struct rv_chunks_at end,
                           uint64_t *base, uint32_t *n)
{
    while (at->chunk < chunks->n && at->chunk <= end.chunk) {
        const struct rv_chunk *chunk = &chunks->list[at->chunk];
        uint32_t first = at->item, last = at->chunk == end.chunk ? end.item : chunk->n;
        *at = (struct rv_chunks_at){at->chunk + 1, 0};
        if (first < last) {
            *base = chunk->base;
            *n = last - first;
            return record(chunks, chunk, first);
        }
    }
    return NULL;
}

uint32_t rv_chunks_drop_oldest(struct rv_chunks *chunks)
{
    struct rv_chunk *oldest = &chunks->list[chunks->first];
    uint32_t n = oldest->n;
    chunks->n_item_bytes_held -= (size_t)oldest->capacity * chunks->item_bytes;
    free(oldest->items);
    oldest->items = NULL;
    chunks->first++;
    if (chunks->first > 16 && chunks->first > chunks->n / 2) {
        memmove(chunks->list, chunks->list + chunks->first, (chunks->n - chunks->first) * sizeof *chunks->list);
        chunks->n -= chunks->first;
        chunks->first = 0;
        chunks->tail = &chunks->list[chunks->n - 1];
    }
    return n;
}
