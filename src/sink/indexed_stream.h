/* A stream in the index builder: its open frames, and each stack's contents of the INDEX. */
#ifndef RV_SINK_INDEXED_STREAM_H
#define RV_SINK_INDEXED_STREAM_H

#include <stdbool.h>

#include "base/hash_index.h"
#include "model/density.h"
#include "model/stats.h"
#include "ringviz/recording.h"
#include "scan/block_join.h"
#include "sink/indexed_folds.h"
#include "sink/indexed_waits.h"
#include "stream/stack_preamble.h"

struct rv_indexed_stack { /* a stack of a stream */
    uint32_t stack;
    struct rv_stats_lane *stats;
    uint32_t n_open;            /* frames */
    uint32_t n_kept;            /* frames still open since the block's beginning */
    uint32_t n_listed;          /* frames already listed in this INDEX */
    uint64_t first_ns, last_ns; /* of its first call or return; no call ends before */
    uint32_t base_depth;        /* of its lowest frame at the block's beginning */
    struct rv_rec_index_depth depth;
    bool is_off_cpu;     /* by the last switch; */
    struct rv_event ran; /* the end of a stretch off the CPU that may still be split; zeroed: none */
    /* of the block */
    bool is_listed;
    struct rv_rec_index_stack row;
    struct rv_density density;
    struct rv_rec_index_span *spans;
    size_t n_spans, spans_capacity;
    struct rv_event *notes;
    size_t n_notes, notes_capacity;
    uint32_t n_marks; /* marks and values, noted or not */
    struct rv_indexed_waits waits;
    /* per batch: its spans in the buffer; whether it had events */
    size_t first, n;
    bool has_moved;
};

struct rv_indexed_stream { /* zeroed = not begun */
    bool is_begun;
    struct rv_block_join *carry;
    struct rv_indexed_stack *lanes;
    size_t n_lanes, lanes_capacity;
    struct rv_hash_index by_stack; /* of the lanes: index + 1 */
    uint64_t last_ns;
    uint64_t n_ordinals; /* ordinal of the next event */
    uint32_t entry_stack, depth_shift;
    /* at the block's beginning */
    uint32_t begin_shift;
    uint64_t begin_ns; /* of the last call or return */
    struct rv_stack_preamble preamble;
    uint32_t level;
    uint64_t n_rows;    /* estimated cells and spans so far at this level */
    uint64_t n_indexes; /* INDEXes written before the stream's last block */
    struct rv_fold_time fold_pending;
};

void rv_indexed_stream_init(struct rv_indexed_stream *stream);
void rv_indexed_stream_fini(struct rv_indexed_stream *stream); /* leaves it zeroed */

/*
 * Clear all stacks except the depths of their lowest frames.
 *   n_indexes  INDEXes written before this block: if it has changed since the stream's last block, all open frames must
 *              be listed again
 */
void rv_indexed_stream_begin_block(struct rv_indexed_stream *stream, uint64_t n_indexes);

/* As in a session: when a frame below the first one seen returns, all open frames are deeper than assumed. */
void rv_indexed_stream_follow_base(struct rv_indexed_stream *stream);

/* The lane of a stack, with calls or without, which is added if the stream lacks it; the first lane if there are too
 * many. Valid until the next one is added. */
struct rv_indexed_stack *rv_indexed_stream_stack(struct rv_indexed_stream *stream, uint32_t stack);

/*
 * Add finished calls of one stack in closing order: calls shorter than a cell of the stream's level go into cells,
 * others are kept. An end earlier than the previous one is raised to it.
 */
void rv_indexed_stream_sum_up(const struct rv_indexed_stream *stream, struct rv_indexed_stack *lane,
                              const struct rv_span *spans, size_t n);

#endif
