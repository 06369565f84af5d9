/*
 * Reads the finished spans of a merged block, in closing order per stack: for each reach the carried frames that it
 * cut, the span that it closed, then the local spans of its segment.
 */
#include "scan/block_join.h"

#include <string.h>

#include "base/clock.h"
#include "scan/block_parts.h"

struct reader {
    const struct rv_block *block;
    struct rv_span *out;
    size_t max;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t read_cuts(const struct reader *reader, uint32_t first, size_t n, uint64_t end, uint32_t stack)
{
    n = least(n, reader->max);
    for (size_t i = 0; i < n; i++) {
        const struct rv_cut *cut = &reader->block->cuts[first + i];
        reader->out[i] = (struct rv_span){
            .start = cut->start,
            .end = rv_clock_later_ns(cut->start, end),
            .id = cut->id,
            .depth = (uint32_t)cut->depth,
            .stack = stack,
            .flags = cut->flags,
        };
    }
    return n;
}

_Static_assert(sizeof(struct rv_span) == 32 && offsetof(struct rv_span, id) == 16, "read_four builds spans by words");

typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint64_t u64x2 __attribute__((vector_size(16)));

/* Values common to all local spans of a segment. */
struct segment {
    uint64_t base, first_ns;
    uint32_t depth, stack;
};

static inline u32x4 load_four(const void *from)
{
    u32x4 four;
    memcpy(&four, from, sizeof four);
    return four;
}

static void read_local(const struct rv_block *block, const struct segment *segment, size_t i, struct rv_span *out)
{
    uint32_t start = block->spans[i], place = block->spans[RV_LOCAL_PLACE + i];
    uint32_t height = place >> RV_PLACE_SHIFT, flags = place & RV_PLACE_FLAGS;
    *out = (struct rv_span){
        .start = flags & RV_SPAN_ORPHAN ? segment->first_ns : segment->base + start,
        .end = segment->base + block->spans[RV_LOCAL_END + i],
        .id = block->spans[RV_LOCAL_ID + i],
        .depth = segment->depth + height,
        .stack = segment->stack,
        .flags = flags,
    };
}

/* Read four spans at once; false when one of them is an orphan. */
static inline bool read_four(const struct rv_block *block, const struct segment *segment, size_t i, struct rv_span *out)
{
    const u32x4 zero = {0};
    const u64x2 base = {segment->base, segment->base};
    u32x4 start = load_four(block->spans + i), end = load_four(block->spans + RV_LOCAL_END + i);
    u32x4 id = load_four(block->spans + RV_LOCAL_ID + i), place = load_four(block->spans + RV_LOCAL_PLACE + i);
    u32x4 height = place >> RV_PLACE_SHIFT, flags = place & RV_PLACE_FLAGS;
    u64x2 is_orphan = (u64x2)(flags & RV_SPAN_ORPHAN);
    if (is_orphan[0] | is_orphan[1])
        return false;
    height += segment->depth;
    u32x4 stack = zero + segment->stack;
    u64x2 start_01 = (u64x2)__builtin_shufflevector(start, zero, 0, 4, 1, 5) + base;
    u64x2 start_23 = (u64x2)__builtin_shufflevector(start, zero, 2, 6, 3, 7) + base;
    u64x2 end_01 = (u64x2)__builtin_shufflevector(end, zero, 0, 4, 1, 5) + base;
    u64x2 end_23 = (u64x2)__builtin_shufflevector(end, zero, 2, 6, 3, 7) + base;
    u64x2 what_01 = (u64x2)__builtin_shufflevector(id, height, 0, 4, 1, 5);
    u64x2 what_23 = (u64x2)__builtin_shufflevector(id, height, 2, 6, 3, 7);
    u64x2 rest_01 = (u64x2)__builtin_shufflevector(stack, flags, 0, 4, 1, 5);
    u64x2 rest_23 = (u64x2)__builtin_shufflevector(stack, flags, 2, 6, 3, 7);
    const u64x2 spans[8] = {
        __builtin_shufflevector(start_01, end_01, 0, 2), __builtin_shufflevector(what_01, rest_01, 0, 2),
        __builtin_shufflevector(start_01, end_01, 1, 3), __builtin_shufflevector(what_01, rest_01, 1, 3),
        __builtin_shufflevector(start_23, end_23, 0, 2), __builtin_shufflevector(what_23, rest_23, 0, 2),
        __builtin_shufflevector(start_23, end_23, 1, 3), __builtin_shufflevector(what_23, rest_23, 1, 3),
    };
    memcpy(out, spans, sizeof spans);
    return true;
}

/* Read local spans from `first` on, all of one segment. */
static size_t read_locals(const struct reader *reader, const struct rv_part *part, const struct rv_reach *reach,
                          uint32_t first, size_t n)
{
    const struct rv_block *block = reader->block;
    const struct segment segment = {
        .base = block->base_ns,
        .first_ns = part->events.first_ns,
        .depth = (uint32_t)reach->depth,
        .stack = part->stack,
    };
    size_t i = 0;
    n = least(n, reader->max);
    while (i + 4 <= n) {
        if (!read_four(block, &segment, first + i, reader->out + i))
            for (size_t k = 0; k < 4; k++)
                read_local(block, &segment, first + i + k, reader->out + i + k);
        i += 4;
    }
    for (; i < n; i++)
        read_local(block, &segment, first + i, reader->out + i);
    return n;
}

static uint32_t end_of_segment(const struct rv_block *block, const struct rv_part *part, uint32_t item)
{
    if (item + 1 < part->events.n_reaches)
        return block->reaches[part->events.first_reach + item + 1].first_span;
    return part->events.first_span + part->events.n_spans;
}

/* Read one reach and its segment as far as room allows; cursor->span counts the spans read. */
static size_t read_item(const struct reader *reader, const struct rv_part *part, struct rv_block_cursor *cursor)
{
    const struct rv_reach *reach = &reader->block->reaches[part->events.first_reach + cursor->item];
    uint64_t end = reader->block->base_ns + reach->offset;
    uint32_t n_own = reach->outcome != RV_REACH_NOTHING;
    uint32_t n_locals = end_of_segment(reader->block, part, cursor->item) - reach->first_span;
    size_t n = 0;
    if (cursor->span < reach->n_cut) {
        n = read_cuts(reader, reach->first_cut + cursor->span, reach->n_cut - cursor->span, end, part->stack);
    } else if (cursor->span < reach->n_cut + n_own) {
        reader->out[n++] = (struct rv_span){
            .start = reach->start,
            .end = rv_clock_later_ns(reach->start, end),
            .id = reach->id,
            .depth = (uint32_t)reach->depth,
            .stack = part->stack,
            .flags = reach->flags,
        };
    } else {
        uint32_t skipped = cursor->span - reach->n_cut - n_own;
        n = read_locals(reader, part, reach, reach->first_span + skipped, n_locals - skipped);
    }
    cursor->span += (uint32_t)n;
    if (cursor->span == reach->n_cut + n_own + n_locals) {
        cursor->item++;
        cursor->span = 0;
    }
    return n;
}

static size_t read_part(const struct reader *reader, const struct rv_part *part, struct rv_block_cursor *cursor)
{
    if (part->kind == RV_PART_EVENTS && cursor->item < part->events.n_reaches)
        return read_item(reader, part, cursor);
    if (part->kind != RV_PART_EVENTS && cursor->span < part->n_cut) {
        size_t n =
            read_cuts(reader, part->first_cut + cursor->span, part->n_cut - cursor->span, part->now, part->stack);
        cursor->span += (uint32_t)n;
        return n;
    }
    *cursor = (struct rv_block_cursor){.part = cursor->part + 1};
    return 0;
}

size_t rv_block_read_spans(const struct rv_block *block, struct rv_block_cursor *cursor, struct rv_span *out,
                           size_t max)
{
    size_t n = 0;
    while (n < max && cursor->part < block->n_parts) {
        struct reader reader = {block, out + n, max - n};
        n += read_part(&reader, &block->parts[cursor->part], cursor);
    }
    return n;
}
