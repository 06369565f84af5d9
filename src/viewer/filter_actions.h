/* The filter's rules: added, inverted and removed by actions. Main thread. */
#ifndef RV_VIEWER_FILTER_ACTIONS_H
#define RV_VIEWER_FILTER_ACTIONS_H

#include <stdbool.h>

#include "ui/action.h"

struct rv_viewer;

/* Add a rule. False, with viewer->rule_why set, when it is invalid. */
bool rv_viewer_filter_add(struct rv_viewer *viewer, const char *rule);

/* Perform an action on the filter; false for other actions. */
bool rv_viewer_filter_act(struct rv_viewer *viewer, const struct rv_act *act);

#endif
