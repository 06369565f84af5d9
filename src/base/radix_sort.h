/* Sorts places by 64-bit keys: many at once, in time proportional to their number. */
#ifndef RV_BASE_RADIX_SORT_H
#define RV_BASE_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

struct rv_keyed_place {
    uint64_t key;
    uint32_t place;
};

/* The n places in rising order of their keys, those of equal keys in the given order. Frees the argument; for
 * free(). */
uint32_t *rv_radix_sort_take(struct rv_keyed_place *places, size_t n);

#endif
