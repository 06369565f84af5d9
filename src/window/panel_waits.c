#include "window/panel_waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct list {
    const struct rv_viewer *viewer;
    const size_t *rows;
};

/* "worker in cache::get" */
static void name_side(const struct rv_viewer *viewer, const struct rv_wait_side *side, char *out, size_t out_bytes)
{
    char thread[RV_LANE_NAME_BYTES] = "", call[90] = "";
    if (side->lane) {
        struct rv_lane *lane = rv_lanes_get(viewer->lanes, side->lane->idx);
        pthread_mutex_lock(&lane->lock);
        memcpy(thread, lane->name, sizeof thread);
        pthread_mutex_unlock(&lane->lock);
    } else if (side->tid) {
        (void)snprintf(thread, sizeof thread, "thread %u, not traced", side->tid);
    }
    if (side->call)
        (void)rv_subroutines_name_of(viewer->subroutines, side->call, call, sizeof call);
    (void)snprintf(out, out_bytes, "%s%s%s", thread, *call ? " in " : "", call);
}

static void describe(const struct rv_viewer *viewer, size_t idx, struct rv_waits_table_row *out)
{
    const struct rv_waits_row *row = &viewer->waits.shown.rows[idx];
    char object[120] = "";
    if (row->object == RV_WAITS_OTHER)
        (void)snprintf(object, sizeof object, "others");
    else if (row->object)
        (void)rv_subroutines_name_of(viewer->subroutines, row->object, object, sizeof object);
    const bool is_deadlocked = idx < viewer->waits.shown.n_deadlocked;
    *out = (struct rv_waits_table_row){.idx = (uint32_t)idx,
                                       .is_warning = is_deadlocked,
                                       .n_waits = row->n_waits,
                                       .total_ns = row->total_ns,
                                       .idle_ns = row->idle_ns,
                                       .p99_ns = row->p99_ns,
                                       .longest_ns = row->longest_ns};
    (void)snprintf(out->object, sizeof out->object, "%s%s%s%s", is_deadlocked ? "deadlock: " : "",
                   rv_wait_kind_name(row->kind), *object ? " " : "", object);
    name_side(viewer, &row->waiter, out->waiter, sizeof out->waiter);
    name_side(viewer, &row->holder, out->holder, sizeof out->holder);
}

static void fill(const void *context, size_t row_idx, struct rv_waits_table_row *out)
{
    const struct list *list = context;
    describe(list->viewer, list->rows[row_idx], out);
}

static size_t find(struct rv_panel_waits *panel, const struct rv_viewer *viewer)
{
    const size_t n = viewer->waits.shown.n;
    size_t n_found = 0;
    panel->rows = rv_vec_reserve(panel->rows, &panel->capacity, n, sizeof *panel->rows);
    for (size_t i = 0; i < n; i++) {
        struct rv_waits_table_row row;
        if (*panel->state.find)
            describe(viewer, i, &row);
        if (!*panel->state.find || rv_waits_table_is_found(&panel->state, &row))
            panel->rows[n_found++] = i;
    }
    return n_found;
}

static const char *notice_of(const struct rv_viewer *viewer, size_t n_found)
{
    struct rv_session *session = viewer->analysis.session;
    if (n_found)
        return "";
    if (viewer->waits.shown.n)
        return "nothing has these words";
    if (session && rv_session_lacks_waits(session))
        return "No waits are known: the recording's index has none. --repair=OUT.rvz makes it anew, with waits.";
    return viewer->waits.thread.is_running ? "looking ..." : "No waits are known.";
}

void rv_panel_waits_show(struct rv_panel_waits *panel, struct rv_ui *ui, const struct rv_viewer *viewer,
                         struct rv_ui_acts *acts)
{
    const size_t n_found = find(panel, viewer);
    const struct list list = {viewer, panel->rows};
    rv_waits_table_show(ui,
                        &(struct rv_waits_table){.n_rows = n_found,
                                                 .row = fill,
                                                 .context = &list,
                                                 .notice = notice_of(viewer, n_found),
                                                 .has_missed = viewer->waits.shown.has_missed},
                        &panel->state, acts);
}

void rv_panel_waits_fini(struct rv_panel_waits *panel)
{
    free(panel->rows);
    *panel = (struct rv_panel_waits){0};
}
