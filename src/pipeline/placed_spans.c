#include "pipeline/placed_spans.h"

#include <stdlib.h>

#include "base/vec.h"

/* Read and place in steps that stay in the first-level cache. */
enum { READ_SPANS = 512 };

void rv_placed_spans_fini(struct rv_placed_spans *spans)
{
    free(spans->buffer.spans);
    free(spans->buffer.sorted);
}

/* Move spans to their places, leaving out those at or below the depth limit. Returns the number left. */
static size_t place(const struct rv_placed_spans *placed, const struct rv_tracks *tracks, struct rv_span *spans,
                    size_t n)
{
    const uint32_t max_depth = placed->max_depth ? placed->max_depth : UINT32_MAX;
    const uint64_t origin_ns = placed->origin_ns;
    size_t kept = 0;
    if (origin_ns == 0 && max_depth == UINT32_MAX && tracks->depth_shift == 0)
        return n; /* all in place already */
    for (size_t i = 0; i < n; i++) {
        struct rv_span span = spans[i];
        span.start += origin_ns;
        span.end += origin_ns;
        span.depth += tracks->depth_shift;
        spans[kept] = span;
        kept += span.depth < max_depth;
    }
    return kept;
}

/* Room for some more spans behind the first n. */
static struct rv_span *reserve(struct rv_span_buffer *buffer, size_t n, size_t n_more)
{
    buffer->spans = rv_vec_reserve(buffer->spans, &buffer->capacity, n + n_more, sizeof *buffer->spans);
    return buffer->spans + n;
}

size_t rv_placed_spans_read(struct rv_placed_spans *spans, const struct rv_tracks *tracks, const struct rv_block *block)
{
    struct rv_block_cursor cursor = {0};
    size_t n = 0;
    for (;;) {
        struct rv_span *out = reserve(&spans->buffer, n, READ_SPANS);
        size_t n_read = rv_block_read_spans(block, &cursor, out, READ_SPANS);
        if (n_read == 0)
            return n;
        n += place(spans, tracks, out, n_read);
    }
}

size_t rv_placed_spans_finish(struct rv_placed_spans *spans, const struct rv_tracks *tracks, uint64_t end_ns)
{
    size_t n = 0, n_read;
    while ((n_read = rv_block_join_finish(tracks->carry, end_ns, reserve(&spans->buffer, n, READ_SPANS), READ_SPANS)))
        n += n_read;
    return place(spans, tracks, spans->buffer.spans, n);
}

size_t rv_placed_spans_add_open(struct rv_placed_spans *spans, const struct rv_tracks *tracks, size_t n, uint64_t at_ns)
{
    const size_t n_stacks = rv_block_join_n_stacks(tracks->carry);
    for (size_t i = 0; i < n_stacks; i++) {
        struct rv_open_stack open;
        rv_block_join_open_stack(tracks->carry, i, &open);
        struct rv_span *out = reserve(&spans->buffer, n, open.n_frames);
        for (uint32_t k = 0; k < open.n_frames; k++)
            out[open.n_frames - 1 - k] = (struct rv_span){.start = open.start[k],
                                                          .end = at_ns,
                                                          .id = open.id[k],
                                                          .depth = (uint32_t)open.base_depth + k,
                                                          .stack = open.stack,
                                                          .flags = open.flags[k] | RV_SPAN_OPEN};
        n += place(spans, tracks, out, open.n_frames);
    }
    return n;
}
