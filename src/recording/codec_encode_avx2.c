/*
 * Encodes words of 64 ordinary events with AVX2, eight events per step. Only the name at each level is handled one event
 * at a time, because it goes through memory.
 */
#include "recording/codec_avx2.h"

/* The fields of a word of events. */
struct word {
    uint64_t kinds, odd_tags;
    _Alignas(32) uint32_t ids[RV_KINDS_GROUP];
    _Alignas(32) uint32_t frames[RV_KINDS_GROUP];
    _Alignas(32) uint32_t steps[RV_KINDS_GROUP];
    uint32_t call_lines, return_lines, all_ids, levels; /* or'ed */
    uint64_t last;
    uint16_t level;
};

static inline uint32_t move_mask(__m256i lanes)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(lanes));
}

/* The low or the high halves of eight 64-bit lanes. */
static inline __m256i halves(__m256i first, __m256i second, bool is_high)
{
    __m256 a = _mm256_castsi256_ps(first), b = _mm256_castsi256_ps(second);
    __m256 mixed = is_high ? _mm256_shuffle_ps(a, b, 0xdd) : _mm256_shuffle_ps(a, b, 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xd8);
}

/* Times and tails of four events. */
static inline void load_four(const struct rv_event *events, __m256i *when, __m256i *tail)
{
    __m256i a = _mm256_loadu_si256((const void *)events), b = _mm256_loadu_si256((const void *)(events + 2));
    *when = _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(a, b), 0xd8);
    *tail = _mm256_permute4x64_epi64(_mm256_unpackhi_epi64(a, b), 0xd8);
}

/* Differences of consecutive times; `last` has the previous time in its highest lane, and is updated. */
static inline __m256i time_steps(__m256i when, __m256i *last)
{
    __m256i moved = _mm256_permute4x64_epi64(when, 0x93);
    __m256i before = _mm256_blend_epi32(moved, _mm256_permute4x64_epi64(*last, 0x93), 0x03);
    *last = when;
    return _mm256_and_si256(_mm256_sub_epi64(when, before), _mm256_set1_epi64x((long long)RV_EVENT_TICKS_MASK));
}

/* Kinds and steps of a word; false if an event is not ordinary. */
static bool split_times(struct word *word, const struct rv_event *events)
{
    const __m256i most = _mm256_set1_epi64x(RV_TIME_IS_WIDE - 1);
    __m256i last = _mm256_set1_epi64x((long long)word->last), all = _mm256_setzero_si256(), is_wide = all;
    word->kinds = 0;
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += RV_AVX2_LANES) {
        __m256i when[2], tail[2], steps[2];
        for (uint32_t k = 0; k < 2; k++) {
            load_four(events + i + 4 * k, &when[k], &tail[k]);
            all = _mm256_or_si256(all, when[k]);
            steps[k] = time_steps(when[k], &last);
            is_wide = _mm256_or_si256(is_wide, _mm256_cmpgt_epi64(steps[k], most));
        }
        uint32_t kinds = move_mask(_mm256_slli_epi32(halves(when[0], when[1], true), 63 - RV_EVENT_KIND_SHIFT));
        word->kinds |= (uint64_t)kinds << i;
        _mm256_store_si256((void *)(word->steps + i), halves(steps[0], steps[1], false));
    }
    all = _mm256_or_si256(_mm256_srli_epi64(all, RV_EVENT_KIND_SHIFT + 1), is_wide);
    word->last = rv_event_ticks(&events[RV_KINDS_GROUP - 1]);
    return _mm256_testz_si256(all, all);
}

/* Names, tags and lines. */
static void split_tails(struct word *word, const struct rv_event *events)
{
    const __m256i rotate = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6), tag = _mm256_set1_epi32(UINT16_MAX);
    __m256i call_lines = _mm256_setzero_si256(), return_lines = call_lines, all_ids = call_lines, levels = call_lines;
    __m256i level_before = _mm256_set1_epi32(word->level); /* level after the previous event, in lane 0 */
    word->odd_tags = 0;
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += RV_AVX2_LANES) {
        __m256i when, tails[2];
        load_four(events + i, &when, &tails[0]);
        load_four(events + i + 4, &when, &tails[1]);
        __m256i ids = halves(tails[0], tails[1], false), rest = halves(tails[0], tails[1], true);
        __m256i is_return = rv_avx2_lane_mask(word->kinds >> i & 0xff);
        __m256i frames = _mm256_srli_epi32(rest, RV_END_FRAME_SHIFT);
        __m256i lines = _mm256_and_si256(rest, tag);
        __m256i level = _mm256_add_epi32(_mm256_sub_epi32(frames, _mm256_set1_epi32(-1)), is_return);
        __m256i moved = _mm256_permutevar8x32_epi32(level, rotate);
        __m256i expected = _mm256_add_epi32(_mm256_blend_epi32(moved, level_before, 1), is_return);
        level_before = moved;
        uint32_t even = move_mask(_mm256_cmpeq_epi32(_mm256_and_si256(expected, tag), frames));
        word->odd_tags |= (uint64_t)(even ^ 0xff) << i;
        call_lines = _mm256_or_si256(call_lines, _mm256_andnot_si256(is_return, lines));
        return_lines = _mm256_or_si256(return_lines, _mm256_and_si256(is_return, lines));
        all_ids = _mm256_or_si256(all_ids, _mm256_andnot_si256(is_return, ids));
        levels = _mm256_or_si256(levels, frames);
        _mm256_store_si256((void *)(word->ids + i), ids);
        _mm256_store_si256((void *)(word->frames + i), frames);
    }
    word->level = (uint16_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(level_before));
    word->call_lines = rv_avx2_or_lanes(call_lines);
    word->return_lines = rv_avx2_or_lanes(return_lines);
    word->all_ids = rv_avx2_or_lanes(all_ids);
    word->levels = rv_avx2_or_lanes(levels);
}

/* The last id called at each event's level; 0 with bare returns. */
static void find_names(const struct word *word, const struct rv_predictor *guess, uint32_t *before)
{
    if (guess->return_mask)
        for (uint32_t i = 0; i < RV_KINDS_GROUP; i++) {
            uint32_t *name = &guess->names[word->frames[i]];
            before[i] = *name;
            *name = word->ids[i];
        }
    else
        for (uint32_t i = 0; i < RV_KINDS_GROUP; i += RV_AVX2_LANES)
            _mm256_store_si256((void *)(before + i), _mm256_setzero_si256());
}

/* Mask of RETURNs with unexpected ids. */
static uint64_t find_odd_ids(const struct word *word, const struct rv_predictor *guess)
{
    _Alignas(32) uint32_t before[RV_KINDS_GROUP];
    find_names(word, guess, before);
    uint64_t even = 0;
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += RV_AVX2_LANES) {
        __m256i ids = _mm256_load_si256((const void *)(word->ids + i));
        even |= (uint64_t)move_mask(_mm256_cmpeq_epi32(ids, _mm256_load_si256((const void *)(before + i)))) << i;
    }
    return word->kinds & ~even;
}

static void put_planes(const struct word *word, uint8_t *low, uint8_t *high)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7), byte = _mm256_set1_epi32(UINT8_MAX);
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += 4 * RV_AVX2_LANES) {
        __m256i lows[4], highs[4];
        for (uint32_t k = 0; k < 4; k++) {
            __m256i steps = _mm256_load_si256((const void *)(word->steps + i + RV_AVX2_LANES * k));
            lows[k] = _mm256_and_si256(steps, byte);
            highs[k] = _mm256_srli_epi32(steps, 8);
        }
        __m256i packed =
            _mm256_packus_epi16(_mm256_packus_epi32(lows[0], lows[1]), _mm256_packus_epi32(lows[2], lows[3]));
        _mm256_storeu_si256((void *)(low + i), _mm256_permutevar8x32_epi32(packed, order));
        packed = _mm256_packus_epi16(_mm256_packus_epi32(highs[0], highs[1]), _mm256_packus_epi32(highs[2], highs[3]));
        _mm256_storeu_si256((void *)(high + i), _mm256_permutevar8x32_epi32(packed, order));
    }
}

/* The ids of the CALLs, compressed. */
static uint32_t put_ids(const struct word *word, uint32_t *ids, uint32_t n)
{
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += RV_AVX2_LANES) {
        uint32_t calls = ~(uint32_t)(word->kinds >> i) & 0xff;
        __m256i all = _mm256_load_si256((const void *)(word->ids + i));
        _mm256_storeu_si256((void *)(ids + n), _mm256_permutevar8x32_epi32(all, rv_avx2_compress_index(calls)));
        n += (uint32_t)__builtin_popcount(calls);
    }
    return n;
}

static void sort_times(struct rv_times *times, const struct word *word, const uint8_t *low)
{
    _Alignas(32) uint8_t contexts[RV_KINDS_GROUP];
    rv_avx2_find_contexts(times, word->kinds, word->ids, contexts);
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i++)
        *times->at[contexts[i]]++ = low[i];
}

bool rv_put_word_avx2(const struct rv_codec *codec, struct rv_rows *rows, const struct rv_event *events, uint32_t begin)
{
    struct word word;
    word.last = rows->last;
    word.level = rows->guess.level;
    events += begin;
    rv_fetch_ahead(events);
    if (!split_times(&word, events))
        return false;
    split_tails(&word, events);
    rv_rows_add_odd_tags(codec, rows, events, begin, word.odd_tags);
    rv_rows_add_odd_ids(codec, rows, events, begin, find_odd_ids(&word, &rows->guess));
    codec->kinds[begin / RV_KINDS_GROUP] = word.kinds;
    put_planes(&word, codec->low + begin, codec->high + begin);
    sort_times(&rows->times, &word, codec->low + begin);
    rows->n_ids = put_ids(&word, codec->ids, rows->n_ids);
    rows->call_lines |= word.call_lines;
    rows->return_lines |= word.return_lines;
    rows->all_ids |= word.all_ids;
    rows->guess.level = word.level;
    rows->guess.levels |= word.levels;
    rows->last = word.last;
    return true;
}
