/* Arcs from who ended waits to who waited, and of flows: their index is made anew by another thread as these come. Part
 * of viewer/viewer.h. */
#ifndef RV_VIEWER_ARCS_H
#define RV_VIEWER_ARCS_H

#include <stdbool.h>

#include "model/lanes.h"
#include "waits/holders.h"
#include "waits/waits.h"
#include "query/job_thread.h"
#include "render/arc_levels.h"
#include "render/tooltip.h"

struct rv_viewer_arc_made {            /* zeroed = none */
    const struct rv_arc_levels *index; /* held */
    uint64_t from_ns, to_ns;           /* it has the waits that ended in this time, */
    uint64_t seen_ns;                  /* as known at this moment, */
    size_t n_waits;                    /* when there were so many, */
    bool is_final;                     /* and all releases */
    size_t n_steps;                    /* number of steps of flows then */
    uint64_t cost_ns, ended_ns;        /* the time that making it took, and when it was made */
    unsigned left_out;                 /* kinds left out, as bits */
    bool has_holders;                  /* the holders were requested: */
    const struct rv_holders *holders;  /* held; of the same waits. NULL: not known */
    const struct rv_flow_table *flows; /* held; NULL: not known */
};

struct rv_viewer_arc_job { /* zeroed = none; must not move while running */
    struct rv_job_thread thread;
    struct rv_waits *waits;         /* the job's, until it is done; */
    struct rv_flows *flows;         /* NULL: none, */
    const struct rv_lanes *lanes;   /* lanes that both are of */
    struct rv_viewer_arc_made made; /* what the job makes */
    struct rv_viewer_arc_made all;  /* of all time: folded, where there are very many, */
    struct rv_viewer_arc_made part; /* then, or while waits come, also of a part around what is in view */
    bool is_of_part;                /* the job makes `part`, not `all` */
    uint64_t n_lacking;             /* waits that were not kept */
};

struct rv_arc_hover { /* zeroed = none */
    bool is_on;
    size_t idx; /* in the picture */
    struct rv_arc arc;
    float at_px[2];
};

struct rv_viewer;

/* Begin to make it anew where it is time, and take what has been made. Returns whether the picture changes. */
bool rv_viewer_arcs_advance(struct rv_viewer *viewer);

/* Make it of all waits, and wait for it. */
void rv_viewer_arcs_wait(struct rv_viewer *viewer);

/* What pictures show; NULL: none, or they are switched off, or the view has no threads. */
const struct rv_arc_levels *rv_viewer_arcs(const struct rv_viewer *viewer);

/* Whose lanes pictures show; NULL: none, or they are switched off, or the view has no room for them. */
const struct rv_holders *rv_viewer_holders(const struct rv_viewer *viewer);

void rv_viewer_arcs_fini(struct rv_viewer *viewer);

/* Go to the call that waited in the arc's longest wait, and pin it. Of a call that is not in memory, the time of the
 * wait is shown. */
void rv_viewer_show_arc(struct rv_viewer *viewer, const struct rv_arc *arc);

struct rv_session;

/* What the hovered arc stands for. scale: pixels per point. */
void rv_arc_tooltip_fill(struct rv_tooltip *tooltip, const struct rv_arc_hover *hover, struct rv_session *session,
                         double scale);

#endif
