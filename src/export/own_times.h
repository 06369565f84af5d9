/* The sink that looks at every call's own time: how long calls take, and how much that wavers. For --diff. */
#ifndef RV_EXPORT_OWN_TIMES_H
#define RV_EXPORT_OWN_TIMES_H

#include "model/spread.h"
#include "sink/sink.h"

struct rv_own_times; /* opaque; internally locked */

struct rv_own_times *rv_own_times_create(void);
void rv_own_times_destroy(struct rv_own_times *times);
struct rv_sink rv_own_times_sink(struct rv_own_times *times);

/* After the session's end; valid until destroy. A table of own times, and the spread of both kinds. */
const struct rv_stats *rv_own_times_stats(const struct rv_own_times *times);
const struct rv_spread *rv_own_times_spread(const struct rv_own_times *times);

#endif
