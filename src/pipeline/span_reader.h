/*
 * Reads the calls of a window of time in order, for queries over all calls: the lanes' stretch by stretch and, of a
 * recording that is shown by its index, the blocks that are not loaded. Each block is loaded as pages are, a few blocks
 * ahead and after the pages that the window needs; the workers decode and scan it; it is handed over once and not kept.
 *
 *   open, take, close   the query, one thread at a time
 *   asks, ask           drain thread
 *   keeps, deliver      the worker that merges the page
 */
#ifndef RV_PIPELINE_SPAN_READER_H
#define RV_PIPELINE_SPAN_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/name_set.h"
#include "model/timeline.h"
#include "scan/span.h"

struct rv_page_loader;
struct rv_page_request;
struct rv_stream;
struct rv_span_reader; /* opaque */

struct rv_span_reader_params {
    uint64_t from_ns, to_ns;        /* calls that overlap this; nothing where to <= from */
    bool is_backward;               /* the latest first */
    const uint32_t *lane_idx;       /* of this lane's thread; NULL = of all */
    const struct rv_name_set *only; /* of blocks, calls of these subroutines; copied; NULL = of all */
    /* Is a block wanted, in which calls begin in [from, to)? Asked in open; NULL = each is. */
    bool (*wants)(const void *context, uint64_t from_ns, uint64_t to_ns);
    const void *context;
};

struct rv_span_part_lane {
    uint32_t lane_idx;
    struct rv_timeline *calls; /* that end in the block and that the lane has only summarized, exactly */
};

/* What is due next: the taker's, until rv_span_part_fini(). */
struct rv_span_part {
    uint64_t from_ns, to_ns;         /* of the lanes, the calls that begin in [from, to); backward: that end in it */
    struct rv_span_part_lane *lanes; /* of a block */
    size_t n_lanes;
};

void rv_span_part_fini(struct rv_span_part *part);

/* Never NULL. page_loader: the session's; NULL = all calls are in the lanes. Closed before the session ends. */
struct rv_span_reader *rv_span_reader_open(struct rv_page_loader *page_loader,
                                           const struct rv_span_reader_params *params);

/* At once: blocks on their way are dropped as they come. NULL is fine. */
void rv_span_reader_close(struct rv_span_reader *reader);

enum rv_span_reader_status { RV_SPAN_READER_PART, RV_SPAN_READER_LATER, RV_SPAN_READER_OVER };

/*
 * The next part, waiting at most timeout_ns where that is a block. OVER: there are no more, or the session has ended.
 * A reader without blocks has one part.
 */
enum rv_span_reader_status rv_span_reader_take(struct rv_span_reader *reader, uint64_t timeout_ns,
                                               struct rv_span_part *part);

/* Has blocks that are still to be taken. */
bool rv_span_reader_has_blocks(const struct rv_span_reader *reader);

/*
 * No block that is still to be taken has a call that begins before this; backward: or ends at this or later. Without
 * blocks: UINT64_MAX; backward: 0.
 */
uint64_t rv_span_reader_edge_ns(const struct rv_span_reader *reader);

double rv_span_reader_progress(const struct rv_span_reader *reader); /* 0..1 */

/* ---- the pipeline's side; the paging's lock is held ---- */

/* Is there a block that some span reader wants? */
bool rv_span_reader_asks(const struct rv_page_loader *page_loader);

/* A block that some span reader wants, the span reader that was opened last first; false: none. */
bool rv_span_reader_ask(struct rv_page_loader *page_loader, struct rv_page_request *request);

/* The page that was asked for. Takes its tracks' timelines. */
void rv_span_reader_deliver(struct rv_stream *page);

/* ---- without it ---- */

/* Is this call of a page among those that its span reader is about? */
bool rv_span_reader_keeps(const struct rv_stream *page, const struct rv_span *span);

#endif
