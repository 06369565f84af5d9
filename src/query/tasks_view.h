/*
 * A view whose lanes are tasks and flows: each is a box of its own with its parts on it, whichever threads they were
 * on. The parts of a task are its turns, those of a flow the calls that tell its steps. Parts at the same time stand on
 * each other; parts lead back to the lanes of their threads, links from part to part. Times off the CPU are shown where
 * parts follow each other. Drawing, picking and lists use it like a view of threads.
 */
#ifndef RV_QUERY_TASKS_VIEW_H
#define RV_QUERY_TASKS_VIEW_H

#include "model/subroutines.h"
#include "model/view.h"
#include "tasks/flow_table.h"

#define RV_TASKS_VIEW_MOST 1000u /* lanes: of more tasks, the longest of each group of neighbours */

struct rv_followed { /* zeroed = none */
    bool is_on, is_task;
    uint64_t id, begin_ns;
};

struct rv_tasks_view_params {
    const struct rv_flow_table *table; /* NULL: none is known */
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    bool is_aligned;             /* the window counts from the begin of each task */
    bool is_longest_first;       /* else by begin */
    struct rv_followed followed; /* is always shown, and all others dimmed */
};

/*
 * Rebuild in place. Of many tasks, those in the window of view_params are shown, of which order and past are ignored.
 * Each lane has the finest level that fits its share of the budget; of turns that are too many for it, how many there
 * were when. Any thread, one at a time.
 */
void rv_tasks_view_update(struct rv_view *view, const struct rv_tasks_view_params *params,
                          const struct rv_view_params *view_params);

/* The longest task, with which an aligned window is chosen. */
uint64_t rv_tasks_view_longest_ns(const struct rv_flow_table *table);

#endif
