#include "source/block_entry.h"

#include <stdlib.h>

#include "base/vec.h"

#define DOUBTFUL 8 /* of a row's flags */

struct rv_entry_stack {
    uint32_t stack, base_depth;
    uint64_t first_ns;
    struct rv_rec_index_depth depth;
    /* of the frames, outermost first */
    uint64_t *start_ns;
    uint32_t *ids;
    int64_t *levels; /* as in the rows: without what is above 16 bits, until the stack is read */
    uint8_t *flags;
    size_t n_frames, capacity;
};

static void free_frames(struct rv_entry_stack *stack)
{
    free(stack->start_ns);
    free(stack->ids);
    free(stack->levels);
    free(stack->flags);
}

void rv_block_entry_fini(struct rv_block_entry *entry)
{
    for (size_t i = 0; i < entry->capacity; i++)
        free_frames(&entry->stacks[i]);
    free(entry->stacks);
    rv_hash_index_fini(&entry->by_stack);
    *entry = (struct rv_block_entry){0};
}

void rv_block_entry_clear(struct rv_block_entry *entry)
{
    entry->n = 0;
    rv_hash_index_clear(&entry->by_stack);
}

static struct rv_entry_stack *stack_at(struct rv_block_entry *entry, uint32_t number)
{
    uint32_t found = rv_hash_index_get(&entry->by_stack, number);
    if (found)
        return &entry->stacks[found - 1];
    if (entry->n == entry->capacity)
        entry->stacks = rv_vec_extend(entry->stacks, &entry->capacity, 2 * entry->capacity + 1, sizeof *entry->stacks);
    struct rv_entry_stack *stack = &entry->stacks[entry->n++];
    stack->stack = number;
    stack->n_frames = 0;
    rv_hash_index_add(&entry->by_stack, number, (uint32_t)entry->n);
    return stack;
}

static void reserve(struct rv_entry_stack *stack, size_t n)
{
    if (n <= stack->capacity)
        return;
    n = n < 2 * stack->capacity ? 2 * stack->capacity : n;
    stack->start_ns = rv_realloc(stack->start_ns, n * sizeof *stack->start_ns);
    stack->ids = rv_realloc(stack->ids, n * sizeof *stack->ids);
    stack->levels = rv_realloc(stack->levels, n * sizeof *stack->levels);
    stack->flags = rv_realloc(stack->flags, n * sizeof *stack->flags);
    stack->capacity = n;
}

static void push(struct rv_entry_stack *stack, const struct rv_rec_index_frame *frame)
{
    stack->start_ns[stack->n_frames] = frame->start_ns & RV_EVENT_TICKS_MASK;
    stack->ids[stack->n_frames] = frame->id;
    stack->levels[stack->n_frames] = frame->frame;
    stack->flags[stack->n_frames++] = frame->flags & DOUBTFUL;
}

bool rv_block_entry_apply(struct rv_block_entry *entry, const struct rv_rec_index_stack *row,
                          const struct rv_rec_index_depth *depth, const struct rv_rec_index_frame *frames)
{
    struct rv_entry_stack *stack = stack_at(entry, row->stack);
    const bool has_kept = row->n_kept <= stack->n_frames;
    stack->base_depth = row->base_depth;
    stack->first_ns = row->first_ns;
    stack->depth = depth ? *depth : (struct rv_rec_index_depth){.least = INT64_MAX};
    stack->n_frames = has_kept ? row->n_kept : 0;
    reserve(stack, stack->n_frames + row->n_frames);
    for (uint32_t i = 0; i < row->n_frames; i++)
        push(stack, &frames[i]);
    return has_kept;
}

/* Levels increase; the low 16 bits of each are known. */
static void unwrap(int64_t *levels, size_t n, int64_t least)
{
    for (size_t i = 0; i < n; i++) {
        levels[i] = least + (uint16_t)(levels[i] - least);
        least = levels[i] + 1;
    }
}

struct rv_page_stack rv_block_entry_stack(struct rv_block_entry *entry, size_t i)
{
    struct rv_entry_stack *stack = &entry->stacks[i];
    const size_t n = stack->n_frames;
    struct rv_rec_index_depth depth = stack->depth;
    const bool is_told = depth.least != INT64_MAX;
    if (n && !is_told)
        depth.least = (uint16_t)stack->levels[0];
    unwrap(stack->levels, n, depth.least);
    if (n && !is_told)
        depth.last = stack->levels[n - 1];
    return (struct rv_page_stack){.stack = stack->stack,
                                  .base_depth = stack->base_depth,
                                  .first_ns = stack->first_ns,
                                  .depth = depth,
                                  .n_frames = (uint32_t)n,
                                  .start_ns = stack->start_ns,
                                  .ids = stack->ids,
                                  .levels = stack->levels,
                                  .flags = stack->flags};
}
