/*
 * Reads the calls of a window of time in order, for queries over all calls: from the lanes, and in a recording opened
 * by its index, or of a session's history, also from blocks that are not loaded. Blocks are loaded like pages, a few
 * ahead, with lower priority than the window's pages; workers decode and scan them; each is delivered once and not
 * kept. Blocks of a history are awaited until they have what the lanes lack, for seconds at most.
 *
 *   open, take, close   the query, one thread at a time
 *   asks, ask           drain thread
 *   keeps, deliver      the worker that joins the page
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
struct rv_pending_page;
struct rv_page_request;
struct rv_span_reader_slot;
struct rv_span_reader; /* opaque */

struct rv_span_reader_params {
    uint64_t from_ns, to_ns;        /* calls that overlap this; nothing where to <= from */
    bool is_backward;               /* the latest first */
    const uint32_t *lane_idx;       /* only of this lane's thread; copied; NULL = all */
    uint64_t paged_before_ns;       /* with lane_idx: its rv_timeline_paged_before_ns(); 0 = that of now */
    const struct rv_name_set *only; /* from blocks only calls of these subroutines; copied; NULL = all */
    /* Is a block with calls that begin in [from, to) wanted? Called by open, or with a history by take; NULL = all
     * are. */
    bool (*wants)(const void *context, uint64_t from_ns, uint64_t to_ns);
    const void *context;
};

struct rv_span_part_lane {
    uint32_t lane_idx;
    struct rv_timeline *calls; /* exact calls that end in the block and that the lane has as sums, or not at all */
};

/* The next part, owned by the caller until rv_span_part_fini(). */
struct rv_span_part {
    uint64_t from_ns, to_ns;         /* of the lanes, the calls that begin in [from, to); backward: that end in it */
    struct rv_span_part_lane *lanes; /* of a block */
    size_t n_lanes;
    bool is_damaged; /* the block of a recording could not be read: its calls are missing */
};

void rv_span_part_fini(struct rv_span_part *part);

/* The lane's calls in the block, now the caller's; or NULL. */
struct rv_timeline *rv_span_part_take(struct rv_span_part *part, uint32_t lane_idx);

/* Never NULL. page_loader: the session's; NULL = all calls are in the lanes. Closed before the session ends. */
struct rv_span_reader *rv_span_reader_open(struct rv_page_loader *page_loader,
                                           const struct rv_span_reader_params *params);

/* Returns at once: pending blocks are dropped when they arrive. NULL-safe. */
void rv_span_reader_close(struct rv_span_reader *reader);

enum rv_span_reader_status { RV_SPAN_READER_PART, RV_SPAN_READER_LATER, RV_SPAN_READER_OVER };

/*
 * The next part; waits for a block at most timeout_ns. OVER: no more parts, or the session has ended. A reader without
 * blocks has one part.
 */
enum rv_span_reader_status rv_span_reader_take(struct rv_span_reader *reader, uint64_t timeout_ns,
                                               struct rv_span_part *part);

/* The lane's rv_timeline_paged_before_ns() by which its calls are read. */
uint64_t rv_span_reader_paged_before_ns(const struct rv_span_reader *reader, uint32_t lane_idx);

/* Are there blocks left? */
bool rv_span_reader_has_blocks(const struct rv_span_reader *reader);

/*
 * No call of the remaining blocks begins before this; backward: ends at this or later. Without blocks: UINT64_MAX;
 * backward: 0.
 */
uint64_t rv_span_reader_edge_ns(const struct rv_span_reader *reader);

double rv_span_reader_progress(const struct rv_span_reader *reader); /* 0..1 */

/* ---- the pipeline's side; the page loader's lock is held ---- */

/* Does any span reader wait for blocks to be listed? */
bool rv_span_reader_awaits(const struct rv_page_loader *page_loader);

/* Does any span reader want a block? */
bool rv_span_reader_asks(const struct rv_page_loader *page_loader);

/* Take a request for a block, of the last opened span reader first; false: none. */
bool rv_span_reader_ask(struct rv_page_loader *page_loader, struct rv_page_request *request);

/* Deliver a requested page. Takes its tracks' calls. */
void rv_span_reader_deliver(struct rv_pending_page *page);

/* Deliver nothing instead: the block cannot be read. is_damaged: else it was discarded, which its lanes say. */
void rv_span_reader_miss(struct rv_span_reader_slot *slot, bool is_damaged);

/* ---- without that lock ---- */

/* Does the page's span reader want this call of a lane? */
bool rv_span_reader_keeps(const struct rv_pending_page *page, uint32_t lane_idx, const struct rv_span *span);

#endif
