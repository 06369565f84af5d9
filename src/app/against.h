/* --diff: two captures, one after the other, and what differs between them: as text, then to be looked at. */
#ifndef RV_APP_AGAINST_H
#define RV_APP_AGAINST_H

#include "app/options.h"

/* Exit status; what failed has been said. */
int rv_against(const struct rv_options *options);

#endif
