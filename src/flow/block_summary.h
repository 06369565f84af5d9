/* Summaries of blocks: what a source reads from a recording's index, for the model. */
#ifndef RV_FLOW_BLOCK_SUMMARY_H
#define RV_FLOW_BLOCK_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ringviz/recording.h"

struct rv_stack_summary { /* of a stack in a block; ids are the pipeline's, times ns */
    const struct rv_rec_index_stack *row;
    const struct rv_rec_index_cell *cells; /* row->n_cells */
    const struct rv_rec_index_span *spans;
    const struct rv_event *notes;
};

struct rv_block_summary {
    uint64_t last_ns;
    bool is_end; /* of the stream */
    const struct rv_stack_summary *stacks;
    size_t n_stacks;
};

struct rv_call_total { /* of one subroutine */
    const struct rv_rec_index_total *row;
    const struct rv_rec_index_bucket *buckets;
};

struct rv_page_request {
    void *stream;   /* the pipeline's */
    uint32_t block; /* of those that were summarized, from 0 */
    uint32_t level; /* of detail: the pipeline's */
    void *slot;     /* the pipeline's: where the page goes */
};

struct rv_page_stack { /* where the block begins; ids are the pipeline's, times ns */
    uint32_t stack;
    uint32_t base_depth;             /* of the lowest open frame */
    uint64_t first_ns;               /* of the stack */
    struct rv_rec_index_depth depth; /* what was before */
    uint32_t n_frames;               /* open ones, outermost first */
    const uint64_t *start_ns;
    const uint32_t *ids;
    const int64_t *levels; /* their frames, without the wrap; rising */
    const uint8_t *flags;  /* as of struct rv_rec_index_frame */
};

#endif
