/*
 * Mirrors the calling thread's stack into its ring's slots for monitors, in programs that request it
 * (ringviz_keep_stacks). Does nothing while the thread has no ring.
 */
#ifndef RV_PRODUCERS_NATIVE_STACK_FOR_MONITORS_H
#define RV_PRODUCERS_NATIVE_STACK_FOR_MONITORS_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/native/visibility.h"

RV_HIDDEN extern bool rv_stack_for_monitors_is_kept;

/* Mirror the events just pushed at these ticks. */
RV_HIDDEN void rv_stack_for_monitors_call(uint32_t id, uint64_t ticks);
RV_HIDDEN void rv_stack_for_monitors_return(void);
RV_HIDDEN void rv_stack_for_monitors_line(uint32_t line, uint64_t ticks);

/* An open frame reported again: added unless already there. */
RV_HIDDEN void rv_stack_for_monitors_replay(uint32_t id, uint16_t depth, uint64_t ticks);

#endif
