/*
 * Has patched programs follow the capture filter while they run: a thread that gets into each process with new verdicts
 * (src/attach), takes the jumps of rejected functions out, and writes those of others again. Hooks of other programs
 * look at once. Where ptrace(2) is not permitted, producers still find the verdicts by themselves, and such a call
 * costs a look-up.
 */
#ifndef RV_CLI_REPATCH_H
#define RV_CLI_REPATCH_H

#include "ring/map.h"

struct rv_repatch; /* opaque */

/* The map is borrowed. NULL where nothing can be patched here. */
struct rv_repatch *rv_repatch_start(struct rv_map *map);

/* There are verdicts. Returns at once; any thread, until it is destroyed. NULL-safe, as the others. */
void rv_repatch_wake(struct rv_repatch *repatch);

/* No process is entered any more: waits for what is under way, and leaves them as they are. Idempotent; main thread. */
void rv_repatch_stop(struct rv_repatch *repatch);
void rv_repatch_destroy(struct rv_repatch *repatch);

#endif
