/*
 * What the calling thread is in right now, kept in its ring's slots for monitors to look at: by programs that ask for
 * it (ringviz_keep_stacks). Does nothing while the thread has no ring.
 */
#ifndef RV_NATIVE_STACK_MIRROR_H
#define RV_NATIVE_STACK_MIRROR_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/native/linkage.h"

RV_HIDDEN extern bool rv_stack_mirror_is_kept;

/* Of what the events tell that were just pushed at these ticks. */
RV_HIDDEN void rv_stack_mirror_call(uint32_t id, uint64_t ticks);
RV_HIDDEN void rv_stack_mirror_return(void);
RV_HIDDEN void rv_stack_mirror_line(uint32_t line, uint64_t ticks);

/* A frame that is open, told again: shown unless it is. */
RV_HIDDEN void rv_stack_mirror_replay(uint32_t id, uint16_t depth, uint64_t ticks);

#endif
