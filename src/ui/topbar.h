/* The top bar: the program, its state, and the views as tabs. */
#ifndef RV_UI_TOPBAR_H
#define RV_UI_TOPBAR_H

#include "ui/ui.h"

enum rv_topbar_state {
    RV_TOPBAR_LIVE,
    RV_TOPBAR_FROZEN,
    RV_TOPBAR_ENDED,
    RV_TOPBAR_PLAYING, /* playing the capture */
    RV_TOPBAR_PAUSED
};

enum { RV_TOPBAR_MOST_BUTTONS = 8 };

struct rv_topbar_button {
    const char *label;
    enum rv_action action;
    bool is_on; /* what it opens is open */
};

struct rv_topbar {
    const char *program;
    uint32_t pid; /* 0 = not shown */
    enum rv_topbar_state state;
    uint64_t behind_ns;  /* behind the present, while frozen or playing */
    double events_per_s; /* negative = not shown */
    double lag_ns;       /* from an event to its picture; negative = not shown */
    double cpu_share;    /* of one CPU, taken by ringviz itself; negative = not shown */
    bool is_recording;
    bool has_lost_history; /* older calls are no longer kept */
    uint32_t n_stopped;    /* threads that a debugger has stopped */
    uint64_t n_dropped, n_drawn, n_folded;
    const char *const *tabs;
    uint32_t n_tabs, chosen;
    const struct rv_topbar_button *buttons; /* before the tabs, while there is room */
    uint32_t n_buttons;
};

enum { RV_TOPBAR_FACT_BYTES = 96 };
enum rv_topbar_ink { RV_TOPBAR_STOPPED, RV_TOPBAR_WARNING, RV_TOPBAR_PLAIN, RV_TOPBAR_FAINT };

struct rv_topbar_facts {
    struct rv_topbar_fact {
        char text[RV_TOPBAR_FACT_BYTES];
        enum rv_topbar_ink ink;
    } items[8];
    size_t n;
};

/* What is said behind the program's state, losses first: from the one without room on, all are left out. */
void rv_topbar_find_facts(const struct rv_topbar *shown, struct rv_topbar_facts *facts);

/* Asks for RV_ACTION_LOOK_3D and those behind it, and for what its buttons are for. */
void rv_topbar_show(struct rv_ui *ui, const struct rv_topbar *shown, struct rv_ui_acts *acts);

#endif
