/* The part of what was captured that an output is to have. */
#ifndef RV_EXPORT_SLICE_H
#define RV_EXPORT_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lanes.h"
#include "model/filter.h"
#include "scan/span.h"

struct rv_slice {                   /* zeroed = all */
    uint64_t from_ns, to_ns;        /* only calls of which some lies in [from, to); to_ns 0 = all */
    const struct rv_filter *filter; /* only what passes; NULL = all */
};

/* The calls of a lane that is not in it are not either. */
bool rv_slice_has_lane(const struct rv_slice *part, const struct rv_lane *lane);
bool rv_slice_has_span(const struct rv_slice *part, const struct rv_span *span);
bool rv_slice_has_note(const struct rv_slice *part, const struct rv_lane_note *note);

#endif
