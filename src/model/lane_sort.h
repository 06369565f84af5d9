/* Sorts the lanes of an arrangement. One thread at a time. */
#ifndef RV_MODEL_LANE_SORT_H
#define RV_MODEL_LANE_SORT_H

#include "model/lane_choices.h"

/*
 * Put processes in order, and the lanes of each: by name, numbers in it by their value; by events so far, most first;
 * or as they came. Lanes that come later are inserted as always.
 */
void rv_lane_sort(struct rv_lane_choices *lane_order, const struct rv_lanes *lanes, enum rv_lanes_sorted by);

/* What they are sorted by, in a word. Static. */
const char *rv_lane_sort_name(enum rv_lanes_sorted by);

#endif
