/*
 * What the encoder and the decoder by AVX2 share: masks and sums of eight lanes, and the prediction contexts of a word
 * of 64 events.
 */
#ifndef RV_RECORDING_CODEC_AVX2_H
#define RV_RECORDING_CODEC_AVX2_H

#include <immintrin.h>

#include "recording/predictor.h"

enum { RV_AVX2_LANES = 8 };

/* Eight bytes as the places of a permutation. */
static inline __m256i rv_avx2_positions(uint64_t packed)
{
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)packed));
}

/* A byte of ones for each set bit of eight. */
static inline uint64_t rv_avx2_byte_mask(uint32_t mask)
{
    return _pdep_u64(mask, 0x0101010101010101) * 0xff;
}

/* For each mask of eight lanes, the permutation that compresses its set lanes, and the one that expands them. */
static inline __m256i rv_avx2_compress_index(uint32_t mask)
{
    return rv_avx2_positions(_pext_u64(0x0706050403020100, rv_avx2_byte_mask(mask)));
}

static inline __m256i rv_avx2_expand_index(uint32_t mask)
{
    return rv_avx2_positions(_pdep_u64(0x0706050403020100, rv_avx2_byte_mask(mask)));
}

/* All ones in the mask's set lanes. */
static inline __m256i rv_avx2_lane_mask(uint32_t mask)
{
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)mask), bits), bits);
}

/* Bitwise or of all lanes. */
static inline uint32_t rv_avx2_or_lanes(__m256i lanes)
{
    __m128i half = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    half = _mm_or_si128(half, _mm_srli_si128(half, 8));
    return (uint32_t)_mm_cvtsi128_si32(_mm_or_si128(half, _mm_srli_si128(half, 4)));
}

/* Prefix sums of eight steps. */
static inline __m256i rv_avx2_add_up(__m256i steps)
{
    steps = _mm256_add_epi32(steps, _mm256_slli_si256(steps, 4));
    steps = _mm256_add_epi32(steps, _mm256_slli_si256(steps, 8));
    __m256i of_low = _mm256_shuffle_epi32(_mm256_permute2x128_si256(steps, steps, 0x08), 0xff);
    return _mm256_add_epi32(steps, of_low);
}

/* The prediction contexts of a word's 64 events. contexts: room for them, at a multiple of 32. */
static inline void rv_avx2_find_contexts(struct rv_times *times, uint64_t kinds, const uint32_t *ids, uint8_t *contexts)
{
    const __m256i rotate = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6), own = _mm256_set1_epi32(1);
    const __m256i before = _mm256_set1_epi32(2), ids_part = _mm256_set1_epi32(3 << 2);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    uint64_t kinds_before = kinds << 1 | (times->recent & 1);
    __m256i id_before = _mm256_set1_epi32((int)times->id_before); /* in lane 0 */
    times->recent = (uint32_t)(kinds >> 63);
    times->id_before = ids[RV_KINDS_GROUP - 1];
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += 4 * RV_AVX2_LANES) {
        __m256i lanes[4];
        for (uint32_t k = 0; k < 4; k++, kinds >>= RV_AVX2_LANES, kinds_before >>= RV_AVX2_LANES) {
            __m256i moved =
                _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const void *)(ids + i + RV_AVX2_LANES * k)), rotate);
            __m256i shifted = _mm256_slli_epi32(_mm256_blend_epi32(moved, id_before, 1), 2);
            id_before = moved;
            lanes[k] = _mm256_or_si256(_mm256_and_si256(rv_avx2_lane_mask(kinds & 0xff), own),
                                       _mm256_and_si256(rv_avx2_lane_mask(kinds_before & 0xff), before));
            lanes[k] = _mm256_or_si256(lanes[k], _mm256_and_si256(shifted, ids_part));
        }
        __m256i packed =
            _mm256_packus_epi16(_mm256_packus_epi32(lanes[0], lanes[1]), _mm256_packus_epi32(lanes[2], lanes[3]));
        _mm256_store_si256((void *)(contexts + i), _mm256_permutevar8x32_epi32(packed, order));
    }
}

#endif
