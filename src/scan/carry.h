/*
 * The serial half: per stream, the open frames of every stack, and the merge of scanned blocks into them, in order.
 * O(|R| + |S|) per block. After rv_carry_apply() the block's spans are complete and may be read by the same thread.
 */
#ifndef RV_SCAN_CARRY_H
#define RV_SCAN_CARRY_H

#include "scan/block.h"

struct rv_carry; /* opaque */

struct rv_carry *rv_carry_create(void);
void rv_carry_destroy(struct rv_carry *carry);

/* Blocks of one stream in stream order. One thread at a time. */
void rv_carry_apply(struct rv_carry *carry, struct rv_block *block);

/*
 * Read the finished spans of a merged block: for each stack in closing order (children before parents), up to max.
 *   cursor   zero before the first call
 *   max      a few hundred keep the spans in the first-level cache until they have been used
 *   returns  spans written; 0 at the end
 * Times are ns; an ORPHAN's start is its stack's first event.
 */
struct rv_block_cursor {
    uint32_t part, item, span;
};
size_t rv_block_read_spans(const struct rv_block *block, struct rv_block_cursor *cursor, struct rv_span *out,
                           size_t max);

/* A frame that is open now. */
struct rv_open_frame {
    uint64_t start; /* ns */
    uint32_t id;
    uint32_t flags;
};

/* Stacks seen so far, and the open frames of one, outermost first. Valid until the next apply. */
size_t rv_carry_n_stacks(const struct rv_carry *carry);

struct rv_open_stack {
    uint32_t stack;     /* key */
    int32_t base_depth; /* depth of frame 0; below 0 is shifted by the reader */
    uint32_t n_frames;
    uint32_t n_unchanged; /* frames that are the same as at the last rv_carry_mark_seen() */
    uint32_t n_alike;     /* those of them whose flags are the same, too */
    bool has_moved;       /* it had events since then */
    bool is_begun;        /* it had a call or return: first_ns is the first one's */
    uint64_t first_ns;
    int64_t least_key, last_key; /* of all events, and of the last; least_key INT64_MAX: there was none */
    uint64_t n_lost;             /* events since the last */
    const uint64_t *start;       /* ns, n_frames */
    const uint32_t *id;
    const int64_t *key;   /* rising; its low 16 bits are the frame's tag */
    const uint8_t *flags; /* RV_SPAN_DOUBTFUL or 0 */
};
void rv_carry_open_stack(const struct rv_carry *carry, size_t stack_idx, struct rv_open_stack *out);
void rv_carry_mark_seen(struct rv_carry *carry);

/*
 * How deep the first frame that was seen lay shows when something below it returns: what is to be added to all depths
 * so that none is below 0, when `shift` was that before.
 */
uint32_t rv_carry_shift(const struct rv_carry *carry, uint32_t shift);

/* Of the stream's last CALL or RETURN; 0: there was none. */
uint64_t rv_carry_last_ns(const struct rv_carry *carry);

/*
 * Go on where another carry stood: every stack that it had, in any order, before the first apply. What is pointed to is
 * copied; what describes the last mark is not looked at.
 *   last_ns   what its rv_carry_last_ns() was then, or earlier: the latest counts
 */
void rv_carry_resume(struct rv_carry *carry, const struct rv_open_stack *stack, uint64_t last_ns);

/*
 * The stream has ended at `end_ns`: turn open frames into spans (flag OPEN), innermost first, stack by stack; call
 * until 0.
 */
size_t rv_carry_finish(struct rv_carry *carry, uint64_t end_ns, struct rv_span *out, size_t max);

struct rv_carry_counts {
    uint64_t n_calls, n_cut, n_orphans, n_doubtful;
    uint64_t n_lost;    /* sum of LOST ids */
    uint32_t max_depth; /* greatest number of frames open at once */
};
void rv_carry_counts(const struct rv_carry *carry, struct rv_carry_counts *out);

#endif
