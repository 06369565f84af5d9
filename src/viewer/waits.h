/*
 * Threads that wait for each other, looked for while any wait for locks; and what threads waited for, by object, most
 * waiting first: made anew by another thread as waits come. Part of viewer/viewer.h.
 */
#ifndef RV_VIEWER_WAITS_H
#define RV_VIEWER_WAITS_H

#include <stdbool.h>

#include "query/job_thread.h"
#include "render/arc_list.h"
#include "ui/action.h"
#include "waits/reader.h"

struct rv_viewer_waits_made { /* zeroed = none */
    struct rv_waits_row *rows;
    size_t n;            /* deadlocks and objects; after them, */
    size_t n_arcs;       /* arcs */
    size_t n_deadlocked; /* the first rows: a wait of a deadlock each, those of one deadlock one after the other */
    size_t n_waits;      /* that there were */
    bool has_objects;    /* the other rows, too, */
    bool has_arcs;       /* and the arcs */
    bool has_missed;     /* some could not be read */
    bool is_final;
};

struct rv_viewer_arc_chosen { /* zeroed = none: the row of the list of arcs that led somewhere last */
    bool is_on;
    uint32_t from_lane, to_lane; /* lane_idx */
    uint64_t waited_ns;          /* end of its longest wait */
};

struct rv_viewer_waits { /* zeroed = none; must not move while running */
    struct rv_job_thread thread;
    struct rv_waits *waits;                  /* the job's, until it is done, */
    struct rv_lanes *lanes;                  /* likewise */
    struct rv_viewer_waits_made made, shown; /* made: by the job */
    uint64_t cost_ns, ended_ns;
    struct rv_viewer_arc_chosen chosen;
};

struct rv_viewer;

/* Begin to make them anew where it is time, the objects while the panel is open; take what was made. Returns whether it
 * has changed. */
bool rv_viewer_waits_advance(struct rv_viewer *viewer);

/* Make them now, for a picture without a window. */
void rv_viewer_waits_wait(struct rv_viewer *viewer);

/* "deadlock: reader (7) -> writer (8) -> reader (7)": the first one's threads, each behind the one that waits for
 * it. */
void rv_viewer_waits_describe_deadlock(const struct rv_viewer *viewer, char *out, size_t out_bytes);

void rv_viewer_waits_fini(struct rv_viewer *viewer);

/*
 * RV_ACTION_WAITS opens and closes the panel; RV_ACTION_LIST_ARCS lists arcs in it, or objects again;
 * RV_ACTION_SHOW_WAIT goes to the call of the longest wait for the object of a row, RV_ACTION_SHOW_HOLDER to the call
 * that ended most of the waiting for it. False for other actions.
 */
bool rv_viewer_waits_act(struct rv_viewer *viewer, const struct rv_act *act);

/* Is the row with this number the chosen one of the list of arcs? */
bool rv_viewer_waits_is_chosen(const struct rv_viewer *viewer, size_t idx);

/* The arc of a picture in which the chosen row of the list is, as 1 + its index; 0: none, or the list is not open. */
size_t rv_viewer_waits_arc(const struct rv_viewer *viewer, const struct rv_arc_list *list);

#endif
