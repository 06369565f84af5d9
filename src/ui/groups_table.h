/* The calls of the chosen subroutine, summed by caller, thread, process or arguments. Part of a panel. */
#ifndef RV_UI_GROUPS_TABLE_H
#define RV_UI_GROUPS_TABLE_H

#include "model/call_list.h"
#include "model/subroutines.h"
#include "ui/ui.h"

struct rv_groups_table {
    const struct rv_call_sums *groups; /* NULL = none yet */
    size_t n_groups;
    enum rv_call_grouping grouping;
    double sampled; /* the share of the calls that they are from: 1 unless it is a sample */
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
};

/* Asks for RV_ACTION_GROUP_CALLS, RV_ACTION_CHOOSE_ROW. */
void rv_groups_table_show(struct rv_ui *ui, const struct rv_groups_table *shown, struct rv_ui_acts *acts, float height);

#endif
