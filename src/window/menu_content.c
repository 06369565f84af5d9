#include "window/menu_content.h"

enum need { /* bits */
            NEEDS_CALL = 1,
            NEEDS_ROW = 2,
            NEEDS_WAKER = 4,
            NEEDS_WAITS = 8,
            NEEDS_SOURCE = 16,
            NEEDS_FLOW = 32,
            NEEDS_TASKS = 64,
            NEEDS_PROGRAM = 128 /* one that runs */
};

static const struct item {
    enum rv_action action;
    unsigned needs;
    bool is_of_subroutine; /* its idx */
    const char *words;
} ITEMS[] = {
    {RV_ACTION_UNPIN_CALL, NEEDS_CALL, false, "Unpin"},
    {RV_ACTION_FOCUS_OR_FIT, NEEDS_CALL, false, "Fill the window with it"},
    {RV_ACTION_LONGEST_CALL, NEEDS_ROW, false, "Go to its longest call"},
    {RV_ACTION_FIRST_CALL, NEEDS_ROW, false, "Go to its first call"},
    {RV_ACTION_NEXT_CALL, NEEDS_ROW, false, "Go to its next call"},
    {RV_ACTION_PREVIOUS_CALL, NEEDS_ROW, false, "Go to its previous call"},
    {RV_ACTION_LOOK_CALLS, 0, false, "All its calls behind each other"},
    {RV_ACTION_CHOOSE_ROW, NEEDS_CALL, true, "List all its calls"},
    {RV_ACTION_SHOW_WAKER, NEEDS_CALL | NEEDS_WAKER, false, RV_ACTION_TITLE_SHOW_WAKER},
    {RV_ACTION_SHOW_FLOW, NEEDS_CALL | NEEDS_FLOW, false, RV_ACTION_TITLE_SHOW_FLOW},
    {RV_ACTION_LOOK_TASKS, NEEDS_CALL | NEEDS_TASKS, false, "Follow its task or flow"},
    {RV_ACTION_CRITICAL_PATH, NEEDS_CALL | NEEDS_WAITS, false, RV_ACTION_TITLE_CRITICAL_PATH},
    {RV_ACTION_COPY_NAME, 0, true, "Copy its name"},
    {RV_ACTION_EDIT_SOURCE, NEEDS_SOURCE, true, "Open its source"},
    {RV_ACTION_UNTRACE, NEEDS_PROGRAM, true, "Do not trace it"},
    {RV_ACTION_TRACE, NEEDS_PROGRAM, true, "Trace it again"},
};
#define N_ITEMS (sizeof ITEMS / sizeof *ITEMS)

static uint32_t subject_of(const struct rv_viewer *viewer)
{
    return viewer->panels.menu == RV_MENU_OF_ROW ? rv_viewer_statistics_subject(&viewer->statistics)
                                                 : viewer->pointer.hover.box.id;
}

static unsigned given(const struct rv_viewer *viewer)
{
    const struct rv_pointer *pointer = &viewer->pointer;
    struct rv_session *session = viewer->session;
    unsigned has = viewer->panels.menu == RV_MENU_OF_ROW ? NEEDS_ROW : NEEDS_CALL;
    has |= pointer->waits.shown.sum.n && pointer->waits.shown.longest.waker ? NEEDS_WAKER : 0;
    has |= pointer->flow.is_on ? NEEDS_FLOW : 0;
    has |= pointer->flows && pointer->flows->n_flows ? NEEDS_TASKS : 0;
    has |= session && rv_session_waits(session) && pointer->hover.n_lanes <= 1 ? NEEDS_WAITS : 0;
    has |= rv_subroutines_get(viewer->subroutines, subject_of(viewer)).file[0] ? NEEDS_SOURCE : 0;
    has |= viewer->debugger.debug_session ? NEEDS_PROGRAM : 0;
    return has;
}

static size_t add_rows(const struct rv_viewer *viewer, struct rv_action_row rows[N_ITEMS])
{
    const unsigned has = given(viewer);
    size_t n = 0;
    for (size_t i = 0; i < N_ITEMS; i++) {
        if ((ITEMS[i].needs & has) != ITEMS[i].needs)
            continue;
        rows[n] = (struct rv_action_row){.action = ITEMS[i].action,
                                         .idx = ITEMS[i].is_of_subroutine ? subject_of(viewer) : 0,
                                         .words = ITEMS[i].words};
        if (rows[n].action < RV_ACTION_COUNT)
            rv_key_bindings_keys(rows[n].action, rows[n].keys, sizeof rows[n].keys);
        n++;
    }
    return n;
}

/* Calls are listed in the statistics, on a page of their own. */
static void ask(const struct rv_viewer *viewer, const struct rv_action_row *chosen, struct rv_ui_acts *acts)
{
    const bool is_list = chosen->action == RV_ACTION_CHOOSE_ROW;
    rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_MENU});
    if (is_list && viewer->statistics.scope == RV_SCOPE_CLOSED)
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_STATISTICS_OF, .idx = RV_SCOPE_ALL});
    if (is_list)
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_STATISTICS_TAB, .idx = RV_STATISTICS_LIST + 1});
    rv_ui_act(acts, &(struct rv_act){.action = chosen->action, .idx = chosen->idx});
}

void rv_menu_content_show(struct rv_ui *ui, const struct rv_viewer *viewer, struct rv_menu_state *state,
                          struct rv_ui_acts *acts)
{
    struct rv_action_row rows[N_ITEMS];
    char title[512];
    if (viewer->panels.menu == RV_MENU_CLOSED || !viewer->subroutines) {
        state->is_there = false;
        return;
    }
    const struct rv_menu shown = {
        .title = rv_subroutines_name_of(viewer->subroutines, subject_of(viewer), title, sizeof title),
        .rows = rows,
        .n_rows = add_rows(viewer, rows)};
    const struct rv_action_row *chosen = rv_menu_show(ui, &shown, state);
    if (chosen)
        ask(viewer, chosen, acts);
}
