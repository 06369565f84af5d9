/*
 * The thread that a session steers: finds its ring and carries out orders. The outcome stands in the session's report,
 * with the chosen thread and frame. On the session's worker thread.
 */
#ifndef RV_DEBUGGER_CHOSEN_THREAD_H
#define RV_DEBUGGER_CHOSEN_THREAD_H

#include "debugger/session.h"
#include "debugger/target.h"

struct rv_chosen_thread {
    struct rv_target *target;
    struct rv_debug_session_report *report;
    struct rv_target_thread about; /* as it was found last */
    bool is_moving;                /* it was told where to stop next */
    uint64_t moved_ns;             /* when that was, or when it was told to stop at once */
};

/* Whether the chosen thread has a ring. Its state may be another than the report's by now. */
bool rv_chosen_thread_find(struct rv_chosen_thread *chosen_thread);

/* Become its monitor, and do this to it; the report's `why` says what was not done. */
void rv_chosen_thread_obey(struct rv_chosen_thread *chosen_thread, const struct rv_debug_session_order *order);

#endif
