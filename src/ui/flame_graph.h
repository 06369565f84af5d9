/* A flame graph: callers above what they called, as wide as they took. Part of a panel. */
#ifndef RV_UI_FLAME_GRAPH_H
#define RV_UI_FLAME_GRAPH_H

#include "model/range.h"
#include "model/subroutines.h"
#include "ui/ui.h"

struct rv_flame_graph {
    const struct rv_range_node *nodes; /* not empty */
    struct rv_subroutines *subroutines;
    uint32_t (*rgba)(const void *context, uint32_t id); /* colour of a subroutine */
    const void *context;
};

struct rv_flame_bar {
    uint32_t node, row;
    uint64_t from_ns; /* offset in the time of all paths */
};

struct rv_flame_graph_state {  /* zeroed = nothing shown yet */
    struct rv_flame_bar *bars; /* rows from the top */
    size_t n_bars, capacity;
    float width; /* of the current bars; 0: they must be made */
};

void rv_flame_graph_state_fini(struct rv_flame_graph_state *state);

void rv_flame_graph_show(struct rv_ui *ui, const struct rv_flame_graph *shown, struct rv_flame_graph_state *state,
                         float height);

#endif
