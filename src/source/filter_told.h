/* Publishes the functions that the capture filter rejects to the producers of a live trace file, once per process. */
#ifndef RV_SOURCE_FILTER_TOLD_H
#define RV_SOURCE_FILTER_TOLD_H

#include "ring/map.h"

struct rv_filter_told; /* opaque */

/* The map is borrowed. All functions: drain thread. */
struct rv_filter_told *rv_filter_told_create(struct rv_map *map);

/* NULL is fine. */
void rv_filter_told_destroy(struct rv_filter_told *told);

/* Publish the function of a rejected event, as popped from the ring; events other than CALL_AT are ignored. */
void rv_filter_tell(struct rv_filter_told *told, uint32_t process_idx, const struct rv_event *popped);

#endif
