/*
 * Measured parts of ranges, kept for later ranges: a part between other parts of its lane is the same in each range
 * that has it. Any thread.
 */
#ifndef RV_MODEL_RANGE_MEMORY_H
#define RV_MODEL_RANGE_MEMORY_H

#include "model/range_walk.h"

struct rv_range_memory; /* opaque */

/* Which ids of subroutines a range merges: for each number of ids, from 0 on, a hash of what the first so many are in
 * results. */
struct rv_range_namesakes {
    const uint64_t *hashes; /* n_ids + 1 */
    uint32_t n_ids;         /* from here on they are as they are */
};

/* Keeps parts of about so many bytes. No range uses it when it is destroyed. */
struct rv_range_memory *rv_range_memory_create(size_t most_bytes);
void rv_range_memory_destroy(struct rv_range_memory *memory);

/*
 * The part that has this piece alone, with the same states, and whose subroutines had the same namesakes when it was
 * measured: those of later ids make no difference. NULL: none is kept. Valid until released.
 */
const struct rv_range_part *rv_range_memory_borrow(struct rv_range_memory *memory, const struct rv_range_piece *piece,
                                                   const struct rv_range_namesakes *namesakes);
void rv_range_memory_release(struct rv_range_memory *memory, const struct rv_range_part *part);

/* Take a complete part of one piece, to keep it or, where borrowed ones fill the memory, to free it. */
void rv_range_memory_take(struct rv_range_memory *memory, struct rv_range_part *part,
                          const struct rv_range_namesakes *namesakes);

/* How many more there is room for, in the place of no others, if they are as large as the largest one so far. Parts
 * with other namesakes or outdated states go first. */
size_t rv_range_memory_room(struct rv_range_memory *memory, const struct rv_range_namesakes *namesakes);

#endif
