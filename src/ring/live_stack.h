/*
 * The live stack of a ring: the current call stack of its thread, one slot per frame, for observers that sample it.
 * Slots wrap: for a stack deeper than n_slots only the innermost frames are known. A frame whose slot was reused by a
 * deeper one stays unknown after that one returns, as in Devel::RingBuffer.
 *
 * One seqlock over all slots: L1 -> L2 the odd sequence before the writes, L3 -> L4 the writes before the even one.
 */
#ifndef RV_RING_LIVE_STACK_H
#define RV_RING_LIVE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/map.h"

struct rv_live_stack { /* a view into the map, like struct rv_ring */
    struct rv_map *map;
    uint32_t ring_idx;
    struct rv_wire_control *control;
    uint8_t *first;
    uint32_t n_slots, slot_bytes;
};

struct rv_slot {
    int32_t line; /* -1: no such frame, or unknown */
    uint32_t name_id;
    uint64_t ticks;
};

/* The live stack of a ring; the map is borrowed. */
void rv_live_stack_view(struct rv_live_stack *slots, struct rv_map *map, uint32_t ring_idx);

/* Owner thread, after claiming the ring: no frame is open and all slots are unknown. */
void rv_live_stack_clear(const struct rv_live_stack *slots);

/* Owner thread. Number of open frames. */
int32_t rv_live_stack_depth(const struct rv_live_stack *slots);

/* Owner thread. A new frame on line 0; text is cut to slot_bytes - 1, "" when name_id suffices. Returns the depth. */
int32_t rv_live_stack_push(struct rv_live_stack *slots, const char *text, uint32_t name_id, uint64_t ticks);

/* Owner thread. The statement being executed in the innermost frame. False when there is none, or no memory for it. */
bool rv_live_stack_update(struct rv_live_stack *slots, uint32_t line, uint64_t ticks);

/* Owner thread. Returns the new depth; an empty stack stays empty. */
int32_t rv_live_stack_pop(struct rv_live_stack *slots);

/* Any process: slot of the innermost frame (-1: none) and depth. 0, or -EAGAIN when the owner kept writing. */
int rv_live_stack_position(const struct rv_live_stack *slots, int32_t *current_slot, int32_t *depth);

/*
 * Any process. Copy one slot; text is NUL-terminated, escaped as names are, or a fixed sentence when the frame is
 * unknown.
 *   returns  0; -ENOENT for a slot_idx out of range; -EAGAIN when its owner kept writing, or died doing so
 */
int rv_live_stack_read(const struct rv_live_stack *slots, int32_t slot_idx, struct rv_slot *slot, char *text,
                       size_t text_bytes);

#endif
