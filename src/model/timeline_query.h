/* What a timeline shows of a window of time: the boxes of a level of detail. The lane's lock covers it. */
#ifndef RV_MODEL_TIMELINE_QUERY_H
#define RV_MODEL_TIMELINE_QUERY_H

#include <stddef.h>
#include <stdint.h>

#include "model/box.h"

struct rv_timeline;

/*
 * Number of boxes of a query at this level, without making them; exact but for cells that several pages share.
 * Microseconds. A span overlaps when it starts before `to` and ends after `from` or starts at it; cells count whole.
 * Spans 4,096 deep or deeper are in cells of depth 4,095.
 */
uint64_t rv_timeline_query_count(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level);

/*
 * Boxes that overlap [from, to) at this level, up to max; unsorted.
 *   returns  boxes written
 */
size_t rv_timeline_query_boxes(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level,
                               struct rv_box *out, size_t max);

/* Give all spans known that begin by at_ns and end later. */
void rv_timeline_query_across(const struct rv_timeline *timeline, uint64_t at_ns,
                              void (*each)(void *context, const struct rv_box *box), void *context);

#endif
