/* Summaries of blocks: read by a source from a recording's index, for the model. */
#ifndef RV_STREAM_BLOCK_SUMMARY_H
#define RV_STREAM_BLOCK_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ringviz/recording.h"

struct rv_stack_summary { /* one stack in one block; pipeline ids, times in ns */
    const struct rv_rec_index_stack *row;
    const struct rv_rec_index_cell *cells; /* row->n_cells */
    const struct rv_rec_index_span *spans;
    const struct rv_event *notes;
};

struct rv_block_summary {
    uint64_t offset;            /* in the file */
    uint64_t index;             /* offset of the INDEX that has it */
    uint64_t first_ns, last_ns; /* of its events */
    bool is_after_gap;          /* it does not follow the last block */
    bool is_end;                /* of the stream */
    uint32_t n_switches;        /* events of the block that are no events of the program */
    const struct rv_stack_summary *stacks;
    size_t n_stacks;
};

struct rv_waiter_summary {            /* the waits of a stack in a block */
    uint64_t index;                   /* offset of the INDEX that has them */
    size_t first_wait, first_release; /* their rows in it */
    const struct rv_rec_index_waiter *row;
};

struct rv_fold_summary { /* of blocks of a stack */
    const struct rv_rec_index_fold *row;
    const struct rv_rec_index_part *parts; /* row->n_parts */
    const struct rv_rec_index_sum *sums;   /* of all parts */
    const struct rv_rec_index_call *calls;
};

struct rv_call_total { /* all calls of one subroutine */
    const struct rv_rec_index_total *row;
    const struct rv_rec_index_bucket *buckets;
    uint64_t inner_ns; /* see struct rv_rec_index_inner */
    bool lacks_inner;  /* it is not known */
};

struct rv_page_request {
    uint64_t offset, index; /* of the block's summary */
    /* opaque to the source */
    void *stream;
    uint32_t block; /* number among the stream's summarized blocks */
    uint32_t level; /* level of detail */
    void *slot;     /* the page's destination */
};

struct rv_page_stack { /* one stack at the beginning of a block; pipeline ids, times in ns */
    uint32_t stack;
    uint32_t base_depth;             /* of the lowest open frame */
    uint64_t first_ns;               /* of the stack's first event */
    struct rv_rec_index_depth depth; /* state before the block */
    uint32_t n_frames;               /* open ones, outermost first */
    const uint64_t *start_ns;
    const uint32_t *ids;
    const int64_t *levels; /* keys of the frames, increasing */
    const uint8_t *flags;  /* as of struct rv_rec_index_frame */
};

#endif
