/* A menu of actions at the mouse: a choice, or anything else that is done, closes it. */
#ifndef RV_UI_MENU_H
#define RV_UI_MENU_H

#include "ui/action_row.h"

struct rv_menu {
    const char *title;
    const struct rv_action_row *rows;
    size_t n_rows;
};

struct rv_menu_state { /* zeroed = not shown in the last pass */
    float at[2];       /* where the mouse was */
    bool is_there;
};

/* Returns the row that was chosen; NULL: none. */
const struct rv_action_row *rv_menu_show(struct rv_ui *ui, const struct rv_menu *shown, struct rv_menu_state *state);

#endif
