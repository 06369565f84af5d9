/*
 * Set-up on a second CPU while the program has not begun. What runs there is a child that shares this process's memory:
 * a thread would stay known to the C library, which then takes locks for good. The program sees nothing of it: it ends
 * without a signal, is waited for here, is not in RUSAGE_CHILDREN, and tracers do not follow it.
 */
#ifndef RV_PRODUCERS_NATIVE_SECOND_CPU_H
#define RV_PRODUCERS_NATIVE_SECOND_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/native/visibility.h"

/*
 * As rv_patch_share_fn (patch/parts.h). Alone where there is one CPU, a filter of system calls, or a child already, and
 * where children are in another namespace of process ids. Signals are blocked; no other thread runs.
 */
RV_HIDDEN bool rv_second_cpu_share(void (*work)(void *context), void *context);

/* CPU time of children since the last call. */
RV_HIDDEN uint64_t rv_second_cpu_take_ns(void);

#endif
