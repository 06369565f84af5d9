/* The calls of the subroutine that is chosen in the statistics: part of viewer/statistics.h. */
#ifndef RV_VIEWER_SUBROUTINE_CALLS_H
#define RV_VIEWER_SUBROUTINE_CALLS_H

#include "viewer/statistics.h"

void rv_viewer_subroutine_calls_fini(struct rv_viewer_subroutine_calls *calls);

/* Choose a subroutine, by its id in the results: its calls stand out and are listed. */
void rv_viewer_subroutine_calls_choose(struct rv_viewer *viewer, uint32_t id);
void rv_viewer_subroutine_calls_choose_none(struct rv_viewer_subroutine_calls *calls);

/* Actions about its calls. False for others. */
bool rv_viewer_subroutine_calls_act(struct rv_viewer *viewer, const struct rv_act *act);

/* List the calls of the range that is shown now, and go where the user has asked. Returns whether something has
 * changed. */
bool rv_viewer_subroutine_calls_advance(struct rv_viewer *viewer);
void rv_viewer_subroutine_calls_wait(struct rv_viewer *viewer); /* until they are listed and sorted */

/* The complete list, with the first calls by the column where there are too many; NULL = none yet. */
const struct rv_call_list *rv_viewer_subroutine_calls_list(const struct rv_viewer_subroutine_calls *calls);

/* What is shown: the complete list, and until there is one its begin, where that is the order, or one of the calls of a
 * sample; NULL = none yet. */
const struct rv_call_list *rv_viewer_subroutine_calls_shown(const struct rv_viewer_subroutine_calls *calls);

/* The share of the calls that the sample is, where it is shown; else 1. */
double rv_viewer_subroutine_calls_sampled(const struct rv_viewer_subroutine_calls *calls);

/* Is the call gone to last one of the shown list? */
bool rv_viewer_subroutine_calls_has_current(const struct rv_viewer_subroutine_calls *calls);

/* Of the rows of the shown list as it is sorted, the places in the list; NULL = as listed. */
const uint32_t *rv_viewer_subroutine_calls_order(const struct rv_viewer_subroutine_calls *calls);

#endif
