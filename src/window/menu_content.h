/* The menu of what can be done with a call, or with a subroutine of the statistics. */
#ifndef RV_WINDOW_MENU_CONTENT_H
#define RV_WINDOW_MENU_CONTENT_H

#include "ui/menu.h"
#include "viewer/viewer.h"

/* Asks for RV_ACTION_MENU, which closes it, and for the chosen row's action. Nothing while it is closed. */
void rv_menu_content_show(struct rv_ui *ui, const struct rv_viewer *viewer, struct rv_menu_state *state,
                          struct rv_ui_acts *acts);

#endif
