#include "symbols/string_pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

#define CHUNK_BYTES (64u << 10)

struct text {
    const char *bytes;
    size_t n_bytes;
};

static bool is_same_text(const void *context, uint32_t value, const void *key)
{
    const struct rv_string_pool *pool = context;
    const struct text *text = key;
    const char *kept = pool->strings[value - 1];
    return strncmp(kept, text->bytes, text->n_bytes) == 0 && kept[text->n_bytes] == '\0';
}

static char *take_room(struct rv_string_pool *pool, size_t n_bytes)
{
    if (n_bytes > pool->room_bytes) {
        size_t chunk_bytes = n_bytes > CHUNK_BYTES / 4 ? n_bytes : CHUNK_BYTES;
        char *chunk = rv_alloc_scratch(chunk_bytes, 1);
        pool->chunks = rv_vec_reserve(pool->chunks, &pool->chunk_capacity, pool->n_chunks + 1, sizeof *pool->chunks);
        pool->chunks[pool->n_chunks++] = chunk;
        if (chunk_bytes == n_bytes)
            return chunk;
        pool->room = chunk;
        pool->room_bytes = chunk_bytes;
    }
    char *room = pool->room;
    pool->room += n_bytes;
    pool->room_bytes -= n_bytes;
    return room;
}

const char *rv_string_pool_find(const struct rv_string_pool *pool, const char *text)
{
    const struct text key = {text, strlen(text)};
    const uint64_t hash = rv_hash_bytes(text, key.n_bytes);
    const uint32_t found = rv_hash_index_find(&pool->index, hash, is_same_text, pool, &key);
    return found ? pool->strings[found - 1] : NULL;
}

const char *rv_string_pool_keep(struct rv_string_pool *pool, const char *text, size_t n_bytes)
{
    n_bytes = strnlen(text, n_bytes);
    struct text key = {text, n_bytes};
    uint64_t hash = rv_hash_bytes(text, n_bytes);
    uint32_t found = rv_hash_index_find(&pool->index, hash, is_same_text, pool, &key);
    if (found)
        return pool->strings[found - 1];
    char *copy = take_room(pool, n_bytes + 1);
    memcpy(copy, text, n_bytes);
    copy[n_bytes] = '\0';
    pool->strings = rv_vec_reserve(pool->strings, &pool->capacity, pool->n + 1, sizeof *pool->strings);
    pool->strings[pool->n++] = copy;
    rv_hash_index_put(&pool->index, hash, (uint32_t)pool->n);
    return copy;
}

void rv_string_pool_fini(struct rv_string_pool *pool)
{
    for (size_t i = 0; i < pool->n_chunks; i++)
        free(pool->chunks[i]);
    free(pool->chunks);
    free((void *)pool->strings);
    rv_hash_index_fini(&pool->index);
    *pool = (struct rv_string_pool){0};
}
