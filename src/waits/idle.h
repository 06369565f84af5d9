/*
 * Which waiting held nobody up. Waits for locks never are idle, nor those of a process's first thread; of another thread, as
 * much of its waiting is as exceeds the time for which others waited for it, whose own waits are not idle; who waits for the
 * ends of several waits for each of them. A wait for clients, which no traced thread ended, always is. Inside of this room.
 */
#ifndef RV_WAITS_IDLE_H
#define RV_WAITS_IDLE_H

#include "waits/sums.h"

/* Sets idle_ns of the sums' rows, which are in the order of the sums. */
void rv_wait_idle_set(const struct rv_wait_sums *sums, const struct rv_lanes *lanes, struct rv_waits_row *rows);

#endif
