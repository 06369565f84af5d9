#include "window/waits_content.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct list {
    const struct rv_viewer *viewer;
    const size_t *rows;
};

static void append_name(const struct rv_viewer *viewer, const char *separator, uint32_t id,
                        struct rv_waits_table_name *out)
{
    const size_t n = strlen(out->text);
    rv_subroutines_append_brief_name(viewer->subroutines, separator, id, out->text, sizeof out->text);
    out->n_before = out->text[n] ? n + strlen(separator) : 0;
}

static void name_side(const struct rv_viewer *viewer, const struct rv_wait_side *side, struct rv_waits_table_name *out)
{
    char thread[RV_LANE_NAME_BYTES] = "";
    if (side->lane) {
        rv_lane_copy_label(rv_lanes_get(viewer->lanes, side->lane->idx), thread);
    } else if (side->tid && !rv_lanes_outside_name(viewer->lanes, side->tid, true, thread)) {
        (void)snprintf(thread, sizeof thread, "thread %u, not traced", side->tid);
    }
    (void)snprintf(out->text, sizeof out->text, "%s", thread);
    append_name(viewer, " in ", side->call, out);
}

static void describe_numbers(const struct rv_viewer *viewer, size_t idx, struct rv_waits_table_row *out)
{
    const struct rv_waits_row *row = &viewer->waits.shown.rows[idx];
    *out = (struct rv_waits_table_row){.idx = (uint32_t)idx,
                                       .is_warning = idx < viewer->waits.shown.n_deadlocked,
                                       .is_chosen = rv_viewer_waits_is_chosen(viewer, idx),
                                       .n_waits = row->n_waits,
                                       .n_timed_out = row->n_of_wake[RV_WAKE_TIMEOUT],
                                       .total_ns = row->total_ns,
                                       .idle_ns = row->idle_ns,
                                       .p99_ns = row->p99_ns,
                                       .longest_ns = row->longest_ns,
                                       .end_ns = row->waited_ns - viewer->live_edge.first_ns};
}

static void name_object(const struct rv_viewer *viewer, size_t idx, struct rv_waits_table_name *out)
{
    const struct rv_waits_row *row = &viewer->waits.shown.rows[idx];
    const bool is_deadlock = idx < viewer->waits.shown.n_deadlocked, is_of_others = row->object == RV_WAITS_OTHER;
    (void)snprintf(out->text, sizeof out->text, "%s%s%s", is_deadlock ? "deadlock: " : "", rv_wait_kind_name(row->kind),
                   is_of_others ? " others" : "");
    append_name(viewer, " ", is_of_others ? 0 : row->object, out);
}

void rv_waits_content_describe(const struct rv_viewer *viewer, size_t idx, struct rv_waits_table_row *out)
{
    const struct rv_waits_row *row = &viewer->waits.shown.rows[idx];
    describe_numbers(viewer, idx, out);
    name_object(viewer, idx, &out->object);
    name_side(viewer, &row->waiter, &out->waiter);
    name_side(viewer, &row->holder, &out->holder);
}

static void fill(const void *context, size_t row_idx, struct rv_waits_table_row *out)
{
    const struct list *list = context;
    rv_waits_content_describe(list->viewer, list->rows[row_idx], out);
}

struct numbered {
    size_t row;
    uint64_t number;
};

static int by_number(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void sort(struct rv_waits_content *panel, const struct rv_viewer *viewer, size_t n)
{
    struct numbered *all = rv_alloc_scratch(n + 1, sizeof *all);
    for (size_t i = 0; i < n; i++) {
        struct rv_waits_table_row row;
        describe_numbers(viewer, panel->rows[i], &row);
        all[i] = (struct numbered){panel->rows[i], rv_waits_table_number(&row, panel->state.column)};
    }
    qsort(all, n, sizeof *all, by_number);
    for (size_t i = 0; i < n; i++)
        panel->rows[i] = all[panel->state.is_descending ? n - 1 - i : i].row;
    free(all);
}

/* They are found and sorted anew where what is shown, or what is asked for, is another. */
static bool is_same(struct rv_waits_content *panel, const struct rv_viewer *viewer)
{
    const struct rv_waits_content_made made = {
        .ended_ns = viewer->waits.ended_ns, .of_arcs = viewer->panels.has_arcs, .state = panel->state};
    const bool is_same = made.ended_ns == panel->made.ended_ns && made.of_arcs == panel->made.of_arcs &&
                         made.state.column == panel->made.state.column &&
                         made.state.is_descending == panel->made.state.is_descending &&
                         strcmp(made.state.find, panel->made.state.find) == 0;
    panel->made = made;
    return is_same;
}

static void find(struct rv_waits_content *panel, const struct rv_viewer *viewer)
{
    const struct rv_viewer_waits_made *shown = &viewer->waits.shown;
    const size_t first = viewer->panels.has_arcs ? shown->n : 0;
    const size_t end = viewer->panels.has_arcs ? shown->n + shown->n_arcs : shown->n;
    if (is_same(panel, viewer))
        return;
    panel->rows = rv_vec_reserve(panel->rows, &panel->capacity, end - first, sizeof *panel->rows);
    panel->n = 0;
    for (size_t i = first; i < end; i++) {
        struct rv_waits_table_row row;
        if (*panel->state.find)
            rv_waits_content_describe(viewer, i, &row);
        if (!*panel->state.find || rv_waits_table_is_found(&panel->state, &row))
            panel->rows[panel->n++] = i;
    }
    if (panel->n && (panel->state.column != RV_WAITS_OBJECT || panel->state.is_descending))
        sort(panel, viewer, panel->n);
}

static const char *notice_of(const struct rv_viewer *viewer, size_t n_found)
{
    struct rv_session *session = viewer->session;
    if (n_found)
        return "";
    if (viewer->panels.has_arcs ? viewer->waits.shown.n_arcs : viewer->waits.shown.n)
        return "nothing has these words";
    if (session && rv_session_lacks_waits(session))
        return "No waits are known: the recording's index has none. --repair=OUT.rvz makes it anew, with waits.";
    return viewer->waits.thread.is_running ? "looking ..." : "No waits are known.";
}

void rv_waits_content_show(struct rv_waits_content *panel, struct rv_ui *ui, const struct rv_viewer *viewer,
                           struct rv_ui_acts *acts)
{
    find(panel, viewer);
    const struct list list = {viewer, panel->rows};
    rv_waits_table_show(ui,
                        &(struct rv_waits_table){.of_arcs = viewer->panels.has_arcs,
                                                 .n_rows = panel->n,
                                                 .row = fill,
                                                 .context = &list,
                                                 .notice = notice_of(viewer, panel->n),
                                                 .has_missed = viewer->waits.shown.has_missed},
                        &panel->state, acts);
}

void rv_waits_content_fini(struct rv_waits_content *panel)
{
    free(panel->rows);
    *panel = (struct rv_waits_content){0};
}
