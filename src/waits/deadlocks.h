/* Threads that wait for each other for ever: each for a lock that the next one has. */
#ifndef RV_WAITS_DEADLOCKS_H
#define RV_WAITS_DEADLOCKS_H

#include "waits/reader.h"

struct rv_deadlocked_wait {
    struct rv_wait wait; /* that has not ended */
    const struct rv_lane *holder;
    uint32_t cycle; /* its number, from 0 */
};

/* Those whose threads have waited to the end, for the caller to free: a cycle's one behind the other, each before that
 * of its holder. */
struct rv_deadlocked_wait *rv_deadlocks_take(struct rv_wait_reader *reader, const struct rv_lanes *lanes, size_t *n);

#endif
