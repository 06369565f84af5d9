/* What threads waited for, by object, most waiting first: made anew by another thread as waits come. Part of viewer/viewer.h. */
#ifndef RV_VIEWER_WAITS_H
#define RV_VIEWER_WAITS_H

#include <stdbool.h>

#include "query/job_thread.h"
#include "ui/action.h"
#include "waits/reader.h"

struct rv_viewer_waits_made { /* zeroed = none */
    struct rv_waits_row *rows;
    size_t n, n_waits; /* n_waits: that there were */
    bool has_missed;   /* some could not be read */
    bool is_final;
};

struct rv_viewer_waits { /* zeroed = none; must not move while running */
    struct rv_job_thread thread;
    struct rv_waits *waits;                  /* the job's, until it is done */
    struct rv_viewer_waits_made made, shown; /* made: by the job */
    uint64_t cost_ns, ended_ns;
};

struct rv_viewer;

/* While the panel is open: begin to make them anew where it is time, take what was made. Returns whether it has changed. */
bool rv_viewer_waits_advance(struct rv_viewer *viewer);
void rv_viewer_waits_fini(struct rv_viewer *viewer);

/*
 * RV_ACTION_WAITS opens and closes the panel; RV_ACTION_SHOW_WAIT goes to the call of the longest wait for the object of a row,
 * RV_ACTION_SHOW_HOLDER to the call that ended most of the waiting for it.
 * False for other actions.
 */
bool rv_viewer_waits_act(struct rv_viewer *viewer, const struct rv_act *act);

#endif
