/* The list of threads: hide, pin to the front, go to one. */
#ifndef RV_UI_THREADS_H
#define RV_UI_THREADS_H

#include "base/instrumentation.h"
#include "ui/ui.h"

#define RV_THREADS_NAME_BYTES 96u

struct rv_threads_row {
    uint32_t lane_idx;
    char name[RV_THREADS_NAME_BYTES], process[RV_THREADS_NAME_BYTES];
    char traced_by[RV_INSTRUMENTATION_BYTES]; /* "": not known */
    uint64_t n_events;
    uint32_t max_depth;
    bool is_hidden, is_pinned;
};

struct rv_threads {
    size_t n_rows, n_hidden;
    void (*row)(const void *context, size_t row_idx, struct rv_threads_row *out); /* called for visible rows only */
    const void *context;
};

/* Asks for RV_ACTION_SHOW_LANE, RV_ACTION_HIDE_LANE, RV_ACTION_PIN_LANE, RV_ACTION_THREADS. */
void rv_threads_show(struct rv_ui *ui, const struct rv_threads *shown, struct rv_ui_acts *acts);

#endif
