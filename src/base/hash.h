/* Hashing by xxHash's XXH3, and a small mixer for integer keys. */
#ifndef RV_BASE_HASH_H
#define RV_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* 64-bit hashes: of bytes, with a seed, and of a hash followed by a value. */
uint64_t rv_hash_bytes(const void *data, size_t n_bytes);
uint64_t rv_hash_bytes_seeded(const void *data, size_t n_bytes, uint64_t seed);
uint64_t rv_hash_combine(uint64_t hash, uint64_t value);

/* A bijection on 64 bits with full avalanche (Murmur3's finalizer constants, public domain). */
static inline uint64_t rv_hash_u64(uint64_t value)
{
    value = (value ^ value >> 33) * 0xff51afd7ed558ccdull;
    value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53ull;
    return value ^ value >> 33;
}

#endif
