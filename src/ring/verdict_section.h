/*
 * The verdicts of the capture filter on functions, published by the consumer so that producers need not write the calls
 * of those that it rejects and, where depth is limited, know which calls count for it: then those that it keeps are
 * listed, too. Records stay; what one says changes with the filter. Producers may ignore it: the consumer filters
 * again.
 *
 *   X1 -> X2  a record is complete before the count includes it
 *   X3 -> X4  a record's change before the number of changes
 */
#ifndef RV_RING_VERDICT_SECTION_H
#define RV_RING_VERDICT_SECTION_H

#include <stdbool.h>

#include "ring/map.h"

#define RV_VERDICTS_MAX 65536u /* records in a file made by rv_map_create() */

/* Append. Its index; -ENOSPC when the list or the disk is full. The draining consumer. */
int rv_verdicts_add(struct rv_map *map, const struct rv_wire_verdict *record);

/* Change what record idx, of this process, says. The draining consumer. */
void rv_verdicts_change(struct rv_map *map, uint32_t idx, uint32_t process_idx, bool is_kept);

/* Number of records. Any process. */
uint32_t rv_verdicts_count(const struct rv_map *map);

/* A number that moves when a record changes that was there before: read it before the records. Any process. */
uint32_t rv_verdicts_changes(const struct rv_map *map);

/* A number that moves when a process has another record, or one with a change. Any process. */
uint32_t rv_verdicts_of_process(const struct rv_map *map, uint32_t process_idx);

/* Record idx, below the count. Any process. */
struct rv_wire_verdict rv_verdicts_read(const struct rv_map *map, uint32_t idx);

#endif
