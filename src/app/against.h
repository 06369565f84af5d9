/* --diff: two captures, one after the other without a window, and what differs between them. */
#ifndef RV_APP_AGAINST_H
#define RV_APP_AGAINST_H

#include "app/options.h"

/* Exit status; what failed has been said. */
int rv_against(const struct rv_options *options);

#endif
