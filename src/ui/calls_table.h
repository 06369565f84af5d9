/* The calls of the chosen subroutine, a row each. Part of a panel. */
#ifndef RV_UI_CALLS_TABLE_H
#define RV_UI_CALLS_TABLE_H

#include "model/call_list.h"
#include "model/lanes.h"
#include "model/subroutines.h"
#include "ui/ui.h"

struct rv_calls_table {
    const struct rv_call_list *list; /* NULL = none yet */
    const uint32_t *order;           /* places in the list, row by row; NULL = as listed */
    bool is_complete;                /* else it is the begin of the list, */
    double sampled;                  /* or where this is less than 1 of so large a share of the calls */
    bool is_listing;
    double progress; /* 0..1, while listing */
    enum rv_call_column column;
    bool is_descending;
    bool has_current;
    size_t current;   /* place in the list of the call that was gone to last */
    uint64_t zero_ns; /* of the time axis */
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    uint32_t rgba; /* of the bars */
};

struct rv_calls_table_state { /* zeroed = nothing shown yet */
    bool had_current;
    size_t current; /* as last shown */
};

/* Asks for RV_ACTION_SHOW_CALL, RV_ACTION_SORT_CALLS, RV_ACTION_LONGEST_CALL and those behind it. */
void rv_calls_table_show(struct rv_ui *ui, const struct rv_calls_table *shown, struct rv_calls_table_state *state,
                         struct rv_ui_acts *acts, float height);

#endif
