/*
 * Density cells: what is left of spans too short to be seen. Level k (1 .. RV_TIMELINE_LEVELS - 1) has cells of
 * 2^(13 + 2(k-1)) ns per depth: time covered, calls that ended there, and the subroutine that has most of it
 * (Boyer-Moore, so a guess where none has half).
 *
 * A span goes into one level, the finest whose cells are longer than it; a finished cell goes into the next level. Each
 * level keeps the current and the previous column open, which is all that a span shorter than a cell can touch; so a
 * span costs O(1) amortised, the split is exact, and every level is sorted by time.
 */
#ifndef RV_MODEL_DENSITY_H
#define RV_MODEL_DENSITY_H

#include "model/chunks.h"
#include "model/timeline.h"

#define RV_DENSITY_ROWS 4096u /* deeper spans are counted in the last row */

struct rv_density_sum { /* of one row in one open column */
    uint64_t covered_ns, n_calls, weight;
    uint32_t id;
};

struct rv_density_column {
    uint64_t words;              /* bit w: masks[w] is not zero */
    uint64_t *masks;             /* bit r % 64 of word r / 64: row r has a sum */
    struct rv_density_sum *sums; /* zero where the mask is */
};

struct rv_density_level {
    uint64_t current;                 /* column that holds the latest end; the one before it is open too */
    struct rv_density_column open[2]; /* by column & 1 */
    uint32_t n_rows;
    struct rv_chunks cells; /* finished, key = column */
};

struct rv_density {
    struct rv_density_level levels[RV_TIMELINE_LEVELS]; /* [0] unused */
    uint64_t first_column_end_ns;                       /* the finest column is left at this time; 0 = no span yet */
};

/* log2 of a cell's width in ns; level >= 1. */
static inline unsigned rv_density_shift(uint32_t level)
{
    return 13 + 2 * (level - 1);
}

void rv_density_init(struct rv_density *density);
void rv_density_fini(struct rv_density *density);
size_t rv_density_bytes(const struct rv_density *density);

void rv_density_advance_far(struct rv_density *density, uint64_t end_ns);

/* Time has come to this end: finish the columns it has left. Before each rv_density_add(). */
static inline void rv_density_advance(struct rv_density *density, uint64_t end_ns)
{
    if (__builtin_expect(end_ns >= density->first_column_end_ns, 0))
        rv_density_advance_far(density, end_ns);
}

/* Fold a span shorter than this level's cells. */
void rv_density_add(struct rv_density *density, uint32_t level, const struct rv_span *span);

/* Cells of a level that overlap [from, to): exactly as many as a query gives. */
uint64_t rv_density_count(const struct rv_density *density, uint32_t level, uint64_t from_ns, uint64_t to_ns);
size_t rv_density_query(const struct rv_density *density, uint32_t level, uint64_t from_ns, uint64_t to_ns,
                        struct rv_box *out, size_t max);

#endif
