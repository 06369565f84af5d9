/*
 * The longest calls of one subroutine in a range of time: they are there long before all of its calls are listed
 * (model/range_statistics.h), because lanes have their calls by duration.
 */
#ifndef RV_MODEL_LONGEST_CALLS_H
#define RV_MODEL_LONGEST_CALLS_H

#include "model/range_statistics.h"

#define RV_LONGEST_CALLS_MOST 4096u
#define RV_LONGEST_CALLS_MEASURED                                                                                      \
    64u /* of so many of the first, what is inside of them and around them is known, too */

struct rv_longest_calls_params {
    const struct rv_range_statistics_params *range;
    bool (*is_wanted)(const void *context); /* asked now and then, until it is false */
    const void *context;
};

/*
 * Find the begin of the list that a range of these parameters would have, of all lanes; calls of one begin and one
 * duration in any order. It is shorter where there are more calls, some of which are in blocks that are not loaded.
 *   list  empty; then finished. Of its later calls self_ns is RV_CALL_UNMEASURED. Its sums are empty
 */
void rv_longest_calls_find(struct rv_call_list *list, const struct rv_longest_calls_params *params);

#endif
