/*
 * The frames open at the beginnings of blocks, stored as a tree: each frame refers to the one below it, so a frame is
 * stored once for all blocks that it spans, and a stack is a walk from its top frame.
 */
#ifndef RV_SOURCE_OPEN_FRAMES_H
#define RV_SOURCE_OPEN_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "flow/block_summary.h"

#define RV_NO_FRAME UINT32_MAX /* parent of the outermost frame */

struct rv_open_frame_node;

struct rv_open_frames { /* zeroed = empty */
    struct rv_open_frame_node *nodes;
    size_t n, capacity;
    /* scratch: frames of one stack */
    uint64_t *start_ns;
    uint32_t *ids;
    int64_t *levels;
    uint8_t *flags;
    size_t stack_capacity;
};

void rv_open_frames_fini(struct rv_open_frames *frames);

/* Add a frame above another or RV_NO_FRAME; id is the pipeline's. Returns its index. At most RV_NO_FRAME frames. */
uint32_t rv_open_frames_put(struct rv_open_frames *frames, uint32_t below, const struct rv_rec_index_frame *row,
                            uint32_t id);

/* The frame that it lies on, or RV_NO_FRAME. */
uint32_t rv_open_frames_below(const struct rv_open_frames *frames, uint32_t frame);

/*
 * Write the n frames from `top` down, which are the whole stack, into *stack, valid until the next read. stack->depth
 * gets their least level, or is derived from them if nothing is known.
 */
void rv_open_frames_read(struct rv_open_frames *frames, uint32_t top, uint32_t n, struct rv_page_stack *stack);

#endif
