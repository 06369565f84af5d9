/*
 * A live trace file as a source: drains every ring, translates addresses and name ids to catalogue ids, keeps time from
 * falling, cuts batches, follows rings as they are claimed and reclaims those whose owner is gone.
 */
#ifndef RV_SOURCE_LIVE_H
#define RV_SOURCE_LIVE_H

#include "source/source.h"
#include "ring/map.h"
#include "source/capture_filter.h"

struct rv_live_params {
    uint64_t interval_ns; /* between drains; 0 = 2 ms */
    /* Has what writes the file ended? The source ends when this says yes and every ring is empty and unowned. May be
     * NULL: then it ends when no ring has an owner and there has been one. */
    bool (*is_over)(void *context);
    void *is_over_context;
    struct rv_capture_filter *filter; /* borrowed, or NULL */
    bool is_private; /* nobody reads the file afterwards: producers are told for good what the filter stops */
};

/* Attach as the draining consumer. The map is borrowed until close. NULL with a line printed when another one drains
 * it. */
struct rv_source *rv_live_open(struct rv_map *map, const struct rv_live_params *params);

#endif
