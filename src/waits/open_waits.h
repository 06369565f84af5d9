/*
 * Follows a thread's waits through its events, from their begins to their ends. A wait in a signal handler stands above
 * the one that it interrupted.
 */
#ifndef RV_WAITS_OPEN_WAITS_H
#define RV_WAITS_OPEN_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ringviz/wire.h"
#include "waits/waits.h"

#define RV_WAIT_FOLLOWER_NESTED 4
#define RV_WAIT_FOLLOWER_MOST_TOLD (3 * RV_WAIT_FOLLOWER_NESTED)

struct rv_open_waits { /* zeroed = no wait has begun */
    struct rv_wait waiting[RV_WAIT_FOLLOWER_NESTED];
    uint32_t n_waiting;
};

enum rv_wait_step {
    RV_WAIT_STEP_NONE,     /* it was no event of a wait */
    RV_WAIT_STEP_ON,       /* a wait begins, or more is known of its begin */
    RV_WAIT_STEP_ENDED,    /* one has ended */
    RV_WAIT_STEP_LOST,     /* events are missing, of releases, too */
    RV_WAIT_STEP_RELEASED, /* the thread released the object with the event's id */
    RV_WAIT_STEP_TAKEN     /* it took that object */
};

/*
 * The thread's next event.
 *   now_ns  its time
 *   ended   with ENDED: the wait, without its lane and its call
 */
enum rv_wait_step rv_open_waits_add(struct rv_open_waits *follower, const struct rv_event *event, uint64_t now_ns,
                                    struct rv_wait *ended);

/*
 * The thread has ended, and with it its last open wait. The wait's waker, with RV_WAKE_UNKNOWN, is the thread that has
 * the lock, if known. False: no wait was open.
 */
bool rv_open_waits_end(struct rv_open_waits *follower, uint64_t end_ns, struct rv_wait *ended);

/* The wait that has not ended, without its lane and its call; NULL: none. */
const struct rv_wait *rv_open_waits_open(const struct rv_open_waits *follower);

/*
 * Write the events from which another follower learns the open waits; at_ns: the thread's last moment. Returns their
 * number.
 */
size_t rv_open_waits_tell(const struct rv_open_waits *follower, uint64_t at_ns,
                          struct rv_event events[RV_WAIT_FOLLOWER_MOST_TOLD]);

/* Forget the waits, since events are missing. */
void rv_open_waits_forget(struct rv_open_waits *follower);

#endif
