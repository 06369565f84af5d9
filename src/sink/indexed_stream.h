/* A stream as the index builder has it: its open frames, and for each of its stacks what the INDEX is to tell. */
#ifndef RV_SINK_INDEXED_STREAM_H
#define RV_SINK_INDEXED_STREAM_H

#include <stdbool.h>

#include "flow/stack_preamble.h"
#include "model/density.h"
#include "model/stats.h"
#include "ringviz/recording.h"
#include "scan/carry.h"

struct rv_indexed_stack { /* a stack of a stream */
    uint32_t stack;
    struct rv_stats_lane *stats;
    uint32_t n_open;            /* frames */
    uint32_t n_kept;            /* of those that were open at the block's beginning */
    uint32_t n_listed;          /* of those that this INDEX covers */
    uint64_t first_ns, last_ns; /* of its first call or return; no call ends before */
    uint32_t base_depth;        /* of its lowest frame, where the block begins */
    struct rv_rec_index_depth depth;
    /* of the block */
    bool is_listed;
    struct rv_rec_index_stack row;
    struct rv_density density;
    struct rv_rec_index_span *spans;
    size_t n_spans, spans_capacity;
    struct rv_event *notes;
    size_t n_notes, notes_capacity;
    /* of the batch: where its spans are; had the stack events? */
    size_t first, n;
    bool has_moved;
};

struct rv_indexed_stream { /* zeroed = not begun */
    bool is_begun;
    struct rv_carry *carry;
    struct rv_indexed_stack *lanes; /* as the carry's stacks */
    size_t n_lanes, lanes_capacity;
    uint32_t *slots; /* hash of the lanes' stacks: index + 1 */
    uint32_t n_slots;
    uint64_t last_ns;
    uint64_t n_ordinals; /* the next event's */
    uint32_t entry_stack, depth_shift;
    /* where the block begins */
    uint32_t begin_shift;
    uint64_t begin_ns; /* of the last call or return */
    struct rv_stack_preamble preamble;
    uint32_t level;
    uint64_t n_rows;    /* cells and spans so far, as they would be at this level */
    uint64_t n_indexes; /* put before the stream's last block */
};

void rv_indexed_stream_init(struct rv_indexed_stream *stream);
void rv_indexed_stream_fini(struct rv_indexed_stream *stream); /* it is zeroed */

/*
 * As if nothing had been of any stack before, but how deep the lowest frames lie.
 *   n_indexes  put before the block: the next one has listed no frame that is open, if the stream's last block is in
 *              another
 */
void rv_indexed_stream_begin_block(struct rv_indexed_stream *stream, uint64_t n_indexes);

bool rv_indexed_stream_has(const struct rv_indexed_stream *stream, uint32_t stack);
void rv_indexed_stream_add(struct rv_indexed_stream *stream, uint32_t stack); /* that it does not have */

/* As in a session: where something below the first frame that was seen has returned, all that is open lies deeper. */
void rv_indexed_stream_follow_base(struct rv_indexed_stream *stream);

/* Of a stack that the carry does not have, because nothing was called there or there are too many: the first. */
struct rv_indexed_stack *rv_indexed_stream_stack(struct rv_indexed_stream *stream, uint32_t stack);

/*
 * Put down calls that have ended, of one of its stacks and in that order: shorter than a cell of the stream's level
 * they go into cells, the others stay. No call is told to end before one that came earlier.
 */
void rv_indexed_stream_sum_up(const struct rv_indexed_stream *stream, struct rv_indexed_stack *lane,
                              const struct rv_span *spans, size_t n);

#endif
