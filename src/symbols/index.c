#include "symbols/index.h"

#include <stdlib.h>

#include "base/vec.h"

struct rv_index_slot {
    uint64_t hash;
    uint32_t value; /* 0 = free */
};

#define MIN_CAPACITY 64u

uint32_t rv_index_find(const struct rv_index *index, uint64_t hash, rv_index_equal_fn is_equal, const void *context,
                       const void *key)
{
    if (!index->capacity)
        return 0;
    size_t mask = index->capacity - 1;
    for (size_t i = hash & mask; index->slots[i].value; i = (i + 1) & mask)
        if (index->slots[i].hash == hash && is_equal(context, index->slots[i].value, key))
            return index->slots[i].value;
    return 0;
}

static void place(struct rv_index *index, uint64_t hash, uint32_t value)
{
    size_t mask = index->capacity - 1;
    size_t i = hash & mask;
    while (index->slots[i].value)
        i = (i + 1) & mask;
    index->slots[i] = (struct rv_index_slot){.hash = hash, .value = value};
}

static void grow(struct rv_index *index)
{
    struct rv_index old = *index;
    index->capacity = old.capacity ? old.capacity * 2 : MIN_CAPACITY;
    index->slots = rv_alloc(index->capacity, sizeof *index->slots);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].value)
            place(index, old.slots[i].hash, old.slots[i].value);
    free(old.slots);
}

void rv_index_put(struct rv_index *index, uint64_t hash, uint32_t value)
{
    if ((index->n + 1) * 2 > index->capacity)
        grow(index);
    place(index, hash, value);
    index->n++;
}

void rv_index_fini(struct rv_index *index)
{
    free(index->slots);
    *index = (struct rv_index){0};
}
