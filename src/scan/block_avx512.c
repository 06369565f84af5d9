/*
 * Eight events a step, AVX-512. The pattern of calls and returns among them determines which frame every return closes,
 * so permutations replace a stack machine and its mispredicted branches. One test over all eight finds irregular
 * events, which the scalar kernel handles.
 *
 * The 16 topmost frames are kept in registers: memory would add a store and a load to every step's dependency chain.
 * They are also stored, and reloaded when fewer than eight of the copies are valid.
 */
#include <immintrin.h>

#include "scan/block_parts.h"
#include "scan/kernel_choice.h"
#include "scan/push_pop_patterns.h"
#include "scan/tag.h"

#define N_EVENTS RV_KERNEL_CHOICE_GROUP
#define N_WINDOW 16

/* A part starts with events that reach below its own frames. */
#define FIRST_EVENTS 12u

struct state {
    __m512i start, id, key; /* the window: top frame in lane 15; key doubled */
    __m256i last_key;       /* doubled, of the last event, in all lanes */
    __m256i last_tag;       /* in the upper half, in all lanes */
    int32_t n_frames, n_valid;
    uint32_t n_spans, peak;
};

static inline __attribute__((always_inline)) void load_window(const struct rv_run *run, struct state *state)
{
    const int32_t bottom = state->n_frames - N_WINDOW;
    state->start = _mm512_loadu_si512(run->frames + bottom);
    state->id = _mm512_loadu_si512(run->frames + RV_FRAME_ID + bottom);
    state->key = _mm512_loadu_si512(run->frames + RV_FRAME_KEY + bottom);
    state->n_valid = N_WINDOW;
}

static inline __attribute__((always_inline)) void load_state(const struct rv_run *run, struct state *state)
{
    state->n_frames = run->n_frames;
    state->n_spans = run->n_spans;
    state->peak = run->peak;
    state->last_key = _mm256_set1_epi32(2 * run->key);
    state->last_tag = _mm256_set1_epi32((int32_t)((uint32_t)run->key << 16));
    load_window(run, state);
}

static inline __attribute__((always_inline)) void save_state(struct rv_run *run, const struct state *state)
{
    run->n_frames = state->n_frames;
    run->n_spans = state->n_spans;
    run->peak = state->peak;
    run->key = _mm256_cvtsi256_si32(state->last_key) >> 1;
}

/* The fields of a step's events. */
struct group {
    __m256i offset, id, key, tag; /* key doubled, tag in the upper half */
    const struct rv_pattern *pattern;
    __mmask8 is_return;
};

static inline __attribute__((always_inline)) struct group load_group(const struct rv_event *events, __m256i base,
                                                                     const struct state *state)
{
    const __m512i offsets_ids = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 2, 6, 10, 14, 18, 22, 26, 30);
    const __m512i tags_kinds = _mm512_setr_epi32(3, 7, 11, 15, 19, 23, 27, 31, 1, 5, 9, 13, 17, 21, 25, 29);
    __m512i low = _mm512_loadu_si512(events), high = _mm512_loadu_si512(events + 4);
    __m512i first = _mm512_permutex2var_epi32(low, offsets_ids, high);
    __m512i second = _mm512_permutex2var_epi32(low, tags_kinds, high);
    struct group group;
    __mmask16 kinds = _mm512_movepi32_mask(_mm512_slli_epi32(second, 3));
    group.is_return = (__mmask8)(kinds >> 8);
    group.pattern = &rv_push_pop_patterns[kinds >> 8];
    group.offset = _mm256_and_si256(_mm256_sub_epi32(_mm512_castsi512_si256(first), base),
                                    _mm256_set1_epi32((int32_t)RV_OFFSET_MASK));
    group.id = _mm512_extracti64x4_epi64(first, 1);
    group.tag = _mm256_and_si256(_mm512_castsi512_si256(second), _mm256_set1_epi32(RV_TAG_MASK));
    __m256i step = _mm256_srai_epi32(_mm256_sub_epi32(group.tag, state->last_tag), 15);
    group.key = _mm256_add_epi32(state->last_key, step);
    return group;
}

/*
 * Keys are unwrapped against the last event of the previous group. That equals unwrapping against each event's
 * predecessor as long as no step is RV_TAG_RISE or more: this mask marks the lanes where it is.
 */
static inline __attribute__((always_inline)) __mmask8 far_keys(const struct group *group, const struct state *state)
{
    const int32_t limit = RV_TAG_RISE - 1;
    __m256i step = _mm256_sub_epi32(group->key, state->last_key);
    return _mm256_cmpgt_epi32_mask(_mm256_abs_epi32(step), _mm256_set1_epi32(limit));
}

static inline __attribute__((always_inline)) __m512i widen(const uint8_t *places)
{
    return _mm512_zextsi256_si512(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)places)));
}

static inline __attribute__((always_inline)) __m256i pick(__m256i events, __m512i places, __m512i window)
{
    return _mm512_castsi512_si256(_mm512_permutex2var_epi32(_mm512_zextsi256_si512(events), places, window));
}

static inline __attribute__((always_inline)) void push(struct rv_run *run, struct state *state,
                                                       const struct group *group)
{
    const struct rv_pattern *pattern = group->pattern;
    __m512i places = _mm512_cvtepu8_epi32(_mm_load_si128((const void *)pattern->window));
    int32_t moved = (int32_t)pattern->n_pushes - (int32_t)pattern->n_pops;
    __mmask8 pushed = (__mmask8)(0xff00u >> pattern->n_pushes);
    state->start = _mm512_permutex2var_epi32(_mm512_zextsi256_si512(group->offset), places, state->start);
    state->id = _mm512_permutex2var_epi32(_mm512_zextsi256_si512(group->id), places, state->id);
    state->key = _mm512_permutex2var_epi32(_mm512_zextsi256_si512(group->key), places, state->key);
    state->n_frames += moved;
    state->n_valid += moved;
    state->n_valid = state->n_valid > N_WINDOW ? N_WINDOW : state->n_valid;
    const int32_t top = state->n_frames - (int32_t)N_EVENTS;
    _mm256_mask_storeu_epi32(run->frames + top, pushed, _mm512_extracti64x4_epi64(state->start, 1));
    _mm256_mask_storeu_epi32(run->frames + RV_FRAME_ID + top, pushed, _mm512_extracti64x4_epi64(state->id, 1));
    _mm256_mask_storeu_epi32(run->frames + RV_FRAME_KEY + top, pushed, _mm512_extracti64x4_epi64(state->key, 1));
}

/* One step; false, with nothing changed, when an event is irregular. */
static inline __attribute__((always_inline)) bool step(struct rv_run *run, struct state *state,
                                                       const struct rv_event *events, __m256i base)
{
    struct group group = load_group(events, base, state);
    const struct rv_pattern *pattern = group.pattern;
    const __mmask8 is_call = (__mmask8)~group.is_return;
    __m256i top_key = pick(group.key, widen(pattern->top), state->key);
    __m512i source = widen(pattern->source);
    __m256i lane = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)pattern->lane));
    __m256i id = pick(group.id, source, state->id), return_id = _mm256_permutexvar_epi32(lane, group.id);
    __mmask8 has_id = _mm256_mask_test_epi32_mask((__mmask8)((1u << pattern->n_returns) - 1), return_id, return_id);
    __mmask8 bad_return = _mm256_mask_cmpneq_epi32_mask(group.is_return, group.key, top_key);
    __mmask8 bad_id = _mm256_mask_cmpneq_epi32_mask(has_id, id, return_id);
    __mmask8 bad_call = _mm256_mask_cmple_epi32_mask(is_call, group.key, top_key);
    __mmask8 bad = _kor_mask8(_kor_mask8(bad_return, bad_id), _kor_mask8(bad_call, far_keys(&group, state)));
    if (__builtin_expect(!_kortestz_mask8_u8(bad, bad), 0))
        return false;
    const uint32_t span = state->n_spans;
    __m256i height = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)pattern->height));
    height = _mm256_add_epi32(height, _mm256_set1_epi32(state->n_frames));
    _mm256_storeu_si256((void *)(run->spans + span), pick(group.offset, source, state->start));
    _mm256_storeu_si256((void *)(run->spans + RV_LOCAL_END + span), _mm256_permutexvar_epi32(lane, group.offset));
    _mm256_storeu_si256((void *)(run->spans + RV_LOCAL_ID + span), id);
    _mm256_storeu_si256((void *)(run->spans + RV_LOCAL_PLACE + span), _mm256_slli_epi32(height, RV_PLACE_SHIFT));
    state->n_spans = span + pattern->n_returns;
    uint32_t peak = (uint32_t)state->n_frames + pattern->peak;
    state->peak = peak > state->peak ? peak : state->peak;
    push(run, state, &group);
    const __m256i last = _mm256_set1_epi32(N_EVENTS - 1);
    state->last_key = _mm256_permutexvar_epi32(last, group.key);
    state->last_tag = _mm256_permutexvar_epi32(last, group.tag);
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
        if (__builtin_expect(state.n_valid < (int32_t)N_EVENTS, 0))
            load_window(run, &state);
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

void rv_kernel_avx512(struct rv_run *run, const struct rv_event *events, uint32_t n)
{
    if (!run->has_key) {
        uint32_t n_first = n < FIRST_EVENTS ? n : FIRST_EVENTS;
        rv_kernel_scalar(run, events, n_first);
        events += n_first;
        n -= n_first;
    }
    scan(run, events, n);
}
