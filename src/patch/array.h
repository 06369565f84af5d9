/* Arrays that grow, and are sorted by an address. */
#ifndef RV_PATCH_ARRAY_H
#define RV_PATCH_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* With room for one more than n; NULL: no memory, and the items stay as they are. */
static inline void *rv_patch_array_grown(void *items, size_t n, size_t *capacity, size_t item_bytes)
{
    if (n < *capacity)
        return items;
    const size_t more = *capacity ? 2 * *capacity : 256;
    void *larger = realloc(items, more * item_bytes);
    *capacity = larger ? more : *capacity;
    return larger;
}

/* Items are addresses, or begin with one. May be NULL when n is 0. Those that are sorted, or are two sorted runs, are
 * not sorted anew. */
void rv_patch_array_sort(void *items, size_t n, size_t item_bytes);

#endif
