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
 * The part that has this piece alone, measured while the subroutines had this version; NULL: none is kept. Valid until
 * released.
 */
const struct rv_range_part *rv_range_memory_borrow(struct rv_range_memory *memory, const struct rv_range_piece *piece,
                                                   uint64_t version);
void rv_range_memory_release(struct rv_range_memory *memory, const struct rv_range_part *part);

/* Take a complete part of one piece, to keep it or, where borrowed ones fill the memory, to free it. */
void rv_range_memory_take(struct rv_range_memory *memory, struct rv_range_part *part, uint64_t version);

#endif
