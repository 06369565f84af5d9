/*
 * A recording as a source: read from its beginning to its end, as fast as the pipeline takes it. Damage is passed over
 * and said once, at the end; events that a damaged or missing chunk held become LOST events, so that stacks heal.
 */
#ifndef RV_SOURCE_REPLAY_H
#define RV_SOURCE_REPLAY_H

#include "source/source.h"

/* NULL with one line printed. */
struct rv_source *rv_replay_open(const char *path);

#endif
