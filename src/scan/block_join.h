/*
 * The serial half of the scan: the carry, which is the open frames of every stack of one stream. Scanned blocks are
 * merged into it in stream order.
 * O(|R| + |S|) per block (reaches and open frames). After rv_block_join_apply() the block's spans are complete and may
 * be read by the same thread.
 */
#ifndef RV_SCAN_BLOCK_JOIN_H
#define RV_SCAN_BLOCK_JOIN_H

#include "scan/block.h"

struct rv_block_join; /* the carry of a stream; opaque */

struct rv_block_join *rv_block_join_create(void);
void rv_block_join_destroy(struct rv_block_join *carry);

/* Merge the next block of the stream. One thread at a time. */
void rv_block_join_apply(struct rv_block_join *carry, struct rv_block *block);

/*
 * Read the finished spans of a merged block: for each stack in closing order (children before parents), up to max.
 *   cursor   zero before the first call
 *   max      a few hundred spans stay in the first-level cache until used
 *   returns  spans written; 0 at the end
 * Times are ns; an ORPHAN's start is its stack's first event.
 */
struct rv_block_cursor {
    uint32_t part, item, span;
};
size_t rv_block_read_spans(const struct rv_block *block, struct rv_block_cursor *cursor, struct rv_span *out,
                           size_t max);

/* An open frame. */
struct rv_open_frame {
    uint64_t start; /* ns */
    uint32_t id;
    uint32_t flags;
};

/* Number of stacks seen so far. */
size_t rv_block_join_n_stacks(const struct rv_block_join *carry);

struct rv_open_stack {
    uint32_t stack;     /* stack key */
    int32_t base_depth; /* depth of frame 0; may be below 0: see rv_block_join_shift() */
    uint32_t n_frames;
    uint32_t n_unchanged; /* lowest frames that are unchanged since the last rv_block_join_mark_seen() */
    uint32_t n_alike;     /* those of them with unchanged flags, too */
    bool has_moved;       /* it had events since then */
    bool is_begun;        /* has had a CALL or RETURN, the first one at first_ns */
    uint64_t first_ns;
    int64_t least_key, last_key; /* least of all events, and the last event's; least_key INT64_MAX: no event yet */
    uint64_t n_lost;             /* events lost since the last event */
    const uint64_t *start;       /* ns, n_frames */
    const uint32_t *id;
    const int64_t *key;   /* increasing; the low 16 bits are the frame's tag */
    const uint8_t *flags; /* RV_SPAN_DOUBTFUL or 0 */
};
/* The open frames of a stack, stack_idx < rv_block_join_n_stacks(). Arrays are valid until the next apply. */
void rv_block_join_open_stack(const struct rv_block_join *carry, size_t stack_idx, struct rv_open_stack *out);
/* From here on, rv_open_stack counts changes. */
void rv_block_join_mark_seen(struct rv_block_join *carry);

/*
 * The depth of the first frame seen becomes known only when something below it returns. Returns the number to add to
 * all depths so that none is below 0, given the previous such number.
 */
uint32_t rv_block_join_shift(const struct rv_block_join *carry, uint32_t shift);

/* Time of the stream's last CALL or RETURN; 0: none yet. */
uint64_t rv_block_join_last_ns(const struct rv_block_join *carry);

/*
 * Restore another carry's state: call this for each of its stacks, in any order, before the first apply. Arrays are
 * copied; the fields about the last mark are ignored.
 *   last_ns   rv_block_join_last_ns() at that point, or an earlier time: the latest given counts
 */
void rv_block_join_resume(struct rv_block_join *carry, const struct rv_open_stack *stack, uint64_t last_ns);

/*
 * The stream has ended at `end_ns`: turn open frames into spans (flag OPEN), innermost first, stack by stack; call
 * until 0.
 */
size_t rv_block_join_finish(struct rv_block_join *carry, uint64_t end_ns, struct rv_span *out, size_t max);

struct rv_block_join_counts {
    uint64_t n_calls, n_cut, n_orphans, n_doubtful;
    uint64_t n_lost;    /* sum of LOST ids */
    uint32_t max_depth; /* greatest number of frames open at once */
};
/* Of all blocks so far. */
void rv_block_join_counts(const struct rv_block_join *carry, struct rv_block_join_counts *out);

#endif
