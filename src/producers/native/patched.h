/* What patched functions call at their begin, and what their returns arrive at. */
#ifndef RV_PRODUCERS_NATIVE_PATCHED_H
#define RV_PRODUCERS_NATIVE_PATCHED_H

#include "producers/native/linkage.h"

#if defined(__x86_64__) && defined(__LP64__)

/* Called by a stub (patch/stubs.h), with all registers the patched function's; not to be called from C. */
RV_HIDDEN void rv_patched_enter(void);

/* Once, before the first stub runs: 0 or as rv_returns_init(). */
RV_HIDDEN int rv_patched_init(void);

#endif
#endif
