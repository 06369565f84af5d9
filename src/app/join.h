/* --merge: several recordings into one. */
#ifndef RV_APP_JOIN_H
#define RV_APP_JOIN_H

#include "app/options.h"

/* Exit status; what failed has been said. */
int rv_join(const struct rv_options *options);

#endif
