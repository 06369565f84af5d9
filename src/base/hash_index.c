#include "base/hash_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define MIN_CAPACITY 4u

uint32_t rv_hash_index_find(const struct rv_hash_index *index, uint64_t hash, rv_hash_index_equal_fn is_equal,
                            const void *context, const void *key)
{
    if (!index->capacity)
        return 0;
    size_t mask = index->capacity - 1;
    for (size_t i = hash & mask; index->slots[i].value; i = (i + 1) & mask)
        if (index->slots[i].hash == hash && is_equal(context, index->slots[i].value, key))
            return index->slots[i].value;
    return 0;
}

static void place(struct rv_hash_index *index, uint64_t hash, uint32_t value)
{
    size_t mask = index->capacity - 1;
    size_t i = hash & mask;
    while (index->slots[i].value)
        i = (i + 1) & mask;
    index->slots[i] = (struct rv_hash_index_slot){.hash = hash, .value = value};
}

void rv_hash_index_reserve(struct rv_hash_index *index, size_t n)
{
    const struct rv_hash_index old = *index;
    size_t capacity = old.capacity ? old.capacity : MIN_CAPACITY;
    while (n * 2 > capacity)
        capacity *= 2;
    if (capacity == old.capacity)
        return;
    index->capacity = capacity;
    index->slots = rv_alloc(capacity, sizeof *index->slots);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].value)
            place(index, old.slots[i].hash, old.slots[i].value);
    free(old.slots);
}

void rv_hash_index_put(struct rv_hash_index *index, uint64_t hash, uint32_t value)
{
    if ((index->n + 1) * 2 > index->capacity)
        rv_hash_index_reserve(index, index->n + 1);
    place(index, hash, value);
    index->n++;
}

void rv_hash_index_clear(struct rv_hash_index *index)
{
    if (index->n)
        memset(index->slots, 0, index->capacity * sizeof *index->slots);
    index->n = 0;
}

void rv_hash_index_fini(struct rv_hash_index *index)
{
    free(index->slots);
    *index = (struct rv_hash_index){0};
}
