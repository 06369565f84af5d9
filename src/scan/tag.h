/*
 * Tags to keys: a tag is 16 bits of something that moves as frames nest, a key is the same without the wrap.
 *
 * Each tag is unwrapped against the stack's previous event, never against its top frame: key differences then do not
 * depend on where a block begins, which is what makes the scan associative.
 */
#ifndef RV_SCAN_TAG_H
#define RV_SCAN_TAG_H

#include <stdbool.h>
#include <stdint.h>

#include "ringviz/wire.h"

/* A step below this goes up, any other goes down: a depth rises by single calls but falls by any longjmp. */
#define RV_TAG_RISE_DEPTH 4096u
#define RV_TAG_RISE_STACK_POINTER 32768u

/* A SYNC looks at no more frames of its key than this. */
#define RV_SYNC_SEARCH 64u

/* A LOST looks at no more frames below a frame of the same key than this. */
#define RV_LOST_SEARCH 64u

static inline uint32_t rv_tag_rise(enum rv_tag_mode mode)
{
    return mode == RV_TAG_STACK_POINTER ? RV_TAG_RISE_STACK_POINTER : RV_TAG_RISE_DEPTH;
}

/* Stack pointers fall as frames nest; keys rise. */
static inline uint32_t rv_tag_inversion(enum rv_tag_mode mode)
{
    return mode == RV_TAG_STACK_POINTER ? 0xffffu : 0u;
}

/* The unwrapping of one stack over the whole stream. All zero at its start. */
struct rv_tag_state {
    int64_t key;     /* of the previous event */
    uint64_t n_lost; /* events lost since then */
    bool has_key;
};

static inline void rv_tag_lose(struct rv_tag_state *state, uint32_t n_lost)
{
    state->n_lost += n_lost;
}

/*
 * The key of a tag, already inverted. A depth cannot have moved by more than the number of events lost: a short burst
 * leaves the ordinary step rule valid, one below half the range leaves the nearest key as the only one possible, and
 * after a longer one the tag stands for itself, which is right below depth 65,536.
 */
static inline int64_t rv_tag_unwrap(const struct rv_tag_state *state, enum rv_tag_mode mode, uint16_t tag)
{
    uint32_t rise = rv_tag_rise(mode);
    if (!state->has_key)
        return tag;
    if (mode == RV_TAG_DEPTH && state->n_lost >= RV_TAG_RISE_DEPTH) {
        if (state->n_lost >= 32768)
            return tag;
        rise = 32768;
    }
    uint32_t step = (uint16_t)(tag - (uint16_t)state->key);
    return state->key + (step < rise ? (int64_t)step : (int64_t)step - 65536);
}

static inline int64_t rv_tag_advance(struct rv_tag_state *state, enum rv_tag_mode mode, uint16_t tag)
{
    state->key = rv_tag_unwrap(state, mode, tag);
    state->n_lost = 0;
    state->has_key = true;
    return state->key;
}

#endif
