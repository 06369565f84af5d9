/*
 * The first calls of one subroutine in a range of time, by duration or by start: they are there long before all of its
 * calls are listed (model/range_statistics.h), because lanes have their calls by duration, and by time.
 */
#ifndef RV_MODEL_FIRST_CALLS_H
#define RV_MODEL_FIRST_CALLS_H

#include "model/range_statistics.h"

#define RV_FIRST_CALLS_MOST 4096u
#define RV_FIRST_CALLS_MEASURED 64u /* of so many of the first, what is inside of them and around them is known, too */

struct rv_first_calls_params {
    const struct rv_range_statistics_params *range;
    bool (*is_wanted)(const void *context); /* asked now and then, until it is false */
    const void *context;
};

/*
 * Find the begin of the list that a range of these parameters would have, of all lanes; calls of one begin and one
 * duration in any order. Where some calls are in blocks that are not loaded it is shorter, and in another order than
 * the longest first it is empty.
 *   list  empty; then finished. Of its later calls self_ns is RV_CALL_UNMEASURED. Its sums are empty
 */
void rv_first_calls_find(struct rv_call_list *list, const struct rv_first_calls_params *params);

#endif
