/*
 * Reads the calls of a lane that overlap a window, the latest end first: callers before their callees; also those in
 * blocks that are not loaded. One thread at a time.
 */
#ifndef RV_PIPELINE_LANE_READER_H
#define RV_PIPELINE_LANE_READER_H

#include "model/span_iter.h"
#include "pipeline/session.h"

struct rv_lane_reader_params {
    struct rv_session *session; /* NULL: all calls are in the lanes. It and the lane outlive the reader */
    struct rv_lane *lane;
    uint64_t from_ns, to_ns;                                              /* to_ns > from_ns */
    bool (*wants)(const void *context, uint64_t from_ns, uint64_t to_ns); /* as of struct rv_span_reader_params */
    const void *context;
};

struct rv_lane_reader { /* zeroed = none; must not move while it is open */
    struct rv_lane_reader_params params;
    uint32_t lane_idx;
    struct rv_span_iter_back walk;
    struct rv_span_reader *blocks; /* NULL: none needed so far */
    bool is_damaged;               /* calls of some blocks are missing */
};

void rv_lane_reader_open(struct rv_lane_reader *reader, const struct rv_lane_reader_params *params);
void rv_lane_reader_close(struct rv_lane_reader *reader); /* safe on a zeroed one */

/* Are there calls in blocks? */
bool rv_lane_reader_has_blocks(const struct rv_lane_reader *reader);

/*
 * The next calls, up to max. Waits for a block at most timeout_ns.
 *   n        their number; 0 also where a block has not come
 *   returns  false: there are no more behind them
 */
bool rv_lane_reader_next(struct rv_lane_reader *reader, uint64_t timeout_ns, struct rv_box *out, size_t max, size_t *n);

#endif
