/*
 * What the pinned or hovered call waited for, and the call that ended its longest wait: found by a thread, since waits
 * of a recording are read for it. Part of viewer/viewer.h.
 */
#ifndef RV_VIEWER_CALL_WAITS_H
#define RV_VIEWER_CALL_WAITS_H

#include "model/view.h"
#include "query/job_thread.h"
#include "waits/reader.h"

struct rv_call_waits { /* zeroed = none known */
    struct rv_wait_sum sum;
    struct rv_wait_edge longest;
};

/* Of an exact call; none where waits are not kept (waits NULL), or for a cell. Any thread. */
void rv_call_waits_find(struct rv_call_waits *found, struct rv_waits *waits, const struct rv_box *box,
                        uint32_t lane_idx);

struct rv_call_waits_job { /* zeroed = none; must not move while running */
    struct rv_job_thread thread;
    struct rv_waits *waits; /* the job's, until it is done */
    struct rv_call_waits_about {
        struct rv_box box;
        uint32_t lane_idx;
        size_t n_waits; /* waits that there were then */
    } about, shown_about;
    struct rv_call_waits found, shown;
};

/*
 * Look for those of a call, unless they are known or looked for. Main thread.
 *   returns  what is known of it so far: valid until the next call or _advance
 */
const struct rv_call_waits *rv_call_waits_ask(struct rv_call_waits_job *job, struct rv_waits *waits,
                                              const struct rv_box *box, uint32_t lane_idx);

/* Is there something new to show? */
bool rv_call_waits_advance(struct rv_call_waits_job *job);
void rv_call_waits_stop(struct rv_call_waits_job *job);

struct rv_viewer;

/* Pin the call that ended the pinned call's longest wait, wherever it is; nothing where that is not known. */
void rv_viewer_show_waker(struct rv_viewer *viewer);

#endif
