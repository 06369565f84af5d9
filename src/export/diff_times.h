/* A sink that collects own and whole times of every call, and their variation. For --diff. */
#ifndef RV_EXPORT_DIFF_TIMES_H
#define RV_EXPORT_DIFF_TIMES_H

#include "model/diff_variance.h"
#include "sink/sink.h"

struct rv_diff_times; /* opaque; internally locked */

struct rv_diff_times *rv_diff_times_create(void);
void rv_diff_times_destroy(struct rv_diff_times *times);
/* The sink that collects; borrows the times. */
struct rv_sink rv_diff_times_sink(struct rv_diff_times *times);

/* After the session's end; valid until destroy. A table of own times, and the variance of both kinds. */
const struct rv_stats *rv_diff_times_stats(const struct rv_diff_times *times);
const struct rv_diff_variance *rv_diff_times_variance(const struct rv_diff_times *times);

#endif
