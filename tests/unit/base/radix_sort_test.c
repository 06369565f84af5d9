#include "base/radix_sort.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"

/* Keys of any length, many of them equal; against the order of pairs of key and place. */
static void check(size_t n, uint64_t mask)
{
    struct rv_keyed_place *places = rv_alloc(n, sizeof *places);
    uint64_t *keys = rv_alloc(n, sizeof *keys);
    for (size_t i = 0; i < n; i++) {
        keys[i] = rv_hash_u64(i / 2 + mask) & mask;
        places[i] = (struct rv_keyed_place){keys[i], (uint32_t)i};
    }
    uint32_t *order = rv_radix_sort_take(places, n);
    for (size_t i = 1; i < n; i++) {
        const uint64_t before = keys[order[i - 1]], here = keys[order[i]];
        cr_assert(before < here || (before == here && order[i - 1] < order[i]), "%zu of %zu, mask %lx", i, n,
                  (unsigned long)mask);
    }
    free(order);
    free(keys);
}

Test(radix_sort, keys_rise_and_equal_ones_keep_their_order, .timeout = 60)
{
    static const uint64_t masks[] = {0, 1, 0x7ff, 0x800, UINT64_MAX, 0xffull << 56, 0x10000000001};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        for (size_t n = 0; n < 6000; n = 3 * n + 1)
            check(n, masks[i]);
}
