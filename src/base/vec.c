/* Arrays that double. Running out of memory prints one line and ends the program. */
#include "base/vec.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define ALIGNMENT 64u
#define FIRST_CAPACITY 16u

static _Noreturn void no_memory(size_t n, size_t item_bytes)
{
    (void)rv_err(ENOMEM, "out of memory: %zu items of %zu bytes", n, item_bytes);
    exit(1);
}

/* A multiple of the alignment, at least the size of the items. */
static size_t aligned_bytes(size_t n, size_t item_bytes)
{
    size_t n_bytes;
    if (__builtin_mul_overflow(n, item_bytes, &n_bytes) || n_bytes > SIZE_MAX - ALIGNMENT)
        no_memory(n, item_bytes);
    return n_bytes ? (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
}

void *rv_alloc_scratch(size_t n, size_t item_bytes)
{
    void *memory = aligned_alloc(ALIGNMENT, aligned_bytes(n, item_bytes));
    if (!memory)
        no_memory(n, item_bytes);
    return memory;
}

void *rv_alloc(size_t n, size_t item_bytes)
{
    return memset(rv_alloc_scratch(n, item_bytes), 0, aligned_bytes(n, item_bytes));
}

void *rv_vec_reserve(void *items, size_t *capacity, size_t need, size_t item_bytes)
{
    if (items && need <= *capacity)
        return items;

    size_t grown = items ? *capacity : 0;
    if (grown < FIRST_CAPACITY)
        grown = FIRST_CAPACITY;
    while (grown < need)
        grown = grown > SIZE_MAX / 2 ? need : grown * 2;

    size_t n_bytes;
    if (__builtin_mul_overflow(grown, item_bytes, &n_bytes))
        no_memory(grown, item_bytes);
    void *moved = realloc(items, n_bytes);
    if (!moved)
        no_memory(grown, item_bytes);
    *capacity = grown;
    return moved;
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
    size_t n_bytes = strlen(string) + 1;
    return memcpy(rv_alloc(n_bytes, 1), string, n_bytes);
}
