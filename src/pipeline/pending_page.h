/*
 * A page on its way: one block of a summarized stream, loaded and scanned on demand. It carries the frames that were
 * open at the block's beginning; of its calls it keeps those that its lanes have as sums only.
 */
#ifndef RV_PIPELINE_PENDING_PAGE_H
#define RV_PIPELINE_PENDING_PAGE_H

#include "pipeline/stream.h"

struct rv_pending_page {
    struct rv_job_order jobs; /* first */
    /* set at creation */
    struct rv_stream *stream;         /* the stream that its block is of */
    uint32_t block, level;            /* the block's number, and the page's level of detail */
    struct rv_span_reader_slot *slot; /* in the span reader that requested it; NULL: the page is for the lanes */
    pthread_mutex_t
        *streams_lock; /* the page loader's: a stream of the session's own recording gets tracks meanwhile */
    /* joiner only */
    struct rv_tracks tracks;
    struct rv_pending_page *next, *previous; /* the page loader's list */
};

/* streams_lock: that of the streams; n_jobs: as rv_job_order_init(). */
struct rv_pending_page *rv_pending_page_create(const struct rv_page_request *request, pthread_mutex_t *streams_lock,
                                               uint32_t entry_stack, size_t n_jobs);
void rv_pending_page_destroy(struct rv_pending_page *page);

/* Set the state of one of its stacks at the block's beginning. Before its first batch. */
void rv_pending_page_add_stack(struct rv_pending_page *page, const struct rv_page_stack *stack);

/* Keep what the lanes lack of spans that are grouped by track. */
void rv_pending_page_store(struct rv_pending_page *page, struct rv_span *spans);

#endif
