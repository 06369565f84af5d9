/* Publishes the verdicts of the capture filter to the producers of a live trace file, once per process, and again when
 * they change. */
#ifndef RV_SOURCE_PUBLISH_REJECTED_FUNCTIONS_H
#define RV_SOURCE_PUBLISH_REJECTED_FUNCTIONS_H

#include "ring/map.h"
#include "source/capture_filter.h"

struct rv_verdict_publisher; /* opaque */

/* The map is borrowed. All functions: drain thread. */
struct rv_verdict_publisher *rv_verdict_publisher_create(struct rv_map *map);

/* NULL is fine. */
void rv_verdict_publisher_destroy(struct rv_verdict_publisher *publisher);

struct rv_verdict_function { /* of a process */
    uint32_t process_idx, id;
    uint64_t address, ticks; /* a time at which it was there */
};

/* Publish a verdict; it may have been already. */
void rv_verdict_put(struct rv_verdict_publisher *publisher, const struct rv_verdict_function *function, bool is_kept);

/* The same for the function of an event, as popped from the ring; events other than CALL_AT are ignored, and so are
 * functions that are kept where depth is not limited: no producer asks for those. */
void rv_verdict_publish(struct rv_verdict_publisher *publisher, uint32_t process_idx, const struct rv_event *popped,
                        uint32_t id, bool is_kept);

/* The filter has changed: so do the verdicts that were published. */
void rv_verdict_publish_again(struct rv_verdict_publisher *publisher, struct rv_capture_filter *filter,
                              struct rv_symbolizer *symbolizer);

/* A number that moves with what is published. */
uint64_t rv_verdict_publisher_n(const struct rv_verdict_publisher *publisher);

#endif
