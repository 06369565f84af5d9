/* One wait of a thread, and one release of what threads wait for. */
#ifndef RV_WAITS_WAIT_H
#define RV_WAITS_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "ringviz/wire.h"

struct rv_wait {
    uint64_t start_ns, end_ns;
    uint64_t woke_ns; /* when the waker acted; 0: unknown */
    uint32_t lane;    /* its index, as rv_lanes_get() takes it */
    uint32_t object;  /* id of its name; 0: none, of a join or a start */
    uint32_t call;    /* id of the innermost call that waited; 0: none */
    uint32_t waker;   /* tid, in the lane's process; of a start, perhaps in its parent; of a child, its pid; with
                         RV_WIRE_OUTSIDE as a WOKEN has it; 0: unknown. With RV_WAKE_UNKNOWN: the wait has not ended,
                         and this thread has the lock */
    enum rv_wait_kind kind;
    enum rv_wake wake;
};

/* 0 where its end is before its begin, as in a damaged recording. */
static inline uint64_t rv_wait_duration_ns(const struct rv_wait *wait)
{
    return wait->end_ns > wait->start_ns ? wait->end_ns - wait->start_ns : 0;
}

/* May the thread that ended it have a lane? */
static inline bool rv_wait_has_traced_waker(const struct rv_wait *wait)
{
    return wait->waker && !(wait->waker & RV_WIRE_OUTSIDE);
}

#define RV_RELEASE_OF_ANY (UINT32_MAX >> 1) /* the object of a release is unknown, since events are missing */

struct rv_release { /* a thread released an object that others waited for */
    uint64_t at_ns;
    uint32_t lane, object, call;
    bool is_taken; /* it was taken, not released */
};

/* As reports and the window call it; static. */
const char *rv_wait_kind_name(enum rv_wait_kind kind);

enum rv_wait_group { /* what came from the waker */
                     RV_WAIT_GROUP_LOCK,
                     RV_WAIT_GROUP_SIGNAL,
                     RV_WAIT_GROUP_TRANSFER, /* data */
                     RV_WAIT_GROUP_START     /* of a thread or process, or its end */
};
enum rv_wait_group rv_wait_kind_group(enum rv_wait_kind kind);

static inline bool rv_wait_kind_is_lock(enum rv_wait_kind kind)
{
    return kind == RV_WAIT_MUTEX || kind == RV_WAIT_READ_LOCK || kind == RV_WAIT_WRITE_LOCK || kind == RV_WAIT_ONCE ||
           kind == RV_WAIT_FILE_LOCK;
}

#endif
