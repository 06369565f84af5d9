/* Inside of thread.c, forking.c, runtime_threads.c and wait_records.c: the traced thread's state, and its ring. */
#ifndef RV_PRODUCERS_NATIVE_TRACED_THREAD_H
#define RV_PRODUCERS_NATIVE_TRACED_THREAD_H

#include "producers/native/thread.h"

#define RV_THREAD_NAME_BYTES 64

/* State of the traced thread: the native one, or a runtime's that it runs. Not used by the fast path. */
struct rv_traced_thread {
    struct rv_pusher_state *state; /* ours to unmap */
    uint32_t n_without_ring;
    uint32_t number;                 /* the program's own */
    uint32_t stack_id;               /* the machine stack it runs on */
    uint32_t tid;                    /* a runtime's; 0: a native thread's */
    bool is_named;                   /* by the API */
    bool has_left_ring;              /* it is the parent's, whose push continues here with it */
    bool is_muted;                   /* by a monitor: the next events repeat the frames that are open by then */
    bool is_flat;                    /* there was no memory for its shadow stack: its calls are written without */
    bool has_counted;                /* the open frames' counts for the limit of depth are set, */
    uint32_t version;                /* by this version of the table of verdicts */
    char name[RV_THREAD_NAME_BYTES]; /* as last written to the ring */
};
RV_HIDDEN extern RV_THREAD_LOCAL struct rv_traced_thread rv_traced_thread;

static inline bool rv_thread_has_ring(void)
{
    return rv_thread.pusher.state && rv_thread.pusher.state->ring.control && !rv_traced_thread.has_left_ring;
}

/* Claim a ring where it is time to; the open frames of a runtime are in it then. False: there is none. */
RV_HIDDEN bool rv_thread_get_ring(void);

/*
 * Count n events that were not written for want of a ring, and what is stashed for one; once handlers find a clean
 * cursor. has_tried: to get a ring.
 */
RV_HIDDEN void rv_thread_count_without_ring(uint64_t n, bool has_tried);

/* For the first handler that interrupts a push: most threads need no stash. */
RV_HIDDEN void rv_thread_make_stash(struct rv_pusher_state *state);

/* What is being pushed, by the calling thread or one that stands still, ends in its ring; what comes next is not for
 * it. */
RV_HIDDEN void rv_thread_leave_push(struct rv_pusher *pusher);

/* From its begin to its end an attachment does not end: it would take the ring away. Signals are blocked. */
RV_HIDDEN bool rv_thread_begin_use(void);
RV_HIDDEN void rv_thread_end_use(bool used_before); /* what its begin returned */

/* The traced thread's end. Within a guard, while its ring is in use. */
RV_HIDDEN void rv_thread_end_traced(void);

#endif
