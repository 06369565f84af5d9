/* The waits of one stack in the index builder: those that ended in the present block, and what it released there. */
#ifndef RV_SINK_INDEXED_WAITS_H
#define RV_SINK_INDEXED_WAITS_H

#include "model/moments.h"
#include "recording/index_chunk.h"
#include "scan/block_join.h"
#include "waits/open_waits.h"

struct rv_indexed_waits { /* zeroed = none */
    struct rv_open_waits follower;
    /* of the block */
    struct rv_rec_index_wait *waits;
    struct rv_rec_index_release *releases;
    size_t n_waits, n_releases, waits_capacity, releases_capacity;
    size_t n_noted;            /* waits whose waker is in a note of the block, or needs none */
    struct rv_moment *moments; /* of the batch: of a WOKEN is the index of a wait, of a RELEASE that of a release */
    size_t n_moments, moments_capacity;
};

struct rv_wait_finder { /* scratch of rv_indexed_waits_find_calls(); zeroed = empty */
    struct rv_lane_frame *open;
    size_t *waiting;
    size_t open_capacity, waiting_capacity;
};

void rv_indexed_waits_fini(struct rv_indexed_waits *waits);
void rv_wait_finder_fini(struct rv_wait_finder *finder);

/* Follow the stack's next event. True: a wait ended, or something was released, whose call is still to be found. */
bool rv_indexed_waits_add(struct rv_indexed_waits *waits, const struct rv_event *event);

/* The stream ends. As rv_indexed_waits_add(). */
bool rv_indexed_waits_end(struct rv_indexed_waits *waits, uint64_t end_ns);

/*
 * Find the calls of what came since the last time.
 *   spans  the stack's calls that ended since then
 *   open   its frames after them; NULL: none
 */
void rv_indexed_waits_find_calls(struct rv_indexed_waits *waits, struct rv_wait_finder *finder,
                                 const struct rv_span *spans, size_t n, const struct rv_open_stack *open);

/* The block ends: move its waits and releases to the table. */
void rv_indexed_waits_put(struct rv_indexed_waits *waits, struct rv_rec_index_table *table, uint32_t stream,
                          uint32_t stack);

#endif
