/*
 * Random events of a program that ran before tracing began, with many open calls: it returns from more and more of
 * them, loses events, jumps out of calls, and sometimes goes deep.
 */
#ifndef RV_TEST_PIPELINE_ATTACHED_H
#define RV_TEST_PIPELINE_ATTACHED_H

#include <stddef.h>

#include "ringviz/wire.h"

enum { ATTACHED_STACKS = 3 };

/*
 * Make at most n events of one thread, in ns, drawn by recorded_draw(). The third stack appears long after the others.
 * Around the begin of a block many events depend on what was before. Returns the number of events.
 */
size_t attached_make(struct rv_event *events, size_t n);

#endif
