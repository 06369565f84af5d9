/*
 * Steps through a share of the calls of a range (model/range_statistics.h), also those in blocks of a recording that
 * are not loaded: for each lane it opens a span reader of the blocks that the range has not. One thread at a time.
 */
#ifndef RV_PIPELINE_RANGE_READER_H
#define RV_PIPELINE_RANGE_READER_H

#include "model/range_statistics.h"
#include "pipeline/session.h"

struct rv_range_reader {
    struct rv_range_statistics_share *share;
    struct rv_session *session;
    struct rv_span_reader *blocks; /* of the current lane; NULL: none needed */
};

/* session: outlives the reader, as does the range; NULL: all calls are in the lanes. */
void rv_range_reader_init(struct rv_range_reader *reader, struct rv_range_statistics *range,
                          struct rv_session *session);

/*
 * Visit up to `most` calls, or wait up to timeout_ns for a block.
 *   returns  whether nothing of the range is left for this reader
 */
bool rv_range_reader_step(struct rv_range_reader *reader, size_t most, uint64_t timeout_ns);

/* Close what is open, complete or not. */
void rv_range_reader_fini(struct rv_range_reader *reader);

#endif
