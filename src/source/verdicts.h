/* Publishes the verdicts of the capture filter to the producers of a live trace file, once per process. */
#ifndef RV_SOURCE_VERDICTS_H
#define RV_SOURCE_VERDICTS_H

#include "ring/map.h"

struct rv_verdict_publisher; /* opaque */

/* The map is borrowed. All functions: drain thread. */
struct rv_verdict_publisher *rv_verdict_publisher_create(struct rv_map *map);

/* NULL is fine. */
void rv_verdict_publisher_destroy(struct rv_verdict_publisher *publisher);

/* Publish the verdict on the function of an event, as popped from the ring; events other than CALL_AT are ignored, and
 * so are functions that are kept where depth is not limited. */
void rv_verdict_publish(struct rv_verdict_publisher *publisher, uint32_t process_idx, const struct rv_event *popped,
                        bool is_kept);

#endif
