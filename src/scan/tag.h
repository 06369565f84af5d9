/*
 * Tags to keys: a tag is the low 16 bits of a frame's depth, a key is the depth itself, without the wrap.
 *
 * Each tag is unwrapped against the stack's previous event, never against its top frame. So key differences do not
 * depend on where a block begins, which makes the scan associative.
 */
#ifndef RV_SCAN_TAG_H
#define RV_SCAN_TAG_H

#include <stdbool.h>
#include <stdint.h>

#include "ringviz/wire.h"

/* A step below this goes up, any other goes down: calls raise the depth one by one, but a longjmp may drop any
 * number. */
#define RV_TAG_RISE 4096u

/* Mask of the tag in the upper half of an event's second word. */
#define RV_TAG_MASK (-65536)

/* The most that one call raises the key: a signal handler may leave two depths unused. */
#define RV_TAG_RISE_OF_CALL 3

/* The unwrapping of one stack over the whole stream. Zero at the start. */
struct rv_tag_state {
    int64_t key;     /* of the previous event */
    uint64_t n_lost; /* events lost since then */
    bool has_key;
};

/* Events were lost before the next one. */
static inline void rv_tag_lose(struct rv_tag_state *state, uint32_t n_lost)
{
    state->n_lost += n_lost;
}

/*
 * The key of a tag. The depth cannot have changed by more than the number of lost events. After a few the ordinary step
 * rule is still valid; after less than half the tag's range the nearest key is the only possible one; after more the
 * tag itself is taken as the key, which is right below depth 65,536.
 */
static inline int64_t rv_tag_unwrap(const struct rv_tag_state *state, uint16_t tag)
{
    uint32_t rise = RV_TAG_RISE;
    if (!state->has_key)
        return tag;
    if (state->n_lost >= RV_TAG_RISE) {
        if (state->n_lost >= 32768)
            return tag;
        rise = 32768;
    }
    uint32_t step = (uint16_t)(tag - (uint16_t)state->key);
    return state->key + (step < rise ? (int64_t)step : (int64_t)step - 65536);
}

/* The same, and the tag is the previous one from now on. */
static inline int64_t rv_tag_advance(struct rv_tag_state *state, uint16_t tag)
{
    state->key = rv_tag_unwrap(state, tag);
    state->n_lost = 0;
    state->has_key = true;
    return state->key;
}

/*
 * The lowest key that becomes doubtful at an event with this key, after n_lost lost ones. A frame below it cannot have
 * ended and been replaced: that would have taken more calls than were lost.
 */
static inline int64_t rv_tag_doubtful(int64_t key, uint64_t n_lost)
{
    return key - RV_TAG_RISE_OF_CALL * (int64_t)n_lost;
}

#endif
