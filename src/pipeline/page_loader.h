/*
 * Loads pages of summarized streams on demand: wanted ones, pending ones, and their destinations.
 *
 *   summarize, await, take, open, end   drain thread
 *   publish                             the worker that joins the page
 *   want                                main thread
 */
#ifndef RV_PIPELINE_PAGE_LOADER_H
#define RV_PIPELINE_PAGE_LOADER_H

#include <pthread.h>

#include "pipeline/pending_page.h"
#include "pipeline/span_reader.h"
#include "stream/block_summary.h"

struct rv_page_loader {
    uint64_t most_bytes;        /* limit of the memory of pages requested at a time */
    uint64_t most_list_bytes;   /* likewise of the list of the session's own recording's blocks */
    pthread_mutex_t lock;       /* protects the rest, and the streams' blocks */
    struct rv_stream **streams; /* summarized */
    size_t n_streams, streams_capacity;
    size_t n_followed;              /* blocks of the session's own recording */
    struct rv_page_request *wanted; /* [n_taken, n_wanted) */
    size_t n_taken, n_wanted, wanted_capacity;
    uint64_t now;                   /* number of views so far */
    uint64_t n_pages;               /* published to the lanes so far, and awaited blocks */
    struct rv_span_reader *readers; /* last opened first */
    struct rv_pending_page *pages;  /* on their way */
    bool is_over;                   /* no more requests */
    bool is_followed;               /* the streams are those of the session's own recording */
    struct rv_lanes *lanes;         /* with is_followed: the session's */
    bool is_behind;                 /* at the last view, evicted calls of its window were in no block yet */
    bool has_asked;                 /* these blocks were requested since then */
    pthread_cond_t has_news;        /* a span reader's block has arrived, or is_over */
    pthread_cond_t has_requests;    /* there are requests */
};

/* list_bytes: limit of the memory of the list of the session's own recording's blocks. */
void rv_page_loader_init(struct rv_page_loader *page_loader, uint64_t memory_bytes, uint64_t list_bytes);
void rv_page_loader_fini(struct rv_page_loader *page_loader); /* with pages that are on their way */

/*
 * Add a stream's next block to its lanes, or a subroutine's totals to the statistics.
 *   delivery  any worker's
 */
struct rv_delivery;
void rv_page_loader_summarize(struct rv_page_loader *page_loader, struct rv_delivery *delivery,
                              struct rv_stream *stream, const struct rv_block_summary *summary);
void rv_page_loader_add_total(struct rv_delivery *delivery, const struct rv_call_total *total);

/* Add a stream's next block to its list. The lock is held. */
void rv_page_loader_list(struct rv_page_loader *page_loader, struct rv_stream *stream,
                         const struct rv_block_summary *summary);

/* Wait for a request, until a time of rv_clock_mono_ns() at most. */
void rv_page_loader_await(struct rv_page_loader *page_loader, uint64_t until_ns);

/* Take the most urgent request; false: none. */
bool rv_page_loader_take(struct rv_page_loader *page_loader, struct rv_page_request *request);

/* Begin the page of a request, which has at most n_jobs jobs at once. */
struct rv_pending_page *rv_page_loader_open(struct rv_page_loader *page_loader, const struct rv_page_request *request,
                                            uint32_t entry_stack, size_t n_jobs);

/* The page is complete: give it to its lanes, or to its span reader, and destroy it. */
void rv_page_loader_publish(struct rv_page_loader *page_loader, struct rv_pending_page *page);

/* The block of a taken request cannot be read. */
void rv_page_loader_miss(struct rv_page_loader *page_loader, const struct rv_page_request *request);

/* The stream has ended. */
void rv_page_loader_forget(struct rv_page_loader *page_loader, const struct rv_stream *stream);

/*
 * A window is viewed at a level of detail: request the pages that it lacks, and drop other requests. Does nothing when
 * these pages would exceed the memory limit.
 *   returns  number of pages still to be loaded
 */
size_t rv_page_loader_want(struct rv_page_loader *page_loader, uint64_t from_ns, uint64_t to_ns, uint32_t level);

/* The source has ended: wake all that wait for blocks. */
void rv_page_loader_end(struct rv_page_loader *page_loader);

/*
 * Find blocks [first, *end) of a stream that overlap the window, at that level, and begin before before_ns. The lock is
 * held.
 *   returns  first
 */
size_t rv_page_loader_find(const struct rv_stream *stream, uint64_t from_ns, uint64_t to_ns, uint32_t level,
                           uint64_t before_ns, size_t *end);

/* A call in the stream's blocks that begins in a window ends less than this after it. */
uint64_t rv_page_loader_reach_ns(const struct rv_stream *stream);

/* No call that ends in a block of the stream, and is shorter than that, begins before this. */
uint64_t rv_page_loader_first_start_ns(const struct rv_stream *stream, size_t number);

/* Grows when a window can show more or less: pages published to lanes, awaited blocks, discarded ones. Any thread. */
uint64_t rv_page_loader_n_pages(struct rv_page_loader *page_loader);

#endif
