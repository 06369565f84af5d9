/*
 * The blocks of a session's own recording, in the page loader's list: they replace what memory evicts, and are
 * discarded as the file is. On the history's thread, unless said otherwise.
 */
#ifndef RV_PIPELINE_HISTORY_BLOCKS_H
#define RV_PIPELINE_HISTORY_BLOCKS_H

#include "pipeline/page_loader.h"

/*
 * Add the next block of a stream of the session's own recording: its lanes have its calls, or had them. When the list
 * is too large, its oldest part is discarded.
 */
void rv_history_blocks_add(struct rv_page_loader *page_loader, struct rv_stream *stream,
                           const struct rv_block_summary *summary);

/* Blocks before this offset were discarded. */
void rv_history_blocks_discard(struct rv_page_loader *page_loader, uint64_t begin);

/* The session's own recording has failed: forget all of its blocks; none will come. */
void rv_history_blocks_drop(struct rv_page_loader *page_loader);

/* Take a stream of the session's own recording whose thread has ended, whose blocks are all discarded and which nobody
 * reads: the caller destroys it. NULL: none. */
struct rv_stream *rv_history_blocks_take_gone(struct rv_page_loader *page_loader);

/*
 * Since the last call, were calls viewed that are in no block yet, does a span reader wait for some, or are some
 * evicted soon? The last one is answered with looks_at_lanes only: it takes a while where there are very many lanes.
 */
bool rv_history_blocks_take_behind(struct rv_page_loader *page_loader, bool looks_at_lanes);

/* Memory of the list of the session's own recording's blocks, and the number of its streams. Any thread. */
uint64_t rv_history_blocks_bytes(struct rv_page_loader *page_loader, size_t *n_streams);

/* Discard a stream's blocks before this one. The page loader's lock is held. Returns whether there were any. */
bool rv_history_blocks_discard_of(struct rv_page_loader *page_loader, struct rv_stream *stream, size_t first);

#endif
