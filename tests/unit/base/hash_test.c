#include "base/hash.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(hash, .timeout = 60);

Test(hash, bytes_hash_as_by_xxh3)
{
    /* The published value of XXH3_64bits of nothing. */
    cr_assert_eq(rv_hash_bytes("", 0), 0x2d06800538d394c2ull);
    cr_assert_eq(rv_hash_bytes("main", 4), rv_hash_bytes("main\0x", 4));
    cr_assert_neq(rv_hash_bytes("main", 4), rv_hash_bytes("main", 5));
}

/* Flipping any bit of the input flips about half of the output. */
Test(hash, integers_avalanche)
{
    for (int bit = 0; bit < 64; bit++) {
        int n_flipped = 0;
        for (uint64_t value = 0; value < 1000; value++)
            n_flipped += __builtin_popcountll(rv_hash_u64(value) ^ rv_hash_u64(value ^ 1ull << bit));
        cr_assert(n_flipped > 30000 && n_flipped < 34000, "bit %d flips %d of 64000", bit, n_flipped);
    }
}

Test(hash, combining_depends_on_the_order)
{
    uint64_t ab = rv_hash_combine(rv_hash_combine(0, 1), 2);
    uint64_t ba = rv_hash_combine(rv_hash_combine(0, 2), 1);
    cr_assert_neq(ab, ba);
    cr_assert_neq(rv_hash_combine(0, 0), 0);
}
