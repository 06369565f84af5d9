/*
 * Which waiting held nobody up. Waits for locks are never idle, nor are waits of a process's first thread. Another
 * thread's waiting is idle as far as it exceeds the time for which others, whose own waits are not idle, waited for it.
 * A thread that waits for the ends of several threads waits for each of them. A wait for clients, which no traced
 * thread ended, is always idle. Inside of this room.
 */
#ifndef RV_WAITS_IDLE_H
#define RV_WAITS_IDLE_H

#include "waits/sums.h"

/* Sets idle_ns of the sums' rows, which are in the order of the sums. */
void rv_wait_idle_set(const struct rv_wait_sums *sums, const struct rv_lanes *lanes, struct rv_waits_row *rows);

#endif
