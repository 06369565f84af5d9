/* A field for the time to go to. */
#ifndef RV_UI_GO_TO_H
#define RV_UI_GO_TO_H

#include "ui/ui.h"

struct rv_go_to {
    bool is_wrong; /* the last entry was not a time */
};

struct rv_go_to_state { /* zeroed = not shown in the last pass */
    char text[64];
    bool is_there;
};

/* Asks for RV_ACTION_GO_TO. */
void rv_go_to_show(struct rv_ui *ui, const struct rv_go_to *shown, struct rv_go_to_state *state,
                   struct rv_ui_acts *acts);

#endif
