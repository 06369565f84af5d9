/* xxHash inlined here, so that no other file compiles its header. */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t rv_hash_bytes(const void *data, size_t n_bytes)
{
    return XXH3_64bits(data, n_bytes);
}

uint64_t rv_hash_bytes_seeded(const void *data, size_t n_bytes, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, n_bytes, seed);
}

uint64_t rv_hash_combine(uint64_t hash, uint64_t value)
{
    return rv_hash_u64(hash ^ rv_hash_u64(value + 0x9e3779b97f4a7c15ull));
}
