/*
 * Reads the blocks of a summarized recording one after the other, for queries over all calls. Each block is loaded as
 * pages are, a few blocks ahead and after the pages that the window needs; the workers decode and scan it; it is handed
 * over once and not kept.
 *
 *   open, take, close   the query, one thread at a time
 *   asks, ask           drain thread
 *   keeps, deliver      the worker that merges the page
 */
#ifndef RV_PIPELINE_BLOCK_READER_H
#define RV_PIPELINE_BLOCK_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/name_set.h"
#include "model/timeline.h"
#include "scan/span.h"

struct rv_page_loader;
struct rv_page_request;
struct rv_stream;
struct rv_block_reader; /* opaque */

struct rv_block_reader_params {
    uint64_t from_ns, to_ns;        /* blocks with calls that overlap this; from < to */
    bool is_backward;               /* the latest first */
    const uint32_t *lane_idx;       /* of this lane's thread; NULL = of all */
    const struct rv_name_set *only; /* calls of these subroutines; copied; NULL = of all */
    /* Is a block wanted, in which calls begin in [from, to)? Asked in open; NULL = each is. */
    bool (*wants)(const void *context, uint64_t from_ns, uint64_t to_ns);
    const void *context;
};

struct rv_block_reader_lane {
    uint32_t lane_idx;
    struct rv_timeline *calls; /* that end in the block and that the lane has only summarized, exactly */
};

struct rv_block_reader_page { /* a block: the taker's, until rv_block_reader_page_fini() */
    struct rv_block_reader_lane *lanes;
    size_t n_lanes;
};

void rv_block_reader_page_fini(struct rv_block_reader_page *page);

/* NULL: nothing has to be read, all is in the lanes. Closed before the session ends. */
struct rv_block_reader *rv_block_reader_open(struct rv_page_loader *page_loader,
                                             const struct rv_block_reader_params *params);
void rv_block_reader_close(
    struct rv_block_reader *block_reader); /* at once: what is on its way is dropped as it comes. NULL is fine */

enum rv_block_reader_status { RV_BLOCK_READER_PAGE, RV_BLOCK_READER_LATER, RV_BLOCK_READER_OVER };

/* The next block, waiting for it at most timeout_ns. OVER: there are no more, or the session has ended. */
enum rv_block_reader_status rv_block_reader_take(struct rv_block_reader *block_reader, uint64_t timeout_ns,
                                                 struct rv_block_reader_page *page);

/*
 * Nothing that is still to be taken begins before this; backward: or ends at this or later. When nothing is:
 * UINT64_MAX; backward: 0.
 */
uint64_t rv_block_reader_edge_ns(const struct rv_block_reader *block_reader);

double rv_block_reader_progress(const struct rv_block_reader *block_reader); /* 0..1 */

/* ---- the pipeline's side; the paging's lock is held ---- */

/* Is there a block that some block reader wants? */
bool rv_block_reader_asks(const struct rv_page_loader *page_loader);

/* A block that some block reader wants, the block reader that was opened last first; false: none. */
bool rv_block_reader_ask(struct rv_page_loader *page_loader, struct rv_page_request *request);

/* The page that was asked for. Takes its tracks' timelines. */
void rv_block_reader_deliver(struct rv_stream *page);

/* ---- without it ---- */

/* Is this call of a page among those that its block reader is about? */
bool rv_block_reader_keeps(const struct rv_stream *page, const struct rv_span *span);

#endif
