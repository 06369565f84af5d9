/* The panel of the lit critical path: says in words what the path is made of. */
#ifndef RV_WINDOW_CRITICAL_PATH_CONTENT_H
#define RV_WINDOW_CRITICAL_PATH_CONTENT_H

#include "model/subroutines.h"
#include "ui/ui.h"
#include "viewer/viewer.h"

/* Nothing where no path is lit. */
void rv_critical_path_content_show(struct rv_ui *ui, const struct rv_viewer *viewer, struct rv_ui_acts *acts);

#endif
