#include "source/open_frames.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/vec.h"

#define DOUBTFUL 8 /* of a row's flags */

struct rv_open_frame_node {
    uint64_t start_ns;
    uint32_t id, below;
    uint16_t tag;
    uint8_t flags;
};

static void free_stack(struct rv_open_frames *frames)
{
    free(frames->start_ns);
    free(frames->ids);
    free(frames->levels);
    free(frames->flags);
}

void rv_open_frames_fini(struct rv_open_frames *frames)
{
    free_stack(frames);
    free(frames->nodes);
    *frames = (struct rv_open_frames){0};
}

uint32_t rv_open_frames_put(struct rv_open_frames *frames, uint32_t below, const struct rv_rec_index_frame *row,
                            uint32_t id)
{
    frames->nodes = rv_vec_reserve(frames->nodes, &frames->capacity, frames->n + 1, sizeof *frames->nodes);
    frames->nodes[frames->n] = (struct rv_open_frame_node){.start_ns = row->start_ns & RV_EVENT_TICKS_MASK,
                                                           .id = id,
                                                           .below = below,
                                                           .tag = row->frame,
                                                           .flags = row->flags & DOUBTFUL};
    return (uint32_t)frames->n++;
}

uint32_t rv_open_frames_below(const struct rv_open_frames *frames, uint32_t frame)
{
    return frames->nodes[frame].below;
}

static void reserve_stack(struct rv_open_frames *frames, size_t n)
{
    if (n <= frames->stack_capacity)
        return;
    free_stack(frames);
    frames->start_ns = rv_alloc(n, sizeof *frames->start_ns);
    frames->ids = rv_alloc(n, sizeof *frames->ids);
    frames->levels = rv_alloc(n, sizeof *frames->levels);
    frames->flags = rv_alloc(n, sizeof *frames->flags);
    frames->stack_capacity = n;
}

/* Levels increase; the tag of each is known. */
static void unwrap(int64_t *levels, uint32_t n, int64_t least)
{
    for (uint32_t i = 0; i < n; i++) {
        levels[i] = least + (uint16_t)(levels[i] - least);
        least = levels[i] + 1;
    }
}

void rv_open_frames_read(struct rv_open_frames *frames, uint32_t top, uint32_t n, struct rv_page_stack *stack)
{
    reserve_stack(frames, n);
    for (uint32_t i = n; i-- > 0;) {
        const struct rv_open_frame_node *node = &frames->nodes[top];
        frames->start_ns[i] = node->start_ns;
        frames->ids[i] = node->id;
        frames->levels[i] = node->tag;
        frames->flags[i] = node->flags;
        top = node->below;
    }
    bool is_told = stack->depth.least != INT64_MAX;
    if (n && !is_told)
        stack->depth.least = frames->levels[0];
    unwrap(frames->levels, n, stack->depth.least);
    if (n && !is_told)
        stack->depth.last = frames->levels[n - 1];
    stack->n_frames = n;
    stack->start_ns = frames->start_ns;
    stack->ids = frames->ids;
    stack->levels = frames->levels;
    stack->flags = frames->flags;
}
