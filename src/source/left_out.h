/* Publishes the functions that the capture filter rejects to the producers of a live trace file, once per process. */
#ifndef RV_SOURCE_LEFT_OUT_H
#define RV_SOURCE_LEFT_OUT_H

#include "ring/map.h"

struct rv_left_out_publisher; /* opaque */

/* The map is borrowed. All functions: drain thread. */
struct rv_left_out_publisher *rv_left_out_publisher_create(struct rv_map *map);

/* NULL is fine. */
void rv_left_out_publisher_destroy(struct rv_left_out_publisher *publisher);

/* Publish the function of a rejected event, as popped from the ring; events other than CALL_AT are ignored. */
void rv_left_out_publish(struct rv_left_out_publisher *publisher, uint32_t process_idx, const struct rv_event *popped);

#endif
