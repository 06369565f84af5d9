/*
 * Applies the choices of --max-overhead (source/max_overhead.h) to what is captured, and marks each in a lane of its
 * process: no function is left out without a mark. All functions: drain thread; those with NULL do nothing.
 */
#ifndef RV_SOURCE_MAX_OVERHEAD_MARKS_H
#define RV_SOURCE_MAX_OVERHEAD_MARKS_H

#include "source/live_ring.h"

struct rv_max_overhead_marks; /* opaque */

/* max_overhead: as for rv_max_overhead_create(). All but rings and intake of the following are borrowed until
 * destroy. */
struct rv_max_overhead_marks *rv_max_overhead_marks_create(struct rv_map *map, struct rv_symbolizer *symbolizer,
                                                           struct rv_capture_control *capture, double max_overhead);
void rv_max_overhead_marks_destroy(struct rv_max_overhead_marks *marks);

/* Count the calls among a ring's n events, as they were popped. */
void rv_max_overhead_marks_count(struct rv_max_overhead_marks *marks, const struct rv_live_ring *slot,
                                 const struct rv_event *popped, size_t n);

/* At the end of a turn that began at these ticks: choose, when it is time to, and put the choices where they can be
 * seen. */
void rv_max_overhead_marks_put(struct rv_max_overhead_marks *marks, const struct rv_live_rings *rings,
                               uint64_t turn_ticks, const struct rv_intake *intake);

/* A ring's stream has just been opened: put those that had to wait for it. */
void rv_max_overhead_marks_put_late(struct rv_max_overhead_marks *marks, const struct rv_live_rings *rings,
                                    struct rv_live_ring *opened, uint64_t turn_ticks, const struct rv_intake *intake);

/* The capture filter has changed: what it wants now is traced. */
void rv_max_overhead_marks_heed_filter(struct rv_max_overhead_marks *marks);

#endif
