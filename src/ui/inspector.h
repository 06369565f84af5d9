/* Details of the pinned call: its numbers, its callers, and where its time went. */
#ifndef RV_UI_INSPECTOR_H
#define RV_UI_INSPECTOR_H

#include "model/range_statistics.h"
#include "model/subroutines.h"
#include "ui/ui.h"

#define RV_INSPECTOR_LINES 18u /* the tooltip's; viewer/hover makes them */

struct rv_inspector_line {
    const char *label, *text;
};

struct rv_inspector {
    const char *title;
    struct rv_inspector_line lines[RV_INSPECTOR_LINES];
    size_t n_lines;
    bool has_source;            /* the source file is known */
    bool has_waker;             /* the call that ended its longest wait */
    bool has_flow;              /* the call to which its flow leads */
    bool has_path, is_path_lit; /* its critical path can be lit; a path is */
    const char *traced;         /* what became of the last change of what is traced; "" = there was none; NULL = the
                                     program is not live */
    const struct rv_range_statistics *range; /* range of the call on its lane; NULL = not measured yet, or a cell */
    uint32_t node;                           /* the call's node; 0 = none */
    struct rv_subroutines *subroutines;
    uint32_t (*rgba)(const void *context, uint32_t id); /* colour of a subroutine */
    const void *context;
};

/* Are there so many points between the panels above and below that the numbers are in sight under the legend? */
bool rv_inspector_leaves_legend(float room, float legend_height);

/* Asks for RV_ACTION_COPY_NAME, RV_ACTION_EDIT_SOURCE, RV_ACTION_SHOW_WAKER, RV_ACTION_SHOW_FLOW,
 * RV_ACTION_CRITICAL_PATH, RV_ACTION_UNTRACE, RV_ACTION_TRACE, RV_ACTION_UNPIN_CALL. */
void rv_inspector_show(struct rv_ui *ui, const struct rv_inspector *shown, struct rv_ui_acts *acts);

#endif
