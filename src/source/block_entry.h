/*
 * The state of a stream's stacks at the beginning of a block: which calls are open. It is built from the rows of an
 * INDEX, which lists a stack in full in the first block that has it, and then what differs.
 */
#ifndef RV_SOURCE_BLOCK_ENTRY_H
#define RV_SOURCE_BLOCK_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash_index.h"
#include "stream/block_summary.h"

struct rv_entry_stack;

struct rv_block_entry { /* zeroed = no stacks */
    struct rv_entry_stack *stacks;
    size_t n, capacity;            /* stacks beyond n keep their memory */
    struct rv_hash_index by_stack; /* index + 1 */
};

void rv_block_entry_fini(struct rv_block_entry *entry);

/* Remove all stacks; keeps the memory. */
void rv_block_entry_clear(struct rv_block_entry *entry);

/*
 * Apply a row of the stream, in the order of the INDEX.
 *   depth    NULL: not known
 *   frames   row->n_frames of them
 *   returns  false: the row keeps frames that the stack does not have
 */
bool rv_block_entry_apply(struct rv_block_entry *entry, const struct rv_rec_index_stack *row,
                          const struct rv_rec_index_depth *depth, const struct rv_rec_index_frame *frames);

/* A stack by its index, valid until the entry changes. Its depth gets the frames' least level, or is derived from
 * them. */
struct rv_page_stack rv_block_entry_stack(struct rv_block_entry *entry, size_t i);

#endif
