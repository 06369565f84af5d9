/*
 * Where the stacks of a stream stand as its blocks begin, in the order of the blocks: each is found again by its stack
 * as it stood last.
 */
#ifndef RV_SOURCE_STACK_ENTRIES_H
#define RV_SOURCE_STACK_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "ringviz/recording.h"

struct rv_stack_entry { /* what is open of a stack from a block on */
    uint32_t stack;
    uint32_t top, n_frames; /* of the tree: source/open_frames.h */
    uint32_t base_depth;
    uint64_t first_ns;
    struct rv_rec_index_depth depth;
};

struct rv_stack_entries { /* zero is empty */
    struct rv_stack_entry *entries;
    size_t n, capacity;
    uint32_t *slots; /* hash of the stacks' latest entries: index + 1 */
    uint32_t n_slots, n_stacks;
};

void rv_stack_entries_fini(struct rv_stack_entries *entries);

/* The stack's latest one since they were forgotten, until the next is added; NULL: it has none. */
const struct rv_stack_entry *rv_stack_entries_latest(const struct rv_stack_entries *entries, uint32_t stack);

/* Fewer than UINT32_MAX are added; this one is no part of them. */
void rv_stack_entries_add(struct rv_stack_entries *entries, const struct rv_stack_entry *entry);

/* From now on no stack has a latest one; those that were added stay. */
void rv_stack_entries_forget(struct rv_stack_entries *entries);

#endif
