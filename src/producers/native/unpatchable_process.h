/* What of this process as a whole stands against patching it. */
#ifndef RV_PRODUCERS_NATIVE_UNPATCHABLE_PROCESS_H
#define RV_PRODUCERS_NATIVE_UNPATCHABLE_PROCESS_H

#include <stdbool.h>

#include "producers/native/visibility.h"

/* 0; -ENOTSUP: the processor guards return addresses; -ELIBBAD: exceptions are thrown by libunwind, which fails at
 * ours. */
RV_HIDDEN int rv_unpatchable_process_error(void);

/* Has it a tracer? A debugger has breakpoints that a copy of the program's file has not. */
RV_HIDDEN bool rv_unpatchable_process_is_debugged(void);

#endif
