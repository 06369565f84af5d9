/*
 * Eight events a step, AVX2: like block_avx512.c, but the stack stays in memory, because one AVX2 permutation cannot
 * select from both the events and a window of frames.
 */
#include <immintrin.h>

#include "scan/block_parts.h"
#include "scan/kernel_choice.h"
#include "scan/push_pop_patterns.h"
#include "scan/tag.h"

#define N_EVENTS RV_KERNEL_CHOICE_GROUP

/* A part starts with events that reach below its own frames. */
#define FIRST_EVENTS 8u

struct state {
    __m256i last_key; /* doubled, of the last event, in all lanes */
    __m256i last_tag; /* in the upper half, in all lanes */
    int32_t n_frames;
    uint32_t n_spans, peak;
};

static inline __attribute__((always_inline)) void load_state(const struct rv_run *run, struct state *state)
{
    state->n_frames = run->n_frames;
    state->n_spans = run->n_spans;
    state->peak = run->peak;
    state->last_key = _mm256_set1_epi32(2 * run->key);
    state->last_tag = _mm256_set1_epi32((int32_t)((uint32_t)run->key << 16));
}

static inline __attribute__((always_inline)) void save_state(struct rv_run *run, const struct state *state)
{
    run->n_frames = state->n_frames;
    run->n_spans = state->n_spans;
    run->peak = state->peak;
    run->key = _mm256_cvtsi256_si32(state->last_key) >> 1;
}

struct group {
    __m256i offset, id, key, tag; /* key doubled, tag in the upper half */
    __m256i is_return;            /* all bits */
    unsigned bits;
};

static inline __attribute__((always_inline)) __m256 load_pair(const struct rv_event *events)
{
    return _mm256_loadu_ps((const void *)events);
}

/* Four registers of two events each, transposed: the shuffles leave the events in the order 0 2 4 6 1 3 5 7. */
static inline __attribute__((always_inline)) struct group load_group(const struct rv_event *events, __m256i base,
                                                                     const struct state *state)
{
    const __m256i in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256 a = load_pair(events), b = load_pair(events + 2), c = load_pair(events + 4), d = load_pair(events + 6);
    __m256 ab_low = _mm256_shuffle_ps(a, b, 0x88), cd_low = _mm256_shuffle_ps(c, d, 0x88);
    __m256 ab_high = _mm256_shuffle_ps(a, b, 0xdd), cd_high = _mm256_shuffle_ps(c, d, 0xdd);
    __m256i offsets = _mm256_castps_si256(_mm256_shuffle_ps(ab_low, cd_low, 0x88));
    __m256i ids = _mm256_castps_si256(_mm256_shuffle_ps(ab_low, cd_low, 0xdd));
    __m256i kinds = _mm256_castps_si256(_mm256_shuffle_ps(ab_high, cd_high, 0x88));
    __m256i tags = _mm256_castps_si256(_mm256_shuffle_ps(ab_high, cd_high, 0xdd));
    struct group group;
    kinds = _mm256_slli_epi32(_mm256_permutevar8x32_epi32(kinds, in_order), 3);
    group.is_return = _mm256_srai_epi32(kinds, 31);
    group.bits = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(kinds));
    group.offset = _mm256_and_si256(_mm256_sub_epi32(_mm256_permutevar8x32_epi32(offsets, in_order), base),
                                    _mm256_set1_epi32((int32_t)RV_OFFSET_MASK));
    group.id = _mm256_permutevar8x32_epi32(ids, in_order);
    group.tag = _mm256_and_si256(_mm256_permutevar8x32_epi32(tags, in_order), _mm256_set1_epi32(RV_TAG_MASK));
    __m256i step = _mm256_srai_epi32(_mm256_sub_epi32(group.tag, state->last_tag), 15);
    group.key = _mm256_add_epi32(state->last_key, step);
    return group;
}

static inline __attribute__((always_inline)) __m256i widen(const uint8_t *places)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)places));
}

/* Select by place: below 8 from the events, from 16 on from the window of eight frames. */
static inline __attribute__((always_inline)) __m256i pick(__m256i events, __m256i places, __m256i window)
{
    __m256 from_window = _mm256_castsi256_ps(_mm256_slli_epi32(places, 27));
    __m256 a = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(events, places));
    __m256 b = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(window, places));
    return _mm256_castps_si256(_mm256_blendv_ps(a, b, from_window));
}

static inline __attribute__((always_inline)) unsigned bits_of(__m256i lanes)
{
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(lanes));
}

/* Lanes that do not nest: see block_avx512.c. rise: the event's key minus the top frame's. */
static inline __attribute__((always_inline)) __m256i irregular_keys(const struct group *group, __m256i rise,
                                                                    const struct state *state)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i limit = _mm256_set1_epi32(RV_TAG_RISE - 1);
    __m256i step = _mm256_abs_epi32(_mm256_sub_epi32(group->key, state->last_key));
    __m256i is_equal = _mm256_cmpeq_epi32(rise, zero);
    __m256i bad_call = _mm256_or_si256(_mm256_cmpgt_epi32(zero, rise), is_equal);
    __m256i bad_return = _mm256_xor_si256(is_equal, _mm256_set1_epi32(-1));
    __m256i bad = _mm256_blendv_epi8(bad_call, bad_return, group->is_return);
    return _mm256_or_si256(bad, _mm256_cmpgt_epi32(step, limit));
}

/* One step; false, with nothing changed, when an event is irregular. */
static inline __attribute__((always_inline)) bool step(struct rv_run *run, struct state *state,
                                                       const struct rv_event *events, __m256i base)
{
    struct group group = load_group(events, base, state);
    const struct rv_pattern *pattern = &rv_push_pop_patterns[group.bits];
    const int32_t window = state->n_frames - (int32_t)N_EVENTS;
    __m256i window_id = _mm256_loadu_si256((const void *)(run->frames + RV_FRAME_ID + window));
    __m256i window_key = _mm256_loadu_si256((const void *)(run->frames + RV_FRAME_KEY + window));
    __m256i window_start = _mm256_loadu_si256((const void *)(run->frames + window));
    __m256i rise = _mm256_sub_epi32(group.key, pick(group.key, widen(pattern->top), window_key));
    __m256i source = widen(pattern->source), lane = widen(pattern->lane);
    __m256i id = pick(group.id, source, window_id), return_id = _mm256_permutevar8x32_epi32(group.id, lane);
    __m256i is_same =
        _mm256_or_si256(_mm256_cmpeq_epi32(id, return_id), _mm256_cmpeq_epi32(return_id, _mm256_setzero_si256()));
    unsigned irregular = bits_of(irregular_keys(&group, rise, state));
    irregular |= ~bits_of(is_same) & ((1u << pattern->n_returns) - 1);
    if (__builtin_expect(irregular != 0, 0))
        return false;
    const uint32_t span = state->n_spans;
    __m256i height = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)pattern->height));
    height = _mm256_add_epi32(height, _mm256_set1_epi32(state->n_frames));
    _mm256_storeu_si256((void *)(run->spans + span), pick(group.offset, source, window_start));
    _mm256_storeu_si256((void *)(run->spans + RV_LOCAL_END + span), _mm256_permutevar8x32_epi32(group.offset, lane));
    _mm256_storeu_si256((void *)(run->spans + RV_LOCAL_ID + span), id);
    _mm256_storeu_si256((void *)(run->spans + RV_LOCAL_PLACE + span), _mm256_slli_epi32(height, RV_PLACE_SHIFT));
    state->n_spans = span + pattern->n_returns;
    uint32_t peak = (uint32_t)state->n_frames + pattern->peak;
    state->peak = peak > state->peak ? peak : state->peak;
    const int32_t top = state->n_frames - (int32_t)pattern->n_pops;
    __m256i pushed = widen(pattern->pushed);
    _mm256_storeu_si256((void *)(run->frames + top), _mm256_permutevar8x32_epi32(group.offset, pushed));
    _mm256_storeu_si256((void *)(run->frames + RV_FRAME_ID + top), _mm256_permutevar8x32_epi32(group.id, pushed));
    _mm256_storeu_si256((void *)(run->frames + RV_FRAME_KEY + top), _mm256_permutevar8x32_epi32(group.key, pushed));
    state->n_frames = top + (int32_t)pattern->n_pushes;
    const __m256i last = _mm256_set1_epi32(N_EVENTS - 1);
    state->last_key = _mm256_permutevar8x32_epi32(group.key, last);
    state->last_tag = _mm256_permutevar8x32_epi32(group.tag, last);
    return true;
}

static inline __attribute__((always_inline)) void scan(struct rv_run *run, const struct rv_event *events, uint32_t n)
{
    const __m256i base = _mm256_set1_epi32((int32_t)run->base);
    uint32_t i = 0;
    struct rv_kernel_choice choice = {0, 0};
    struct state state;
    load_state(run, &state);
    while (i + N_EVENTS <= n) {
        if (__builtin_expect(step(run, &state, events + i, base), 1)) {
            i += N_EVENTS;
            continue;
        }
        uint32_t n_scalar = rv_kernel_choice_irregular(&choice, i, n);
        save_state(run, &state);
        rv_kernel_scalar(run, events + i, n_scalar);
        load_state(run, &state);
        i += n_scalar;
    }
    save_state(run, &state);
    rv_kernel_scalar(run, events + i, n - i);
}

void rv_kernel_avx2(struct rv_run *run, const struct rv_event *events, uint32_t n)
{
    if (!run->has_key) {
        uint32_t n_first = n < FIRST_EVENTS ? n : FIRST_EVENTS;
        rv_kernel_scalar(run, events, n_first);
        events += n_first;
        n -= n_first;
    }
    scan(run, events, n);
}
