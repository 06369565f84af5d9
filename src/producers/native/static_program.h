/*
 * A statically linked program that was given the loader (launch/static_program). It makes threads of its own, with
 * thread-local data of its own, at the same distances from thread pointers as the loader would have put it: ours is put
 * further below, in all of its threads, so that our code finds its own there, zeroes at first, and none of the
 * program's.
 *
 * Until its first thread pointer is set nothing is traced: what we knew of the thread would be gone.
 */
#ifndef RV_PRODUCERS_NATIVE_STATIC_PROGRAM_H
#define RV_PRODUCERS_NATIVE_STATIC_PROGRAM_H

#include <stdbool.h>

#include "producers/native/visibility.h"

/* Ahead of the program's first instruction. False: it is such a program, and cannot be traced. */
RV_HIDDEN bool rv_static_program_begin(const char *const *environment);

/* The thread pointer is about to be set. */
RV_HIDDEN void rv_static_program_set_thread(void);

#endif
