/*
 * A hash index: 64-bit hashes to non-zero 32-bit values, whose keys the caller stores. Nothing is ever removed.
 * One writer; readers on other threads need the writer's lock.
 */
#ifndef RV_SYMBOLS_INDEX_H
#define RV_SYMBOLS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_index { /* zero = empty */
    struct rv_index_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t n;
};

/* Does the value's key equal *key? */
typedef bool (*rv_index_equal_fn)(const void *context, uint32_t value, const void *key);

/* The value with this hash and an equal key, or 0. */
uint32_t rv_index_find(const struct rv_index *index, uint64_t hash, rv_index_equal_fn is_equal, const void *context,
                       const void *key);

/* Add a value under a hash; value != 0. Of equal keys, the first one is found. */
void rv_index_put(struct rv_index *index, uint64_t hash, uint32_t value);

void rv_index_fini(struct rv_index *index);

#endif
