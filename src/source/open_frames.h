/*
 * Frames that are open where blocks begin, as a tree: a frame knows the one below it, so that each is held once however
 * many blocks it spans, and what is open of a stack is a walk from its top.
 */
#ifndef RV_SOURCE_OPEN_FRAMES_H
#define RV_SOURCE_OPEN_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "flow/block_summary.h"

#define RV_NO_FRAME UINT32_MAX /* below the outermost */

struct rv_open_frame_node;

struct rv_open_frames { /* zero is empty */
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

/* A frame on another, or on RV_NO_FRAME; id is the pipeline's. Returns which it is: fewer than RV_NO_FRAME are put. */
uint32_t rv_open_frames_put(struct rv_open_frames *frames, uint32_t below, const struct rv_rec_index_frame *row,
                            uint32_t id);

uint32_t rv_open_frames_below(const struct rv_open_frames *frames, uint32_t frame);

/*
 * The n frames from one downward, which are all that there are, into *stack: until the next read. Of stack->depth they
 * take the least level; where nothing is known of it, it becomes what follows from them.
 */
void rv_open_frames_read(struct rv_open_frames *frames, uint32_t top, uint32_t n, struct rv_page_stack *stack);

#endif
