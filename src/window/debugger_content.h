/* Contents of the debugger panel: the debugged thread in words. */
#ifndef RV_WINDOW_DEBUGGER_CONTENT_H
#define RV_WINDOW_DEBUGGER_CONTENT_H

#include "viewer/viewer.h"
#include "ui/debugger_panel.h"

/* Show the panel, once per pass. */
void rv_debugger_content_show(struct rv_ui *ui, const struct rv_viewer *viewer, struct rv_debugger_panel_state *state,
                              struct rv_ui_acts *acts);

#endif
