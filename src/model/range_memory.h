/*
 * Measured parts of ranges, kept for later ranges: a part between other parts of its lane is the same in each range
 * that has it. Any thread.
 */
#ifndef RV_MODEL_RANGE_MEMORY_H
#define RV_MODEL_RANGE_MEMORY_H

#include "model/range_walk.h"

struct rv_range_memory; /* opaque */

/* Keeps parts of about so many bytes. No range uses it when it is destroyed. */
struct rv_range_memory *rv_range_memory_create(size_t most_bytes);
void rv_range_memory_destroy(struct rv_range_memory *memory);

/*
 * The part that has this piece alone, measured with these namesakes of subroutines; NULL: none is kept. Valid until
 * released.
 */
const struct rv_range_part *rv_range_memory_borrow(struct rv_range_memory *memory, const struct rv_range_piece *piece,
                                                   uint64_t namesakes);
void rv_range_memory_release(struct rv_range_memory *memory, const struct rv_range_part *part);

/* Take a complete part of one piece, to keep it or, where borrowed ones fill the memory, to free it. */
void rv_range_memory_take(struct rv_range_memory *memory, struct rv_range_part *part, uint64_t namesakes);

/* How many more there is room for, in the place of no others, if they are as large as the largest one so far. Parts with
 * other namesakes go first. */
size_t rv_range_memory_room(struct rv_range_memory *memory, uint64_t namesakes);

#endif
