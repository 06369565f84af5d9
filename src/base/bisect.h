/* Binary search in an array sorted by a 64-bit key. */
#ifndef RV_BASE_BISECT_H
#define RV_BASE_BISECT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Of n items of item_bytes each, sorted by the uint64_t at key_offset, the number whose key is <= most: the index after
 * the last of them.
 *   items    may be NULL when n is 0
 *   returns  0 .. n, in log2(n) steps
 */
size_t rv_bisect_count(const void *items, size_t n, size_t item_bytes, size_t key_offset, uint64_t most);

/* The same for keys < key. */
size_t rv_bisect_below(const void *items, size_t n, size_t item_bytes, size_t key_offset, uint64_t key);

#endif
