/*
 * The drain of a live trace file: copies events from every ring, translates addresses and name ids to symbolizer ids,
 * keeps times from falling, cuts batches, follows claims of rings and reclaims rings whose owner is gone.
 */
#ifndef RV_SOURCE_LIVE_DRAIN_H
#define RV_SOURCE_LIVE_DRAIN_H

#include "source/source.h"
#include "ring/map.h"
#include "source/capture_filter.h"

struct rv_live_drain_params {
    uint64_t interval_ns; /* between drains; 0 = 2 ms, and longer while rings have few events */
    bool is_unattended;   /* nobody looks at the newest events: naps may be longer still */
    /* Has the traced program ended? The source ends when this is true and every ring is empty and unowned. May be
     * NULL: then it ends when rings have had owners and none has one any more. */
    bool (*is_over)(void *context);
    double max_overhead; /* that tracing may cost patched programs, as a share of their own time: 0.5 is 50 %; 0: any */
    /* Verdicts for producers have been published, or have changed: on the drain thread, between its turns. Or NULL. */
    void (*on_verdicts)(void *context);
    void *context;                        /* of all */
    struct rv_capture_filter *filter;     /* borrowed, or NULL */
    struct rv_context_switches *switches; /* of the traced threads' switches; taken, or NULL */
    bool is_own; /* who filters made the file: its verdicts may be published to producers for good */
};

/* Attach as the draining consumer. The map is borrowed until close. NULL with a line printed when another process
 * drains it. */
struct rv_source *rv_live_drain_open(struct rv_map *map, const struct rv_live_drain_params *params);

#endif
