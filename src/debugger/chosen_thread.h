/*
 * The debugged thread of a session: finds its ring and executes orders. Results go into the session's report, which has
 * the chosen thread and frame. Runs on the session's worker thread.
 */
#ifndef RV_DEBUGGER_CHOSEN_THREAD_H
#define RV_DEBUGGER_CHOSEN_THREAD_H

#include "debugger/session.h"
#include "debugger/target.h"

struct rv_chosen_thread {
    struct rv_target *target;
    struct rv_debug_session_report *report;
    struct rv_target_thread about; /* state when last found */
    bool is_moving;                /* it is running to its next stop */
    uint64_t moved_ns;             /* time of that order, or of the last stop order */
};

/* Does the chosen thread have a ring? Its state may differ from the report's by now. */
bool rv_chosen_thread_find(struct rv_chosen_thread *chosen_thread);

/* Become its monitor and execute the order; on failure the report's `why` has the reason. */
void rv_chosen_thread_obey(struct rv_chosen_thread *chosen_thread, const struct rv_debug_session_order *order);

#endif
