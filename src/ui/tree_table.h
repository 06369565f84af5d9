/* A tree of calls as a table whose rows can be opened. Part of a panel. */
#ifndef RV_UI_TREE_TABLE_H
#define RV_UI_TREE_TABLE_H

#include <stdbool.h>

#include "model/range_statistics.h"
#include "model/subroutines.h"
#include "ui/ui.h"

struct rv_tree_row {
    uint32_t node, depth;
    bool is_open;
};

struct rv_tree_table {
    const char *title;                 /* of the first column */
    const struct rv_range_node *nodes; /* NULL = not yet made */
    const struct rv_tree_row *rows;
    size_t n_rows;
    uint32_t which; /* of the trees, in RV_ACTION_OPEN_NODE */
    struct rv_subroutines *subroutines;
    uint32_t (*rgba)(const void *context, uint32_t id); /* colour of a subroutine */
    const void *context;
};

/* Asks for RV_ACTION_OPEN_NODE, RV_ACTION_CHOOSE_ROW, RV_ACTION_LONGEST_CALL. */
void rv_tree_table_show(struct rv_ui *ui, const struct rv_tree_table *shown, struct rv_ui_acts *acts, float height);

#endif
