#include "sink/indexed_stream.h"

#include <stdlib.h>

#include "base/vec.h"

enum { MOST_STACKS = 65536 }; /* as scan/block_join.c tells apart */

void rv_indexed_stream_init(struct rv_indexed_stream *stream)
{
    *stream = (struct rv_indexed_stream){.is_begun = true, .carry = rv_block_join_create(), .level = 1};
}

void rv_indexed_stream_fini(struct rv_indexed_stream *stream)
{
    for (size_t i = 0; i < stream->n_lanes; i++) {
        rv_stats_lane_destroy(stream->lanes[i].stats);
        rv_density_fini(&stream->lanes[i].density);
        free(stream->lanes[i].spans);
        free(stream->lanes[i].notes);
        rv_indexed_waits_fini(&stream->lanes[i].waits);
    }
    rv_block_join_destroy(stream->carry);
    free(stream->lanes);
    rv_hash_index_fini(&stream->by_stack);
    *stream = (struct rv_indexed_stream){0};
}

static void forget(const struct rv_indexed_stream *stream, struct rv_indexed_stack *lane)
{
    lane->base_depth = stream->begin_shift;
    lane->depth = (struct rv_rec_index_depth){.least = INT64_MAX, .last_ns = stream->begin_ns};
}

void rv_indexed_stream_begin_block(struct rv_indexed_stream *stream, uint64_t n_indexes)
{
    bool is_first = stream->n_indexes != n_indexes; /* first block of the stream in the INDEX */
    stream->n_indexes = n_indexes;
    stream->begin_shift = stream->depth_shift;
    stream->begin_ns = rv_block_join_last_ns(stream->carry);
    for (size_t i = 0; i < stream->n_lanes; i++) {
        forget(stream, &stream->lanes[i]);
        if (is_first)
            stream->lanes[i].n_listed = 0;
    }
}

static struct rv_indexed_stack *add(struct rv_indexed_stream *stream, uint32_t stack)
{
    stream->lanes = rv_vec_reserve(stream->lanes, &stream->lanes_capacity, stream->n_lanes + 1, sizeof *stream->lanes);
    struct rv_indexed_stack *lane = &stream->lanes[stream->n_lanes++];
    *lane = (struct rv_indexed_stack){.stack = stack, .stats = rv_stats_lane_create()};
    forget(stream, lane);
    rv_density_init(&lane->density);
    rv_hash_index_add(&stream->by_stack, stack, (uint32_t)stream->n_lanes);
    return lane;
}

struct rv_indexed_stack *rv_indexed_stream_stack(struct rv_indexed_stream *stream, uint32_t stack)
{
    const uint32_t slot = rv_hash_index_get(&stream->by_stack, stack);
    if (slot)
        return &stream->lanes[slot - 1];
    return stream->n_lanes < MOST_STACKS ? add(stream, stack) : &stream->lanes[0];
}

void rv_indexed_stream_follow_base(struct rv_indexed_stream *stream)
{
    uint32_t depth_shift = rv_block_join_shift(stream->carry, stream->depth_shift);
    if (depth_shift == stream->depth_shift)
        return;
    for (size_t i = 0; i < stream->n_lanes; i++)
        rv_stats_lane_lower(stream->lanes[i].stats, depth_shift - stream->depth_shift);
    stream->depth_shift = depth_shift;
}

static void sum_up_one(struct rv_indexed_stack *lane, struct rv_span span, uint32_t level)
{
    span.end = span.end > lane->last_ns ? span.end : lane->last_ns;
    span.start = span.start < span.end ? span.start : span.end;
    lane->last_ns = span.end;
    if (span.end - span.start < UINT64_C(1) << rv_density_shift(level)) {
        rv_density_advance(&lane->density, span.end);
        rv_density_add(&lane->density, level, &span);
        return;
    }
    lane->spans = rv_vec_reserve(lane->spans, &lane->spans_capacity, lane->n_spans + 1, sizeof *lane->spans);
    lane->spans[lane->n_spans++] = (struct rv_rec_index_span){
        .start_ns = span.start, .end_ns = span.end, .id = span.id, .depth = span.depth, .flags = span.flags};
}

void rv_indexed_stream_sum_up(const struct rv_indexed_stream *stream, struct rv_indexed_stack *lane,
                              const struct rv_span *spans, size_t n)
{
    const uint32_t level = stream->level;
    for (size_t i = 0; i < n; i++) {
        i += rv_density_add_run(&lane->density, level, spans + i, n - i, &lane->last_ns);
        if (i < n)
            sum_up_one(lane, spans[i], level);
    }
}
