/*
 * The functions that a filter stops, told by the consumer to the producers, so that these need not write their calls:
 * a list that grows at its end. What a producer makes of it is its own affair; the consumer filters what it gets.
 *
 *   X1 -> X2  a record before the count that shows it
 */
#ifndef RV_RING_LEFT_OUT_H
#define RV_RING_LEFT_OUT_H

#include <stdbool.h>

#include "ring/map.h"

#define RV_LEFT_OUT_MAX 65536u /* records in a file made by rv_map_create() */

/* 0; -ENOSPC when the list is full, or the disk. The draining consumer. */
int rv_left_out_add(struct rv_map *map, const struct rv_wire_left_out *record);

/* Records there are. Any process. */
uint32_t rv_left_out_count(const struct rv_map *map);

/* One of them. Any process. */
struct rv_wire_left_out rv_left_out_read(const struct rv_map *map, uint32_t idx);

#endif
