/*
 * Whether a filter of system calls may end the process for one that the program does not make. It is learned when the
 * filter is set, by the C library's functions, or was there before the program: not to ask is the only call that every
 * filter allows.
 */
#ifndef RV_PRODUCERS_NATIVE_SANDBOX_H
#define RV_PRODUCERS_NATIVE_SANDBOX_H

#include <stdbool.h>

#include "producers/native/visibility.h"

/* Any thread; async-signal-safe. */
RV_HIDDEN bool rv_sandbox_is_there(void);

/*
 * The program is about to make this system call, whose first arguments are a, b and c. One that sets a filter confines
 * the process. Where it forbids the calling thread to read the processor's clock, as seccomp's strict mode does with
 * nearly all system calls, tracing of the process ends.
 */
RV_HIDDEN void rv_sandbox_expect(long number, long a, long b, long c);

#endif
