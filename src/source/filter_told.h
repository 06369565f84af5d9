/* What a filter stops, told to the producers of a live trace file, once for each function of each process. */
#ifndef RV_SOURCE_FILTER_TOLD_H
#define RV_SOURCE_FILTER_TOLD_H

#include "ring/map.h"

struct rv_filter_told; /* opaque */

/* The map is borrowed. Drain thread, as all of it. */
struct rv_filter_told *rv_filter_told_create(struct rv_map *map);

/* NULL is fine. */
void rv_filter_told_destroy(struct rv_filter_told *told);

/* An event of a function that is stopped, as it was popped; others than CALL_AT are passed over. */
void rv_filter_tell(struct rv_filter_told *told, uint32_t process_idx, const struct rv_event *popped);

#endif
