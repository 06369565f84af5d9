/*
 * Loads pages of summarized streams on demand: which are wanted, which are on their way, where they go.
 *
 *   summarize, await, take, add_stack, end   drain thread
 *   publish                                  the worker that merges the page
 *   want                                     main thread
 */
#ifndef RV_PIPELINE_PAGE_LOADER_H
#define RV_PIPELINE_PAGE_LOADER_H

#include <pthread.h>

#include "flow/block_summary.h"
#include "pipeline/stream.h"
#include "pipeline/span_reader.h"

struct rv_summed_block { /* of a stream: (from_ns, to_ns) are its own time */
    uint64_t from_ns, to_ns;
    uint32_t n_events;
    bool is_coming; /* it was asked for */
};

struct rv_page_loader {
    struct rv_lanes *lanes;
    uint64_t most_bytes;        /* that pages asked for at a time may take */
    pthread_mutex_t lock;       /* covers the rest, and what streams have of blocks */
    struct rv_stream **streams; /* summarized */
    size_t n_streams, streams_capacity;
    struct rv_page_request *wanted; /* [n_taken, n_wanted) */
    size_t n_taken, n_wanted, wanted_capacity;
    uint64_t now;                    /* counts looks */
    uint64_t n_pages;                /* published to the lanes so far */
    struct rv_span_reader *readers;  /* the one that was opened last first */
    bool is_over;                    /* nothing is asked for any more */
    pthread_cond_t has_news;         /* a span reader's block is there, or it is over */
    pthread_cond_t has_requests;     /* something is asked for */
};

void rv_page_loader_init(struct rv_page_loader *page_loader, struct rv_lanes *lanes, uint64_t memory_bytes);
void rv_page_loader_fini(struct rv_page_loader *page_loader);

/*
 * The next block of a stream into its lanes, and what a subroutine took in all into the statistics.
 *   merger  any one
 */
struct rv_merger;
void rv_page_loader_summarize(struct rv_page_loader *page_loader, struct rv_merger *merger, struct rv_stream *stream,
                              const struct rv_block_summary *summary);
void rv_page_loader_add_total(struct rv_merger *merger, const struct rv_call_total *total);

/* Wait until something is wanted, at most to a time of rv_clock_mono_ns(). */
void rv_page_loader_await(struct rv_page_loader *page_loader, uint64_t until_ns);

/* What is wanted most; false: nothing. */
bool rv_page_loader_take(struct rv_page_loader *page_loader, struct rv_page_request *request);

/* A page has just begun: this is where one of its stacks stands. */
void rv_page_loader_add_stack(struct rv_stream *page, const struct rv_page_stack *stack);

/* Add a page's spans, grouped by track: those that their lanes have only summarized. */
void rv_page_loader_store(struct rv_stream *page, struct rv_span *spans);

/* The page is complete: its lanes get it, or its span reader. */
void rv_page_loader_publish(struct rv_page_loader *page_loader, struct rv_stream *page);

/* The stream has ended. */
void rv_page_loader_forget(struct rv_page_loader *page_loader, const struct rv_stream *stream);

/*
 * Somebody looks at a window at a level of detail: ask for the pages that it lacks, and for no others any more.
 * window whose pages would take more memory than is for them stays as it is.
 *   returns  how many are still to come
 */
size_t rv_page_loader_want(struct rv_page_loader *page_loader, uint64_t from_ns, uint64_t to_ns, uint32_t level);

/* The source has ended: nobody is to wait for a block. */
void rv_page_loader_end(struct rv_page_loader *page_loader);

/*
 * Blocks [first, *end) of a stream have what overlaps the window, but what their lanes have at that level. The lock is
 * held.
 *   returns  first
 */
size_t rv_page_loader_find(const struct rv_stream *stream, uint64_t from_ns, uint64_t to_ns, uint32_t level,
                           size_t *end);

/* Published to the lanes so far. Any thread. */
uint64_t rv_page_loader_n_pages(struct rv_page_loader *page_loader);

#endif
