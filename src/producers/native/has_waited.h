/* Whether the calling thread has waited. */
#ifndef RV_PRODUCERS_NATIVE_HAS_WAITED_H
#define RV_PRODUCERS_NATIVE_HAS_WAITED_H

#include <stdbool.h>

#include "producers/native/visibility.h"

/*
 * May the thread have given the CPU away by itself since the last such question and the last wait? If not, a long call
 * has worked, or was preempted. Async-signal-safe; keeps errno.
 */
RV_HIDDEN bool rv_has_waited(void);

#endif
