/* The lit critical path: how long it is, how much of it threads ran, waited and were only woken, and what takes
 * most. */
#ifndef RV_UI_CRITICAL_PATH_PANEL_H
#define RV_UI_CRITICAL_PATH_PANEL_H

#include "ui/ui.h"

#define RV_CRITICAL_PATH_PANEL_ROWS 6u

enum rv_critical_path_panel_kind {
    RV_CRITICAL_PATH_PANEL_RUN,
    RV_CRITICAL_PATH_PANEL_WAIT,
    RV_CRITICAL_PATH_PANEL_WOKEN,
    RV_CRITICAL_PATH_PANEL_KINDS
};

struct rv_critical_path_panel_row {
    enum rv_critical_path_panel_kind kind;
    char name[160], detail[160]; /* detail: "" = none */
    uint64_t n_ns;
};

struct rv_critical_path_panel {
    const char *title; /* what the path is of */
    bool is_found;     /* else it is still being looked for */
    uint64_t n_ns[RV_CRITICAL_PATH_PANEL_KINDS];
    struct rv_critical_path_panel_row rows[RV_CRITICAL_PATH_PANEL_ROWS]; /* most time first */
    size_t n_rows, n_left;                                               /* n_left: not listed */
    unsigned percent;                                                    /* how far it is, until it is found */
    bool leaves_half;                                                    /* of the column's room to a panel below */
    bool is_cut;       /* it begins late: waits before were not kept */
    bool has_missed;   /* some waits could not be read */
    bool has_no_waits; /* none at all is known, */
    bool is_old;       /* since the recording's index has none */
};

/* Asks for RV_ACTION_SHOW_PATH_PART and RV_ACTION_CRITICAL_PATH, to put it out. */
void rv_critical_path_panel_show(struct rv_ui *ui, const struct rv_critical_path_panel *shown, struct rv_ui_acts *acts);

#endif
