/* Arrays that double. */
#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define ALIGNMENT 64u
#define FIRST_CAPACITY 16u /* of small items; */
#define FIRST_BYTES 256u   /* of larger ones: thousands of lanes have few of each */

/* More than an object can have is refused as all else is. */
static size_t items_bytes(size_t n, size_t item_bytes)
{
    size_t n_bytes;
    for (unsigned n_tries = 0; __builtin_mul_overflow(n, item_bytes, &n_bytes) || n_bytes > PTRDIFF_MAX - ALIGNMENT;
         n_tries++)
        rv_memory_refused(SIZE_MAX, n_tries);
    return n_bytes;
}

/* A multiple of the alignment, at least the size of the items. */
static size_t aligned_bytes(size_t n, size_t item_bytes)
{
    size_t n_bytes = items_bytes(n, item_bytes);
    return n_bytes ? (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
}

void *rv_alloc_scratch(size_t n, size_t item_bytes)
{
    size_t n_bytes = aligned_bytes(n, item_bytes);
    void *memory;
    for (unsigned n_tries = 0; !(memory = aligned_alloc(ALIGNMENT, n_bytes)); n_tries++)
        rv_memory_refused(n_bytes, n_tries);
    return memory;
}

void *rv_alloc(size_t n, size_t item_bytes)
{
    return memset(rv_alloc_scratch(n, item_bytes), 0, aligned_bytes(n, item_bytes));
}

void *rv_alloc_sparse(size_t n, size_t item_bytes)
{
    size_t n_bytes = aligned_bytes(n, item_bytes);
    void *memory;
    for (unsigned n_tries = 0; !(memory = calloc(1, n_bytes)); n_tries++)
        rv_memory_refused(n_bytes, n_tries);
    return memory;
}

void *rv_realloc(void *memory, size_t n_bytes)
{
    void *moved;
    for (unsigned n_tries = 0; !(moved = realloc(memory, n_bytes)); n_tries++)
        rv_memory_refused(n_bytes, n_tries);
    return moved;
}

static size_t first_capacity(size_t item_bytes)
{
    const size_t n = FIRST_BYTES / item_bytes;
    return n > FIRST_CAPACITY ? FIRST_CAPACITY : n > 0 ? n : 1;
}

void *rv_vec_reserve(void *items, size_t *capacity, size_t need, size_t item_bytes)
{
    if (items && need <= *capacity)
        return items;

    size_t grown = items ? *capacity : 0;
    if (grown < first_capacity(item_bytes))
        grown = first_capacity(item_bytes);
    while (grown < need)
        grown = grown > SIZE_MAX / 2 ? need : grown * 2;

    items = rv_realloc(items, items_bytes(grown, item_bytes));
    *capacity = grown;
    return items;
}

void *rv_vec_extend(void *items, size_t *n, size_t need, size_t item_bytes)
{
    size_t n_before = items ? *n : 0;
    char *extended = rv_vec_reserve(items, n, need, item_bytes);
    memset(extended + n_before * item_bytes, 0, (*n - n_before) * item_bytes);
    return extended;
}

char *rv_strdup(const char *string)
{
    return rv_strndup(string, strlen(string));
}

char *rv_strndup(const char *string, size_t most)
{
    size_t n_bytes = strnlen(string, most);
    char *copy = memcpy(rv_alloc_scratch(n_bytes + 1, 1), string, n_bytes);
    copy[n_bytes] = '\0';
    return copy;
}
