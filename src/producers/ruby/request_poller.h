/*
 * A native thread of each process that monitors may debug, which looks after its threads: while they make no call for
 * long, they are made to look at their ring's requests, and expressions that are no longer wanted get an exception.
 */
#ifndef RV_PRODUCERS_RUBY_REQUEST_POLLER_H
#define RV_PRODUCERS_RUBY_REQUEST_POLLER_H

#include <stdbool.h>

/* An expression of the calling thread begins and ends. Returns whether it was given up. GVL. */
void rv_request_poller_begin(void);
bool rv_request_poller_end(void);

/* The calling thread has got a ring; it ends, and needs no GVL for this. */
void rv_request_poller_begin_thread(void);
void rv_request_poller_end_thread(void);

/* The native thread continues with another of Ruby's: exchange what it has here for what that one has, NULL: nothing
 * yet. */
struct rv_request_poller_thread;
void rv_request_poller_swap(struct rv_request_poller_thread **other);

/* Once. wake: called with the GVL in some thread, to look whether that thread has requests. */
void rv_request_poller_start(void (*wake)(void));

#endif
