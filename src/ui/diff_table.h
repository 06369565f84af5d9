/* The comparison of two captures, a row per subroutine. Part of a panel. */
#ifndef RV_UI_DIFF_TABLE_H
#define RV_UI_DIFF_TABLE_H

#include "model/diff.h"
#include "ui/ui.h"

struct rv_diff_table_shown {
    const struct rv_diff *diff;         /* NULL = one capture only */
    struct rv_subroutines *subroutines; /* of both */
};

/* Asks for RV_ACTION_CHOOSE_ROW, RV_ACTION_LONGEST_CALL. */
void rv_diff_table_show(struct rv_ui *ui, const struct rv_diff_table_shown *shown, struct rv_ui_acts *acts,
                        float height);

#endif
