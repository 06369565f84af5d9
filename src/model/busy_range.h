/*
 * The part of a trace in which its calls are: one stray event, days before all others, is not in it.
 */
#ifndef RV_MODEL_BUSY_RANGE_H
#define RV_MODEL_BUSY_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lanes.h"

/*
 * The bounds of all lanes, without a side that has hardly any call (a twentieth at most) and is apart from the rest by
 * four fifths of the time without a call (a tenth, if it has none at all); then the same of what is left.
 *   returns  false and nothing written if the lanes are empty
 *   thread   any; O(boxes of a picture)
 */
bool rv_busy_range(struct rv_lanes *lanes, uint64_t *from_ns, uint64_t *to_ns);

#endif
