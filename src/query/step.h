/*
 * The events of a lane, one after the other: where calls begin and end. A search per log and a look at what ends within
 * the length of its calls; no walk over the lane. Calls whose beginning was never seen only end; what was evicted has
 * no events. Under the lane's lock.
 */
#ifndef RV_QUERY_STEP_H
#define RV_QUERY_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lanes.h"

/* The time of the first event after at_ns; false when there is none. They know nothing of what is only summarized. */
bool rv_step_next(const struct rv_lane *lane, uint64_t at_ns, uint64_t *ns);

/* The time of the last event before at_ns; false when there is none. */
bool rv_step_previous(const struct rv_lane *lane, uint64_t at_ns, uint64_t *ns);

/* The same of calls that have ended alone. */
bool rv_step_next_in(const struct rv_timeline *timeline, uint64_t at_ns, uint64_t *ns);
bool rv_step_previous_in(const struct rv_timeline *timeline, uint64_t at_ns, uint64_t *ns);

#endif
