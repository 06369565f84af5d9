/* The list of what threads waited for. */
#ifndef RV_WINDOW_PANEL_WAITS_H
#define RV_WINDOW_PANEL_WAITS_H

#include "ui/waits_table.h"
#include "viewer/viewer.h"

struct rv_panel_waits { /* zeroed = not shown yet */
    struct rv_waits_table_state state;
    struct rv_panel_waits_made { /* what the rows were made from: */
        uint64_t ended_ns;
        bool of_arcs;
        struct rv_waits_table_state state;
    } made;
    size_t *rows; /* rows that match, in their order */
    size_t n, capacity;
};

/* Fill and show the list in this pass. */
void rv_panel_waits_show(struct rv_panel_waits *panel, struct rv_ui *ui, const struct rv_viewer *viewer,
                         struct rv_ui_acts *acts);
void rv_panel_waits_fini(struct rv_panel_waits *panel);

#endif
