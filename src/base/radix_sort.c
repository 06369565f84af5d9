/* By the digits of keys, from the lowest on; digits in which no two keys differ are left out. */
#include "base/radix_sort.h"

#include <stdlib.h>

#include "base/vec.h"

#define RADIX_BITS 11u
#define RADIX_VALUES (1u << RADIX_BITS)

static void sort_digit(const struct rv_keyed_place *from, struct rv_keyed_place *to, size_t n, unsigned shift)
{
    size_t begins[RADIX_VALUES + 1] = {0};
    for (size_t i = 0; i < n; i++)
        begins[(from[i].key >> shift & (RADIX_VALUES - 1)) + 1]++;
    for (size_t i = 0; i < RADIX_VALUES; i++)
        begins[i + 1] += begins[i];
    for (size_t i = 0; i < n; i++)
        to[begins[from[i].key >> shift & (RADIX_VALUES - 1)]++] = from[i];
}

uint32_t *rv_radix_sort_take(struct rv_keyed_place *places, size_t n)
{
    uint64_t differing = 0;
    for (size_t i = 1; i < n; i++)
        differing |= places[i].key ^ places[0].key;
    struct rv_keyed_place *sorted = rv_alloc_scratch(n, sizeof *sorted);
    for (unsigned shift = 0; shift < 64; shift += RADIX_BITS) {
        if ((differing >> shift & (RADIX_VALUES - 1)) == 0)
            continue;
        sort_digit(places, sorted, n, shift);
        struct rv_keyed_place *other = places;
        places = sorted;
        sorted = other;
    }
    uint32_t *order = rv_alloc_scratch(n, sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = places[i].place;
    free(places);
    free(sorted);
    return order;
}
