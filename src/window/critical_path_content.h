/* The panel of the lit critical path: says in words what the path is made of. */
#ifndef RV_WINDOW_CRITICAL_PATH_CONTENT_H
#define RV_WINDOW_CRITICAL_PATH_CONTENT_H

#include "model/subroutines.h"
#include "ui/critical_path_panel.h"
#include "viewer/viewer.h"

/* Nothing where no path is lit. */
void rv_critical_path_content_show(struct rv_ui *ui, const struct rv_viewer *viewer, struct rv_ui_acts *acts);

/* Row idx of that panel, which has RV_CRITICAL_PATH_PANEL_ROWS at most; false where it has none. */
bool rv_critical_path_content_describe(const struct rv_viewer *viewer, uint32_t idx,
                                       struct rv_critical_path_panel_row *row);

#endif
