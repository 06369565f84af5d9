/*
 * A flame graph: callers above what they called, as wide as they took; of all paths, or of one and what is in it, with
 * its callers over the full width. Part of a panel.
 */
#ifndef RV_UI_FLAME_GRAPH_H
#define RV_UI_FLAME_GRAPH_H

#include "model/name_set.h"
#include "model/range_statistics.h"
#include "model/subroutines.h"
#include "ui/ui.h"

struct rv_flame_graph {
    const struct rv_range_node *nodes; /* not empty */
    uint64_t version;                  /* changes with the nodes */
    uint32_t focus;                    /* node; 0 = all paths */
    bool has_chosen;
    uint32_t chosen;                 /* subroutine, framed */
    const struct rv_name_set *found; /* of a search: the others are dimmed; NULL = no search */
    struct rv_subroutines *subroutines;
    uint32_t (*rgba)(const void *context, uint32_t id); /* colour of a subroutine */
    const void *context;
};

struct rv_flame_bar {
    uint32_t node, row;
    uint64_t from_ns, length_ns; /* in the time of the focus */
};

struct rv_flame_graph_state {  /* zeroed = nothing shown yet */
    struct rv_flame_bar *bars; /* rows from the top */
    size_t n_bars, n_rows, capacity;
    uint64_t version; /* that the bars are of, as the following */
    uint32_t focus;
    float width;
    uint64_t generation; /* of the search that found_ns is of */
    uint64_t found_ns;
};

void rv_flame_graph_state_fini(struct rv_flame_graph_state *state);

/* Draw it in the current panel, height in points. Asks for RV_ACTION_FOCUS_NODE, RV_ACTION_UNFOCUS_NODE. */
void rv_flame_graph_show(struct rv_ui *ui, const struct rv_flame_graph *shown, struct rv_flame_graph_state *state,
                         struct rv_ui_acts *acts, float height);

#endif
