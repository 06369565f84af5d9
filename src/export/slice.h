/* A slice of the capture: time range and filter of an output. */
#ifndef RV_EXPORT_SLICE_H
#define RV_EXPORT_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lanes.h"
#include "model/filter.h"
#include "scan/span.h"

struct rv_slice {                   /* zeroed = all */
    uint64_t from_ns, to_ns;        /* only calls that overlap [from, to); to_ns 0 = all */
    const struct rv_filter *filter; /* only calls that pass; NULL = all */
};

/* False: no call of the lane is in the slice. */
bool rv_slice_has_lane(const struct rv_slice *part, const struct rv_lane *lane);
bool rv_slice_has_span(const struct rv_slice *part, const struct rv_lane *lane, const struct rv_span *span);
bool rv_slice_has_stretch(const struct rv_slice *part, uint64_t start_ns, uint64_t end_ns);
bool rv_slice_has_time(const struct rv_slice *part, uint64_t at_ns);
bool rv_slice_has_note(const struct rv_slice *part, const struct rv_lane_note *note);

#endif
