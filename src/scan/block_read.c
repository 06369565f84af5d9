/*
 * Finished spans out of a merged block, in closing order per stack: for each reach the carried frames it cut, the span
 * it closed, then the local spans of its segment.
 */
#include "scan/carry.h"
#include "scan/parts.h"

struct reader {
    const struct rv_block *block;
    struct rv_span *out;
    size_t max;
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

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
            .end = later(cut->start, end),
            .id = cut->id,
            .depth = (uint32_t)cut->depth,
            .stack = stack,
            .flags = cut->flags,
        };
    }
    return n;
}

/* The local spans from first on, all of one segment. */
static size_t read_locals(const struct reader *reader, const struct rv_part *part, const struct rv_reach *reach,
                          uint32_t first, size_t n)
{
    const struct rv_block *block = reader->block;
    const uint32_t *restrict start = block->span_start + first, *restrict end = block->span_end + first;
    const uint32_t *restrict id = block->span_id + first;
    const int32_t *restrict place = block->span_place + first;
    const uint64_t base = block->base_ticks, first_ticks = part->events.first_ticks;
    const uint32_t depth = (uint32_t)reach->depth, stack = part->stack;
    const uint32_t is_nesting = reach->is_nesting;
    struct rv_span *restrict out = reader->out;
    n = least(n, reader->max);
    for (size_t i = 0; i < n; i++) {
        uint32_t height = (uint32_t)place[i] >> RV_PLACE_SHIFT, flags = (uint32_t)place[i] & RV_PLACE_FLAGS;
        uint64_t ticks = base + (start[i] & RV_START_OFFSET);
        uint32_t is_nested = start[i] >> 31 & ((height != 0) | is_nesting);
        out[i].start = flags & RV_SPAN_ORPHAN ? first_ticks : ticks;
        out[i].end = base + end[i];
        out[i].id = id[i];
        out[i].depth = depth + height;
        out[i].stack = stack;
        out[i].flags = flags | is_nested * RV_SPAN_NESTED;
    }
    return n;
}

static uint32_t end_of_segment(const struct rv_block *block, const struct rv_part *part, uint32_t item)
{
    if (item + 1 < part->events.n_reaches)
        return block->reaches[part->events.first_reach + item + 1].first_span;
    return part->events.first_span + part->events.n_spans;
}

/* As much of one reach and its segment as fits; cursor->span counts what of it has been read. */
static size_t read_item(const struct reader *reader, const struct rv_part *part, struct rv_block_cursor *cursor)
{
    const struct rv_reach *reach = &reader->block->reaches[part->events.first_reach + cursor->item];
    uint64_t end = reader->block->base_ticks + reach->offset;
    uint32_t n_own = reach->outcome != RV_REACH_NOTHING;
    uint32_t n_locals = end_of_segment(reader->block, part, cursor->item) - reach->first_span;
    size_t n = 0;
    if (cursor->span < reach->n_cut) {
        n = read_cuts(reader, reach->first_cut + cursor->span, reach->n_cut - cursor->span, end, part->stack);
    } else if (cursor->span < reach->n_cut + n_own) {
        reader->out[n++] = (struct rv_span){
            .start = reach->start,
            .end = later(reach->start, end),
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
    if (part->kind == RV_PART_SYNC && cursor->span < part->sync.n_cut) {
        size_t n = read_cuts(reader, part->sync.first_cut + cursor->span, part->sync.n_cut - cursor->span,
                             part->sync.now, part->stack);
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
