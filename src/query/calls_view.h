/*
 * A view whose lanes are calls of one subroutine, each with its callees, aligned at their start: times count from it.
 * Drawing, picking and lists use it like a view of threads; its parts lead back.
 */
#ifndef RV_QUERY_CALLS_VIEW_H
#define RV_QUERY_CALLS_VIEW_H

#include "query/call_rows.h"
#include "model/view.h"

/*
 * Rebuild in place: [from_ns, to_ns) of params counts from the begin of each call, and order and past are ignored. Each
 * row has the finest level that fits its share of the budget. Any thread, one at a time.
 */
void rv_calls_view_update(struct rv_view *view, const struct rv_call_rows *rows, struct rv_lanes *lanes,
                          const struct rv_view_params *params);

#endif
