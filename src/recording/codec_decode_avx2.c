/*
 * Decodes words of 64 ordinary events with AVX2, eight events per step. Only the name at each level is handled one event
 * at a time, because it goes through memory.
 */
#include "recording/codec_avx2.h"

static void gather_times(struct rv_times *times, uint64_t kinds, const uint32_t *ids, uint8_t *low)
{
    _Alignas(32) uint8_t contexts[RV_KINDS_GROUP];
    rv_avx2_find_contexts(times, kinds, ids, contexts);
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i++)
        low[i] = *times->at[contexts[i]]++;
}

/* The tags of a word, which follow from the kinds. Returns their bitwise or. */
static uint32_t take_frames(uint64_t kinds, uint32_t level, uint32_t *frames)
{
    __m256i levels = _mm256_setzero_si256();
    const __m256i ones = _mm256_set1_epi32(1), all = _mm256_set1_epi32(-1), tag = _mm256_set1_epi32(UINT16_MAX);
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += RV_AVX2_LANES, kinds >>= RV_AVX2_LANES) {
        __m256i is_return = rv_avx2_lane_mask(kinds & 0xff);
        __m256i sums = rv_avx2_add_up(_mm256_or_si256(is_return, ones));       /* 1 up, or -1 */
        __m256i above = _mm256_add_epi32(sums, _mm256_set1_epi32((int)level)); /* the level after the event */
        above = _mm256_add_epi32(above, _mm256_andnot_si256(is_return, all));
        above = _mm256_and_si256(above, tag);
        levels = _mm256_or_si256(levels, above);
        _mm256_store_si256((void *)(frames + i), above);
        level += RV_AVX2_LANES - 2 * (uint32_t)__builtin_popcount((uint32_t)kinds & 0xff);
    }
    return rv_avx2_or_lanes(levels);
}

/* The ids of the CALLs expanded to their positions, 0 for RETURNs. */
static uint32_t take_ids(uint64_t kinds, const uint32_t *ids, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += RV_AVX2_LANES, kinds >>= RV_AVX2_LANES) {
        uint32_t calls = ~(uint32_t)kinds & 0xff;
        __m256i packed = _mm256_loadu_si256((const void *)(ids + n));
        __m256i spread = _mm256_permutevar8x32_epi32(packed, rv_avx2_expand_index(calls));
        _mm256_storeu_si256((void *)(out + i), _mm256_and_si256(spread, rv_avx2_lane_mask(calls)));
        n += (uint32_t)__builtin_popcount(calls);
    }
    return n;
}

/*
 * The names of RETURNs. Each load is from a selected address rather than one of two loaded values being selected:
 * otherwise a CALL would wait for a name that it does not need, stored by the RETURN before it.
 *   names  by level, followed by the ids of the CALLs
 */
static void take_return_names(uint64_t kinds, uint32_t *names, const uint32_t *frames, uint32_t *ids)
{
    _Alignas(32) uint32_t from[RV_KINDS_GROUP];
    __m256i own = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(RV_PREDICTOR_LEVELS));
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += RV_AVX2_LANES, kinds >>= RV_AVX2_LANES) {
        __m256i levels = _mm256_load_si256((const void *)(frames + i));
        _mm256_store_si256((void *)(from + i), _mm256_blendv_epi8(own, levels, rv_avx2_lane_mask(kinds & 0xff)));
        own = _mm256_add_epi32(own, _mm256_set1_epi32(RV_AVX2_LANES));
    }
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i++)
        ids[i] = names[frames[i]] = names[from[i]];
}

/* The ids of a word, in the codec's memory or the caller's. */
static const uint32_t *take_names(struct rv_cursor *cursor, uint64_t kinds, const uint32_t *frames, uint32_t *ids)
{
    uint32_t *names = cursor->guess.names;
    cursor->n_ids += take_ids(kinds, cursor->codec->ids + cursor->n_ids, names + RV_PREDICTOR_LEVELS);
    if (!cursor->guess.return_mask)
        return names + RV_PREDICTOR_LEVELS;
    take_return_names(kinds, names, frames, ids);
    return ids;
}

static bool has_wide(const uint8_t *low, const uint8_t *high)
{
    const __m256i ones = _mm256_set1_epi8(-1);
    __m256i is_wide = _mm256_setzero_si256();
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += 32) {
        __m256i both =
            _mm256_and_si256(_mm256_loadu_si256((const void *)(low + i)), _mm256_loadu_si256((const void *)(high + i)));
        is_wide = _mm256_or_si256(is_wide, _mm256_cmpeq_epi8(both, ones));
    }
    return !_mm256_testz_si256(is_wide, is_wide);
}

/* Four events: times minus `last`, and tails. */
static inline void put_four(struct rv_event *out, __m128i sums, uint64_t last, uint32_t kinds, __m256i tails)
{
    const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8), ticks = _mm256_set1_epi64x((long long)RV_EVENT_TICKS_MASK);
    __m256i when = _mm256_add_epi64(_mm256_cvtepu32_epi64(sums), _mm256_set1_epi64x((long long)last));
    __m256i is_return = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(kinds), bits), bits);
    __m256i kind = _mm256_slli_epi64(_mm256_srli_epi64(is_return, 63), RV_EVENT_KIND_SHIFT);
    when = _mm256_permute4x64_epi64(_mm256_or_si256(_mm256_and_si256(when, ticks), kind), 0xd8);
    tails = _mm256_permute4x64_epi64(tails, 0xd8);
    _mm256_storeu_si256((void *)out, _mm256_unpacklo_epi64(when, tails));
    _mm256_storeu_si256((void *)(out + 2), _mm256_unpackhi_epi64(when, tails));
}

bool rv_take_word_avx2(struct rv_cursor *cursor, uint32_t begin, struct rv_event *out)
{
    uint64_t kinds = cursor->codec->kinds[begin / RV_KINDS_GROUP], last = cursor->last;
    uint8_t *low = cursor->codec->low + begin, *high = cursor->codec->high + begin;
    _Alignas(32) uint32_t frames[RV_KINDS_GROUP], own_ids[RV_KINDS_GROUP];
    rv_fetch_ahead(out + begin);
    cursor->guess.levels |= take_frames(kinds, cursor->guess.level, frames);
    cursor->guess.level = (uint16_t)(frames[RV_KINDS_GROUP - 1] + !(kinds >> 63));
    const uint32_t *ids = take_names(cursor, kinds, frames, own_ids);
    if (cursor->has_contexts)
        gather_times(&cursor->times, kinds, ids, low);
    out += begin;
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += RV_AVX2_LANES, kinds >>= RV_AVX2_LANES) {
        __m128i lows = _mm_loadl_epi64((const void *)(low + i)), highs = _mm_loadl_epi64((const void *)(high + i));
        __m256i sums = rv_avx2_add_up(_mm256_cvtepu16_epi32(_mm_unpacklo_epi8(lows, highs)));
        __m256i id = _mm256_loadu_si256((const void *)(ids + i));
        __m256i frame = _mm256_slli_epi32(_mm256_load_si256((const void *)(frames + i)), RV_END_FRAME_SHIFT);
        __m256i a = _mm256_unpacklo_epi32(id, frame), b = _mm256_unpackhi_epi32(id, frame); /* 0 1 4 5 and 2 3 6 7 */
        put_four(out + i, _mm256_castsi256_si128(sums), last, kinds & 0xf, _mm256_permute2x128_si256(a, b, 0x20));
        put_four(out + i + 4, _mm256_extracti128_si256(sums, 1), last, kinds >> 4 & 0xf,
                 _mm256_permute2x128_si256(a, b, 0x31));
        last += (uint32_t)_mm256_extract_epi32(sums, 7);
    }
    if (has_wide(low, high))
        return false;
    cursor->last = last;
    return true;
}
