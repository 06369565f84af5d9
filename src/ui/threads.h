/* The list of threads: find one by name or number, hide, pin to the front, collapse, go to one. */
#ifndef RV_UI_THREADS_H
#define RV_UI_THREADS_H

#include "base/instrumentation_text.h"
#include "model/lane_choices.h"
#include "ui/ui.h"

#define RV_THREADS_NAME_BYTES 96u

struct rv_threads_row {
    uint32_t lane_idx, tid;
    char name[RV_THREADS_NAME_BYTES], process[RV_THREADS_NAME_BYTES];
    char traced_by[RV_INSTRUMENTATION_BYTES]; /* "": not known */
    uint64_t n_events;
    uint32_t max_depth;
    bool is_hidden, is_pinned;
    enum rv_lane_fold fold;
};

struct rv_threads {
    size_t n_rows, n_lanes, n_hidden; /* rows: all lanes that are found, or all but those in collapsed ones */
    enum rv_lanes_sorted sorted;
    void (*row)(const void *context, size_t row_idx, struct rv_threads_row *out); /* called for visible rows only */
    const void *context;
};

struct rv_threads_state {
    char find[64]; /* words: see rv_threads_is_found() */
};

/* Does each of the words occur in the row's name, process or thread id? */
bool rv_threads_is_found(const struct rv_threads_state *state, const struct rv_threads_row *row);

/* Asks for RV_ACTION_SHOW_LANE, RV_ACTION_HIDE_LANE, RV_ACTION_PIN_LANE, RV_ACTION_COLLAPSE_GROUP,
 * RV_ACTION_SORT_LANES, RV_ACTION_THREADS. */
void rv_threads_show(struct rv_ui *ui, const struct rv_threads *shown, struct rv_threads_state *state,
                     struct rv_ui_acts *acts);

#endif
