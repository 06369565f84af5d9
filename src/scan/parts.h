/*
 * Inside the scan: what a block consists of, shared by the kernels, the carry and the reader.
 *
 * Keys in a block are relative to the part's first tag, and an event moves them by at most 61,440: twice a key, and
 * twice the difference of two, fit 32 bits for RV_BLOCK_EVENTS events. A frame's key is kept doubled. The entry below
 * the lowest holds 2 * min_key - 1, which no event's 2 * key equals and which only a new minimum falls below: underflow
 * and new minima fail the same compare as any irregular event. Below that are entries a kernel may load; odd, so that
 * none is equal.
 */
#ifndef RV_SCAN_PARTS_H
#define RV_SCAN_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/block.h"
#include "scan/carry.h"

#define RV_STACK_SENTINELS 16
#define RV_KERNEL_OVERRUN 16 /* elements a kernel may write past what counts */

/*
 * Local spans are four arrays in one, local frames three, at distances known to the compiler: a kernel then needs one
 * register for each. The distances keep the arrays out of each other's cache sets.
 */
#define RV_LOCAL_STRIDE (RV_BLOCK_EVENTS + 144)
#define RV_LOCAL_END RV_LOCAL_STRIDE /* the start is at 0 */
#define RV_LOCAL_ID (2 * RV_LOCAL_STRIDE)
#define RV_LOCAL_PLACE (3 * RV_LOCAL_STRIDE)
#define RV_FRAME_STRIDE (RV_BLOCK_EVENTS + 208)
#define RV_FRAME_ID RV_FRAME_STRIDE /* the start is at 0 */
#define RV_FRAME_KEY (2 * RV_FRAME_STRIDE)

/* Times are offsets of 31 bits from the block's first. */
#define RV_OFFSET_MASK 0x7fffffffu

/* A local span's place: 4 * depth above the part's frames, or'ed with RV_SPAN_CUT or RV_SPAN_ORPHAN. */
#define RV_PLACE_SHIFT 2
#define RV_PLACE_FLAGS 3u

enum rv_reach_outcome { RV_REACH_NOTHING, RV_REACH_SPAN, RV_REACH_ORPHAN };

/*
 * An event that reaches below the block's own frames: a strict minimum of the keys so far. What follows it, up to the
 * next, is its segment.
 */
struct rv_reach {
    uint32_t offset, id;
    int32_t key;
    uint32_t first_span; /* the segment's first local span */
    uint32_t peak;       /* most local frames open at once in the segment */
    /* the carry's */
    uint64_t start; /* of the span it closes, ns */
    int32_t depth;  /* of the lowest local frame, and of the span it closes */
    uint32_t first_cut, n_cut;
    bool is_return;
    uint8_t outcome; /* enum rv_reach_outcome */
    uint8_t flags;   /* of the span it closes */
};

/* The state of a kernel in one part. */
struct rv_run {
    uint32_t *spans;  /* the block's */
    uint32_t *frames; /* from the part's bottom */
    struct rv_reach *reaches;
    uint32_t n_spans, n_reaches;
    int32_t n_frames;
    int32_t key, min_key, first_key;
    bool has_key;
    uint32_t base; /* low half of the block's first time */
    uint32_t peak; /* of the segment so far */
    uint32_t n_cut, n_orphans;
};

/* Scan n events, all CALL or RETURN; RV_BLOCK_PADDING more are readable. */
typedef void (*rv_kernel_fn)(struct rv_run *run, const struct rv_event *events, uint32_t n);

void rv_kernel_scalar(struct rv_run *run, const struct rv_event *events, uint32_t n);
void rv_kernel_avx2(struct rv_run *run, const struct rv_event *events, uint32_t n);
void rv_kernel_avx512(struct rv_run *run, const struct rv_event *events, uint32_t n);

/* A frame below the block that was closed by something other than its RETURN; ends where the reach or SYNC does. */
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
    uint32_t first_cut, n_cut; /* the carry's */
    union {
        struct {
            uint32_t first_span, n_spans;
            uint32_t first_reach, n_reaches;
            uint32_t first_frame, n_frames;
            int32_t first_key, last_key;
            uint32_t n_cut, n_orphans;
            uint64_t first_ns; /* the carry's: of the stack's first event */
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
    struct rv_event *packed; /* short ranges of one stack, side by side */
    uint32_t n_packed;
};

#endif
