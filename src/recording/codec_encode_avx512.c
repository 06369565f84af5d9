/*
 * Encodes words of 64 ordinary events with AVX-512: one bit per event makes a 64-bit mask, and compressing by masks
 * packs ids and times. Only the name at each level is handled one event at a time, because it goes through memory.
 */
#include <immintrin.h>

#include "recording/predictor.h"

enum { LANES = 16 };

/* The fields of a word of events. */
struct word {
    uint64_t kinds, odd_tags;
    uint64_t id_bits[2]; /* the two lowest of the ids */
    _Alignas(64) uint32_t ids[RV_KINDS_GROUP];
    _Alignas(64) uint32_t frames[RV_KINDS_GROUP];
    __m512i low, high;                       /* bytes of the steps */
    __m512i all_ids, call_rest, return_rest; /* or'ed, the last two of aux and frame */
};

/* State carried from each event to the next. */
struct chain {
    __m512i when, level; /* of the previous events, the last one in the highest lane; level: after the event */
    __m512i steps[2];    /* 16 bits each of 32 events: lane and place in the lane are those of an event in its group of
                            eight and of the group, groups 0 to 3 and 4 to 7 */
    __m512i rest;        /* nonzero if an event was not ordinary */
};

/* The times of eight events. Returns which are RETURNs. */
static inline __mmask8 split_eight(struct chain *chain, __m512i when, uint32_t group)
{
    const __m512i ticks = _mm512_set1_epi64((long long)RV_EVENT_TICKS_MASK);
    __m512i before = _mm512_alignr_epi64(when, chain->when, 7);
    __m512i step = _mm512_and_si512(_mm512_sub_epi64(when, before), ticks);
    chain->when = when;
    chain->rest = _mm512_or_si512(chain->rest, _mm512_srli_epi64(when, RV_EVENT_KIND_SHIFT + 1));
    chain->rest = _mm512_or_si512(chain->rest, _mm512_srli_epi64(step, 16));
    step = _mm512_sll_epi64(step, _mm_cvtsi32_si128((int)(16 * (group % 4))));
    chain->steps[group / 4] = _mm512_or_si512(chain->steps[group / 4], step);
    return _mm512_test_epi64_mask(when, _mm512_set1_epi64(1ll << RV_EVENT_KIND_SHIFT));
}

/* Tags, names and lines of sixteen events. */
static inline void split_tails(struct word *word, struct chain *chain, const __m512i *tails, __mmask16 is_return,
                               uint32_t begin)
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i one = _mm512_set1_epi32(1), tag = _mm512_set1_epi32(UINT16_MAX);
    __m512i ids = _mm512_permutex2var_epi32(tails[0], even, tails[1]);
    __m512i rest = _mm512_permutex2var_epi32(tails[0], _mm512_add_epi32(even, one), tails[1]);
    __m512i frames = _mm512_srli_epi32(rest, RV_END_FRAME_SHIFT), above = _mm512_add_epi32(frames, one);
    __m512i level = _mm512_mask_mov_epi32(above, is_return, frames);
    __m512i expected = _mm512_alignr_epi32(level, chain->level, LANES - 1);
    expected = _mm512_and_si512(_mm512_mask_sub_epi32(expected, is_return, expected, one), tag);
    chain->level = level;
    word->odd_tags |= (uint64_t)_mm512_cmpneq_epi32_mask(expected, frames) << begin;
    word->id_bits[0] |= (uint64_t)_mm512_test_epi32_mask(ids, one) << begin;
    word->id_bits[1] |= (uint64_t)_mm512_test_epi32_mask(ids, _mm512_set1_epi32(2)) << begin;
    word->all_ids = _mm512_mask_or_epi32(word->all_ids, ~is_return, word->all_ids, ids);
    word->call_rest = _mm512_mask_or_epi32(word->call_rest, ~is_return, word->call_rest, rest);
    word->return_rest = _mm512_mask_or_epi32(word->return_rest, is_return, word->return_rest, rest);
    _mm512_store_si512(word->ids + begin, ids);
    _mm512_store_si512(word->frames + begin, frames);
}

/* The steps' bytes, in the order of the events. */
static inline void split_steps(struct word *word, const struct chain *chain)
{
    const __m512i first = _mm512_set1_epi16(UINT8_MAX);
    /* byte 8 lane + 2 (group % 4) + group / 4 of event 8 group + lane */
    const __m512i row = _mm512_set1_epi64(0x3830282018100800);
    const __m512i columns =
        _mm512_setr_epi64(0, 0x0202020202020202, 0x0404040404040404, 0x0606060606060606, 0x0101010101010101,
                          0x0303030303030303, 0x0505050505050505, 0x0707070707070707);
    const __m512i order = _mm512_add_epi8(row, columns);
    __m512i a = chain->steps[0], b = chain->steps[1];
    __m512i low = _mm512_or_si512(_mm512_and_si512(a, first), _mm512_slli_epi16(b, 8));
    __m512i high = _mm512_or_si512(_mm512_srli_epi16(a, 8), _mm512_andnot_si512(first, b));
    word->low = _mm512_permutexvar_epi8(order, low);
    word->high = _mm512_permutexvar_epi8(order, high);
}

/* False if an event is not ordinary. */
static bool split(struct word *word, const struct rv_event *events, uint64_t last, uint32_t level)
{
    const __m512i whens = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), one = _mm512_set1_epi64(1);
    const __m512i zero = _mm512_setzero_si512(), ones = _mm512_set1_epi8(-1);
    struct chain chain = {.when = _mm512_set1_epi64((long long)last),
                          .level = _mm512_set1_epi32((int)level),
                          .steps = {zero, zero},
                          .rest = zero};
    word->kinds = word->odd_tags = word->id_bits[0] = word->id_bits[1] = 0;
    word->all_ids = word->call_rest = word->return_rest = zero;
#pragma GCC unroll 4 /* so that all of this stays in registers */
    for (uint32_t begin = 0; begin < RV_KINDS_GROUP; begin += LANES) {
        __m512i tails[2];
        uint32_t is_return = 0;
        for (uint32_t k = 0; k < 2; k++) {
            const struct rv_event *eight = events + begin + 8 * k;
            __m512i a = _mm512_loadu_si512(eight), b = _mm512_loadu_si512(eight + 4);
            __m512i when = _mm512_permutex2var_epi64(a, whens, b);
            tails[k] = _mm512_permutex2var_epi64(a, _mm512_add_epi64(whens, one), b);
            is_return |= (uint32_t)split_eight(&chain, when, begin / 8 + k) << 8 * k;
        }
        split_tails(word, &chain, tails, (__mmask16)is_return, begin);
        word->kinds |= (uint64_t)is_return << begin;
    }
    split_steps(word, &chain);
    __mmask64 is_wide = _mm512_cmpeq_epi8_mask(_mm512_and_si512(word->low, word->high), ones);
    return is_wide == 0 && _mm512_test_epi64_mask(chain.rest, chain.rest) == 0;
}

/* The last id called at each event's level. */
static void find_names(const struct word *word, uint32_t *names, uint32_t *before)
{
#pragma GCC unroll 8
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i++) {
        uint32_t *name = &names[word->frames[i]];
        before[i] = *name;
        *name = word->ids[i];
    }
}

/* Mask of RETURNs with other ids. */
static uint64_t find_odd_ids(const struct word *word, const uint32_t *before)
{
    uint64_t odd = 0;
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += LANES)
        odd |= (uint64_t)_mm512_cmpneq_epi32_mask(_mm512_load_si512(word->ids + i), _mm512_load_si512(before + i)) << i;
    return odd & word->kinds;
}

/* The ids of the CALLs, compressed. */
static uint32_t put_ids(const struct word *word, uint32_t *ids, uint32_t n)
{
    for (uint32_t i = 0; i < RV_KINDS_GROUP; i += LANES) {
        uint32_t calls = ~(uint32_t)(word->kinds >> i) & UINT16_MAX;
        _mm512_storeu_si512(ids + n, _mm512_maskz_compress_epi32((__mmask16)calls, _mm512_load_si512(word->ids + i)));
        n += (uint32_t)__builtin_popcount(calls);
    }
    return n;
}

/* Store each low byte in its context's column. */
static void sort_times(struct rv_times *times, const struct word *word)
{
    const uint64_t own = word->kinds, before = own << 1 | (times->recent & 1);
    const uint64_t one = word->id_bits[0] << 1 | (times->id_before & 1);
    const uint64_t two = word->id_bits[1] << 1 | (times->id_before >> 1 & 1);
    const uint64_t by_kind[4] = {~own & ~before, own & ~before, ~own & before, own & before};
    const uint64_t by_id[4] = {~one & ~two, one & ~two, ~one & two, one & two};
    for (uint32_t context = 0; context < RV_REC_N_CONTEXTS; context++) {
        uint64_t of_context = by_kind[context & 3] & by_id[context >> 2];
        _mm512_storeu_si512(times->at[context], _mm512_maskz_compress_epi8(of_context, word->low));
        times->at[context] += __builtin_popcountll(of_context);
    }
    times->recent = (uint32_t)(own >> 63);
    times->id_before = word->ids[RV_KINDS_GROUP - 1];
}

static void add_lines(struct rv_rows *rows, const struct word *word)
{
    uint32_t rest = (uint32_t)_mm512_reduce_or_epi32(_mm512_or_si512(word->call_rest, word->return_rest));
    rows->guess.levels |= rest >> RV_END_FRAME_SHIFT;
    if ((rest & UINT16_MAX) == 0)
        return;
    rows->call_lines |= (uint32_t)_mm512_reduce_or_epi32(word->call_rest) & UINT16_MAX;
    rows->return_lines |= (uint32_t)_mm512_reduce_or_epi32(word->return_rest) & UINT16_MAX;
}

bool rv_put_word_avx512(const struct rv_codec *codec, struct rv_rows *rows, const struct rv_event *events,
                        uint32_t begin)
{
    struct word word;
    _Alignas(64) uint32_t before[RV_KINDS_GROUP] = {0}; /* with bare returns */
    events += begin;
    rv_fetch_ahead(events);
    if (!split(&word, events, rows->last, rows->guess.level))
        return false;
    if (rows->guess.return_mask)
        find_names(&word, rows->guess.names, before);
    codec->kinds[begin / RV_KINDS_GROUP] = word.kinds;
    _mm512_storeu_si512(codec->low + begin, word.low);
    _mm512_storeu_si512(codec->high + begin, word.high);
    sort_times(&rows->times, &word);
    rows->n_ids = put_ids(&word, codec->ids, rows->n_ids);
    rows->all_ids |= (uint32_t)_mm512_reduce_or_epi32(word.all_ids);
    add_lines(rows, &word);
    rv_rows_add_odd_tags(codec, rows, events, begin, word.odd_tags);
    /* Last, because it loads by sixteen what was stored one by one. */
    rv_rows_add_odd_ids(codec, rows, events, begin, find_odd_ids(&word, before));
    const struct rv_event *last = &events[RV_KINDS_GROUP - 1];
    rows->guess.level = (uint16_t)(last->frame + !(word.kinds >> 63));
    rows->last = rv_event_ticks(last);
    return true;
}
