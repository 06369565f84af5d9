/* A walk backwards leaves the calls in calling order backwards: so they are written, and the file is then read from its end. */
#include "export/preorder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"
#include "base/vec.h"
#include "export/call_walk.h"
#include "export/spool.h"

enum { BUFFER_SPANS = 8192 };

struct rv_preorder {
    struct rv_lane_calls calls;
    const struct rv_slice *part;
    int fd;
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

static void take(void *context, const struct rv_span *call)
{
    write_span(context, call);
}

int rv_preorder_begin(struct rv_preorder *preorder, const struct rv_lane *lane)
{
    preorder->n_buffered = 0;
    preorder->n_written = 0;
    preorder->error = 0;
    const int error = rv_call_walk(&(struct rv_call_walk){
        .calls = &preorder->calls, .lane = lane, .part = preorder->part, .leave = take, .context = preorder});
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
