/*
 * Looking for a place among items that stand in rising order of a key.
 */
#ifndef RV_BASE_BISECT_H
#define RV_BASE_BISECT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Of n items of item_bytes each, with a uint64_t at key_offset, how many have a key that is not above `most`: the last
 * of them stands in front of the place that this is.
 *   items    may be NULL when n is 0
 *   returns  0 .. n, after log2(n) looks
 */
size_t rv_bisect_count(const void *items, size_t n, size_t item_bytes, size_t key_offset, uint64_t most);

/* The same for keys that are below this. */
size_t rv_bisect_below(const void *items, size_t n, size_t item_bytes, size_t key_offset, uint64_t key);

#endif
