/* The list of what threads waited for. */
#ifndef RV_WINDOW_WAITS_CONTENT_H
#define RV_WINDOW_WAITS_CONTENT_H

#include "ui/waits_table.h"
#include "viewer/viewer.h"

struct rv_waits_content { /* zeroed = not shown yet */
    struct rv_waits_table_state state;
    struct rv_waits_content_made { /* what the rows were made from: */
        uint64_t ended_ns;
        bool of_arcs;
        struct rv_waits_table_state state;
    } made;
    size_t *rows; /* rows that match, in their order */
    size_t n, capacity;
};

/* Fill and show the list in this pass. */
void rv_waits_content_show(struct rv_waits_content *panel, struct rv_ui *ui, const struct rv_viewer *viewer,
                           struct rv_ui_acts *acts);
/* A row of viewer->waits.shown. */
void rv_waits_content_describe(const struct rv_viewer *viewer, size_t idx, struct rv_waits_table_row *out);
void rv_waits_content_fini(struct rv_waits_content *panel);

#endif
