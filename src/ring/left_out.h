/*
 * The functions that the capture filter rejects, published by the consumer so that producers need not write their
 * calls. The list only grows. Producers may ignore it: the consumer filters again.
 *
 *   X1 -> X2  a record is complete before the count includes it
 */
#ifndef RV_RING_LEFT_OUT_H
#define RV_RING_LEFT_OUT_H

#include <stdbool.h>

#include "ring/map.h"

#define RV_LEFT_OUT_MAX 65536u /* records in a file made by rv_map_create() */

/* Append. 0; -ENOSPC when the list or the disk is full. The draining consumer. */
int rv_left_out_add(struct rv_map *map, const struct rv_wire_left_out *record);

/* Number of records. Any process. */
uint32_t rv_left_out_count(const struct rv_map *map);

/* Record idx, below the count. Any process. */
struct rv_wire_left_out rv_left_out_read(const struct rv_map *map, uint32_t idx);

#endif
