/*
 * Closing order read backwards is calling order backwards, the last sibling first. A span is pushed when met, and
 * popped and written when a span is met that lies before it. This writes the preorder backwards, and the file is then
 * read from its end.
 */
#include "export/preorder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"
#include "base/vec.h"
#include "export/spool.h"

enum { BUFFER_SPANS = 8192 };

struct rv_preorder {
    struct rv_lane_calls calls;
    const struct rv_slice *part;
    const struct rv_lane *lane; /* that is being read */
    int fd;
    struct rv_span *open; /* open frames at now_ns, outermost first */
    size_t n_open, open_capacity;
    uint64_t now_ns;        /* all later spans are done */
    struct rv_span *buffer; /* BUFFER_SPANS */
    size_t n_buffered;
    uint64_t n_written; /* spans in the file */
    int error;
};

struct rv_preorder *rv_preorder_create(const struct rv_lane_calls *calls, const struct rv_slice *part)
{
    int fd = rv_os_open_spool("the spans in order");
    if (fd < 0)
        return NULL;
    struct rv_preorder *preorder = rv_alloc(1, sizeof *preorder);
    preorder->calls = *calls;
    preorder->part = part;
    preorder->fd = fd;
    preorder->buffer = rv_alloc(BUFFER_SPANS, sizeof *preorder->buffer);
    return preorder;
}

void rv_preorder_destroy(struct rv_preorder *preorder)
{
    if (!preorder)
        return;
    (void)close(preorder->fd);
    free(preorder->open);
    free(preorder->buffer);
    free(preorder);
}

static void write_span(struct rv_preorder *preorder, const struct rv_span *span)
{
    if (preorder->n_buffered == BUFFER_SPANS) {
        if (!preorder->error)
            preorder->error = rv_spool_write_at(preorder->fd, preorder->buffer, BUFFER_SPANS * sizeof *span,
                                                preorder->n_written * sizeof *span);
        preorder->n_written += BUFFER_SPANS;
        preorder->n_buffered = 0;
    }
    preorder->buffer[preorder->n_buffered++] = *span;
}

static void pop(struct rv_preorder *preorder)
{
    struct rv_span *span = &preorder->open[--preorder->n_open];
    write_span(preorder, span);
    preorder->now_ns = span->start;
}

/* Had span closed when top was called? At equal times, depth decides whether top called it. */
static bool is_before(const struct rv_span *span, const struct rv_span *top, uint32_t top_depth)
{
    if (span->end != top->start)
        return span->end < top->start;
    return span->start < top->start || span->depth <= top_depth;
}

static void take(struct rv_preorder *preorder, const struct rv_span *span)
{
    while (preorder->n_open) {
        const struct rv_span *top = &preorder->open[preorder->n_open - 1];
        if (!is_before(span, top, top->stack))
            break;
        pop(preorder);
    }
    const struct rv_span *top = preorder->n_open ? &preorder->open[preorder->n_open - 1] : NULL;
    struct rv_span taken = *span;
    taken.end = span->end < preorder->now_ns ? span->end : preorder->now_ns;
    taken.start = span->start < taken.end ? span->start : taken.end;
    if (top && (taken.flags & RV_SPAN_ORPHAN) && !(top->flags & RV_SPAN_ORPHAN))
        taken.start = taken.end;
    if (top && taken.start < top->start)
        taken.start = top->start;
    taken.stack = span->depth; /* while it is open, the depth that the scan gave it */
    taken.depth = (uint32_t)preorder->n_open;
    preorder->open =
        rv_vec_reserve(preorder->open, &preorder->open_capacity, preorder->n_open + 1, sizeof *preorder->open);
    preorder->open[preorder->n_open++] = taken;
    preorder->now_ns = taken.end;
}

static void take_some(void *context, const struct rv_span *spans, size_t n)
{
    struct rv_preorder *preorder = context;
    for (size_t i = 0; i < n; i++)
        if (rv_slice_has_span(preorder->part, preorder->lane, &spans[i]))
            take(preorder, &spans[i]);
}

int rv_preorder_begin(struct rv_preorder *preorder, const struct rv_lane *lane)
{
    const struct rv_slice *part = preorder->part;
    preorder->lane = lane;
    preorder->n_open = preorder->n_buffered = 0;
    preorder->n_written = 0;
    preorder->now_ns = UINT64_MAX;
    preorder->error = 0;
    const int error = preorder->calls.read(
        preorder->calls.context, &(struct rv_lane_calls_wanted){.lane = lane,
                                                                .from_ns = part->from_ns,
                                                                .to_ns = part->to_ns ? part->to_ns : UINT64_MAX,
                                                                .take = take_some,
                                                                .context = preorder});
    while (preorder->n_open)
        pop(preorder);
    preorder->error = preorder->error ? preorder->error : error;
    return preorder->error;
}

static void reverse(struct rv_span *spans, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        struct rv_span swapped = spans[i];
        spans[i] = spans[n - 1 - i];
        spans[n - 1 - i] = swapped;
    }
}

int rv_preorder_next(struct rv_preorder *preorder, const struct rv_span **spans, size_t *n)
{
    *n = 0;
    *spans = preorder->buffer;
    if (preorder->error)
        return preorder->error;
    if (!preorder->n_buffered && preorder->n_written) {
        preorder->n_written -= BUFFER_SPANS;
        preorder->n_buffered = BUFFER_SPANS;
        preorder->error = rv_spool_read_at(preorder->fd, preorder->buffer, BUFFER_SPANS * sizeof **spans,
                                           preorder->n_written * sizeof **spans);
        if (preorder->error)
            return preorder->error;
    }
    reverse(preorder->buffer, preorder->n_buffered);
    *n = preorder->n_buffered;
    preorder->n_buffered = 0;
    return 0;
}
