/*
 * A recording as a source: read from beginning to end as fast as the pipeline takes it. Damage is skipped and reported
 * once, at the end; events of damaged or missing chunks become LOST events, so that stacks recover.
 */
#ifndef RV_SOURCE_REPLAY_H
#define RV_SOURCE_REPLAY_H

#include "source/source.h"

/* NULL with one line printed. */
struct rv_source *rv_replay_open(const char *path);

/* The same of one that this process is writing: what it has so far, without a word on its begin and end. */
struct rv_source *rv_replay_open_written(const char *path);

#endif
