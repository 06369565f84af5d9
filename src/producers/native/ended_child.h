/* Which child of this process has ended: a signal about it may have ended a wait. */
#ifndef RV_PRODUCERS_NATIVE_ENDED_CHILD_H
#define RV_PRODUCERS_NATIVE_ENDED_CHILD_H

#include <stdint.h>

#include "producers/native/visibility.h"

struct rv_ended_child {
    uint32_t pid;   /* 0: none, of those that are traced */
    uint64_t ticks; /* of its end */
};

/* The last one since these ticks. The calling thread has a ring. Any thread; async-signal-safe; keeps errno. */
RV_HIDDEN struct rv_ended_child rv_ended_child_find(uint64_t since);

#endif
