/*
 * The state of a stream's stacks at the beginnings of its blocks, in block order; finds the latest state of each stack.
 */
#ifndef RV_SOURCE_STACK_ENTRIES_H
#define RV_SOURCE_STACK_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "ringviz/recording.h"

struct rv_stack_entry { /* open frames of a stack from a block on */
    uint32_t stack;
    uint32_t top, n_frames; /* top frame in source/open_frames.h */
    uint32_t base_depth;
    uint64_t first_ns;
    struct rv_rec_index_depth depth;
};

struct rv_stack_entries { /* zeroed = empty */
    struct rv_stack_entry *entries;
    size_t n, capacity;
    struct rv_hash_index latest; /* by stack: index + 1 */
};

void rv_stack_entries_fini(struct rv_stack_entries *entries);

/* The stack's latest entry since rv_stack_entries_forget(), valid until the next add; NULL: none. */
const struct rv_stack_entry *rv_stack_entries_latest(const struct rv_stack_entries *entries, uint32_t stack);

/* Add a copy of the entry; at most UINT32_MAX - 1 entries. */
void rv_stack_entries_add(struct rv_stack_entries *entries, const struct rv_stack_entry *entry);

/* Clear the latest entry of every stack; the entries remain. */
void rv_stack_entries_forget(struct rv_stack_entries *entries);

#endif
