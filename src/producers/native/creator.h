/*
 * Who created the calling thread, or its process. The creator writes a release before its call, and passes on who and
 * when that was. The new thread notes when it begins; with its first ring it writes a wait for its start, which the
 * creator ended as it began. A thread that never gets a ring writes nothing.
 *
 * A program that exec begins looks itself among the rings of the file: at that of the thread that it was, which is
 * exact, or else at those of its parent for the last call that creates processes, which is likely the one.
 */
#ifndef RV_PRODUCERS_NATIVE_CREATOR_H
#define RV_PRODUCERS_NATIVE_CREATOR_H

#include <stdint.h>

#include "producers/native/visibility.h"
#include "ringviz/wire.h"

struct rv_creator {
    uint32_t creator; /* tid; 0: unknown */
    uint64_t created; /* ticks before its call */
    enum rv_wake wake;
};

/*
 * The calling thread is about to create a thread; or a process, also by becoming another program. Zeroed where it has
 * no ring.
 */
RV_HIDDEN struct rv_creator rv_creator_announce(void);
RV_HIDDEN struct rv_creator rv_creator_announce_process(void);

/* The calling thread is about to get a ring, of the process that is open: look for the origin of its first thread. */
RV_HIDDEN void rv_creator_find(void);

/* The calling thread has this origin, and begins now. */
RV_HIDDEN void rv_creator_begin(const struct rv_creator *origin);

/* When it was created, until that is written; 0: unknown. */
RV_HIDDEN uint64_t rv_creator_created(void);

/* Write the origin: the thread has just got its ring, and signals are blocked. */
RV_HIDDEN void rv_creator_write(void);

#endif
