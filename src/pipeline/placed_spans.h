/* Spans as the scan and the carry have them, made those of the model: times of the trace, depths from the lowest base,
 * no deeper than a limit. */
#ifndef RV_PIPELINE_PLACED_SPANS_H
#define RV_PIPELINE_PLACED_SPANS_H

#include "pipeline/tracks.h"

struct rv_placed_spans { /* of one thread: what follows writes to buffer.spans */
    uint64_t origin_ns;
    uint32_t max_depth; /* 0: no limit */
    struct rv_span_buffer buffer;
};

void rv_placed_spans_fini(struct rv_placed_spans *spans);

/* Read the spans of a block that was applied. Returns their number. */
size_t rv_placed_spans_read(struct rv_placed_spans *spans, const struct rv_tracks *tracks,
                            const struct rv_block *block);

/* Turn the frames that are open at the end of the stream into spans. Returns their number. */
size_t rv_placed_spans_finish(struct rv_placed_spans *spans, const struct rv_tracks *tracks, uint64_t end_ns);

/* Add to the first n the frames that are open at a time, as spans that end there, innermost first. Returns the number
 * of all. */
size_t rv_placed_spans_add_open(struct rv_placed_spans *spans, const struct rv_tracks *tracks, size_t n,
                                uint64_t at_ns);

#endif
