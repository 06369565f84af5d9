/* Arguments and results of calls, copied into the texts of the thread's ring. */
#ifndef RV_PRODUCERS_NATIVE_CAPTURED_ARGUMENTS_H
#define RV_PRODUCERS_NATIVE_CAPTURED_ARGUMENTS_H

#include <stdint.h>

#include "producers/native/visibility.h"
#include "producers/native/replaced_returns.h"

#if defined(__x86_64__) && defined(__LP64__)

/* Jumped to by a stub, as rv_patched_enter() is, of a function whose arguments are captured. Not for calls from C. */
RV_HIDDEN void rv_captured_enter(void);

/* Once, before the first such stub can be called. -ENOMEM. */
RV_HIDDEN int rv_captured_init(void);

/*
 * A call whose entry was marked has returned, at these ticks (0: that was not written).
 *   results  rax, rdx, xmm0 and xmm1
 */
RV_HIDDEN void rv_captured_return(struct rv_return *entry, const uint64_t results[4], uint64_t ticks);

#endif
#endif
