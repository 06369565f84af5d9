/*
 * A hash index: 64-bit hashes to non-zero 32-bit values, by open addressing, at most half full. Values are not removed
 * one by one. A key of 64 bits is known by its hash alone, which is a bijection; what other keys are, the caller knows.
 * One writer; readers on other threads need the writer's lock.
 */
#ifndef RV_BASE_HASH_INDEX_H
#define RV_BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct rv_hash_index_slot {
    uint64_t hash;
    uint32_t value; /* 0 = free */
};

struct rv_hash_index { /* zero = empty */
    struct rv_hash_index_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t n;
};

/* Does the value's key equal *key? */
typedef bool (*rv_hash_index_equal_fn)(const void *context, uint32_t value, const void *key);

/* The value with this hash and an equal key, or 0. */
uint32_t rv_hash_index_find(const struct rv_hash_index *index, uint64_t hash, rv_hash_index_equal_fn is_equal,
                            const void *context, const void *key);

/* Add a value under a hash; value != 0. Of equal keys, the first one is found. */
void rv_hash_index_put(struct rv_hash_index *index, uint64_t hash, uint32_t value);

/* The value of a key, to be read or to be changed to another than 0, until the next put; NULL: it has none. */
static inline uint32_t *rv_hash_index_at(const struct rv_hash_index *index, uint64_t key)
{
    const uint64_t hash = rv_hash_u64(key);
    const size_t mask = index->capacity - 1;
    for (size_t i = hash & mask; index->capacity && index->slots[i].value; i = (i + 1) & mask)
        if (index->slots[i].hash == hash)
            return &index->slots[i].value;
    return NULL;
}

/* The value of a key, or 0. */
static inline uint32_t rv_hash_index_get(const struct rv_hash_index *index, uint64_t key)
{
    const uint32_t *value = rv_hash_index_at(index, key);
    return value ? *value : 0;
}

/* Have the slot of a hash read from memory, for a look at it soon. */
static inline void rv_hash_index_prefetch(const struct rv_hash_index *index, uint64_t hash)
{
    if (index->capacity)
        __builtin_prefetch(&index->slots[hash & (index->capacity - 1)]);
}

/* The first value with this hash, or 0: whether its key is the wanted one, the caller has to see. */
static inline uint32_t rv_hash_index_first(const struct rv_hash_index *index, uint64_t hash)
{
    const size_t mask = index->capacity - 1;
    for (size_t i = hash & mask; index->capacity && index->slots[i].value; i = (i + 1) & mask)
        if (index->slots[i].hash == hash)
            return index->slots[i].value;
    return 0;
}

/* Make room for so many values in all. */
void rv_hash_index_reserve(struct rv_hash_index *index, size_t n);

/* Add the value of a key that has none; value != 0. */
static inline void rv_hash_index_add(struct rv_hash_index *index, uint64_t key, uint32_t value)
{
    rv_hash_index_put(index, rv_hash_u64(key), value);
}

/* Forget all values, keep the room. */
void rv_hash_index_clear(struct rv_hash_index *index);

void rv_hash_index_fini(struct rv_hash_index *index);

#endif
