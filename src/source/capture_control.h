/*
 * What is captured of a live trace file while it is drained: the filter, the verdicts that producers get, and changes
 * that monitors ask for (RV_COMMANDS_CONSUMER of ring/commands.h):
 *
 *     excl REGEX   incl REGEX   untr NAME   trac NAME      enum rv_capture_rule
 *
 * The response is "ok" or "err", and a line.
 */
#ifndef RV_SOURCE_CAPTURE_CONTROL_H
#define RV_SOURCE_CAPTURE_CONTROL_H

#include "source/publish_rejected_functions.h"

struct rv_capture_control {
    struct rv_map *map; /* these three are borrowed */
    struct rv_symbolizer *symbolizer;
    struct rv_capture_filter *filter;       /* NULL: all is captured */
    struct rv_capture_filter *own;          /* the filter, where the first change made it; else NULL */
    struct rv_verdict_publisher *publisher; /* NULL: producers get none */
};

/* The word that asks for a rule, of four characters. */
const char *rv_capture_control_request(enum rv_capture_rule rule);

/* publishes: the filter's verdicts, for good. Drain thread, as the others. */
void rv_capture_control_init(struct rv_capture_control *capture, bool publishes);
void rv_capture_control_fini(struct rv_capture_control *capture);

/* Leave a function out of what is captured. Returns its id. */
uint32_t rv_capture_control_leave_out(struct rv_capture_control *capture, uint32_t process_idx, uint64_t address,
                                      uint64_t ticks);

/* Have it captured again, unless a rule leaves it out. Returns its id; 0: nothing has changed. */
uint32_t rv_capture_control_let_in(struct rv_capture_control *capture, uint32_t process_idx, uint64_t address,
                                   uint64_t ticks);

/* The function at an address of a process at that time. */
uint32_t rv_capture_control_id(const struct rv_capture_control *capture, uint32_t process_idx, uint64_t address,
                               uint64_t ticks);

/* Is there a request? */
bool rv_capture_control_is_asked(const struct rv_capture_control *capture);

/* Answer it, if it is still there: filter and publisher may be others then. */
void rv_capture_control_answer(struct rv_capture_control *capture);

#endif
