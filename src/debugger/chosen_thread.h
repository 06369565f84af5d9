/*
 * The thread that a pilot has chosen: which one of the rings is its, and what an order does to it. What came of an
 * order stands in the report, which also tells whom the pilot has chosen and which frame it looks at. For the pilot's
 * worker.
 */
#ifndef RV_DEBUGGER_CHOSEN_THREAD_H
#define RV_DEBUGGER_CHOSEN_THREAD_H

#include "debugger/session.h"
#include "debugger/target.h"

struct rv_helm {
    struct rv_subject *subject;
    struct rv_pilot_report *report;
    struct rv_subject_thread about; /* as it was found last */
    bool is_moving;                 /* it was told where to stop next */
    uint64_t moved_ns;              /* when that was, or when it was told to stop at once */
};

/* Whether the chosen thread has a ring. Its state may be another than the report's by now. */
bool rv_helm_find(struct rv_helm *helm);

/* Become its monitor, and do this to it; the report's `why` says what was not done. */
void rv_helm_obey(struct rv_helm *helm, const struct rv_pilot_order *order);

#endif
