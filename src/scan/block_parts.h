/*
 * Inside the scan: the contents of a block, shared by the kernels, the carry and the reader.
 *
 * Keys in a block are relative to the part's first tag, and one event moves a key by at most 61,440: so twice a key,
 * and twice the difference of two keys, fit 32 bits for RV_BLOCK_EVENTS events. A frame's key is stored doubled. The
 * entry below the lowest frame holds 2 * min_key - 1, which equals no event's 2 * key and which only a new minimum is
 * below. So underflow and new minima fail the same comparison as any irregular event. Below it are entries that a
 * kernel may load; their keys are odd, so none matches.
 */
#ifndef RV_SCAN_BLOCK_PARTS_H
#define RV_SCAN_BLOCK_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/block.h"
#include "scan/block_join.h"

#define RV_STACK_SENTINELS 16
#define RV_KERNEL_OVERRUN 16 /* elements a kernel may write past the last valid one */

/*
 * Local spans are four arrays in one, local frames three, at offsets known at compile time, so that a kernel needs one
 * register for each. The offsets keep the arrays in different cache sets.
 */
#define RV_LOCAL_STRIDE (RV_BLOCK_EVENTS + 144)
#define RV_LOCAL_END RV_LOCAL_STRIDE /* the start is at 0 */
#define RV_LOCAL_ID (2 * RV_LOCAL_STRIDE)
#define RV_LOCAL_PLACE (3 * RV_LOCAL_STRIDE)
#define RV_FRAME_STRIDE (RV_BLOCK_EVENTS + 208)
#define RV_FRAME_ID RV_FRAME_STRIDE /* the start is at 0 */
#define RV_FRAME_KEY (2 * RV_FRAME_STRIDE)

/* Times are 31-bit offsets from the block's first. */
#define RV_OFFSET_MASK 0x7fffffffu

/* A local span's place: 4 * depth above the part's frames, or'ed with RV_SPAN_CUT or RV_SPAN_ORPHAN. */
#define RV_PLACE_SHIFT 2
#define RV_PLACE_FLAGS 3u

enum rv_reach_outcome { RV_REACH_NOTHING, RV_REACH_SPAN, RV_REACH_ORPHAN };

/*
 * An event that reaches below the block's own frames: its key is a strict minimum so far. The events from it up to the
 * next reach are its segment.
 */
struct rv_reach {
    uint32_t offset, id;
    int32_t key;
    uint32_t first_span; /* the segment's first local span */
    uint32_t peak;       /* most local frames open at once in the segment */
    /* set by the carry */
    uint64_t start; /* start of the span it closes, ns */
    int32_t depth;  /* depth of the lowest local frame and of the span it closes */
    uint32_t first_cut, n_cut;
    bool is_return;
    uint8_t outcome; /* enum rv_reach_outcome */
    uint8_t flags;   /* of that span */
};

/* The state of a kernel in one part. */
struct rv_run {
    uint32_t *spans;  /* in the block's array */
    uint32_t *frames; /* from the part's lowest frame on */
    struct rv_reach *reaches;
    uint32_t n_spans, n_reaches;
    int32_t n_frames;
    int32_t key, min_key, first_key;
    bool has_key;
    uint32_t base; /* low half of the block's first time */
    uint32_t peak; /* most open frames of the segment so far */
    uint32_t n_cut, n_orphans;
};

/* Scan n events, all CALL or RETURN; RV_BLOCK_PADDING more are readable. */
typedef void (*rv_kernel_fn)(struct rv_run *run, const struct rv_event *events, uint32_t n);

/* Equal results; the CPU must have the instructions. */
void rv_kernel_scalar(struct rv_run *run, const struct rv_event *events, uint32_t n);
void rv_kernel_avx2(struct rv_run *run, const struct rv_event *events, uint32_t n);
void rv_kernel_avx512(struct rv_run *run, const struct rv_event *events, uint32_t n);

/* A frame below the block that was closed by something other than its RETURN; it ends at the reach or SYNC. */
struct rv_cut {
    uint64_t start;
    uint32_t id;
    int32_t depth;
    uint32_t flags;
};

enum rv_part_kind { RV_PART_EVENTS, RV_PART_SYNC, RV_PART_LOST };

struct rv_part {
    enum rv_part_kind kind;
    uint32_t stack;
    /* SYNC and LOST */
    uint64_t now; /* of the last CALL or RETURN before it in the block */
    bool has_now;
    uint32_t first_cut, n_cut; /* set by the carry */
    union {
        struct {
            uint32_t first_span, n_spans;
            uint32_t first_reach, n_reaches;
            uint32_t first_frame, n_frames;
            int32_t first_key, last_key;
            uint32_t n_cut, n_orphans;
            uint64_t first_ns; /* set by the carry: time of the stack's first event */
        } events;
        struct {
            uint64_t start;
            uint32_t id;
            uint16_t tag;
        } sync;
        uint32_t n_lost;
    };
};

struct rv_range {
    uint32_t begin, end, next;
};

/* The events of one stack between two SYNC or LOST. */
struct rv_group {
    uint32_t stack, first_range, last_range;
};

struct rv_group_slot {
    uint32_t section, group;
};

struct rv_block {
    uint32_t capacity;
    uint64_t base_ns;
    uint64_t last_ns; /* of the last CALL or RETURN */
    bool has_events;

    uint32_t *spans, *frames;
    struct rv_reach *reaches;
    uint32_t n_spans, n_reaches, n_frames;

    struct rv_part *parts;
    uint32_t n_parts;

    struct rv_cut *cuts; /* grown by the carry */
    size_t n_cuts, cut_capacity;

    /* grouping, within a section */
    struct rv_range *ranges;
    struct rv_group *groups;
    struct rv_group_slot *group_slots;
    uint32_t n_ranges, n_groups, n_group_slots, section;
    struct rv_event *packed; /* short ranges of one stack, copied next to each other */
    uint32_t n_packed;
};

#endif
