/* The debugged thread: place, stack, source, watches, breakpoints, and buttons to run and stop it. */
#ifndef RV_UI_DEBUGGER_PANEL_H
#define RV_UI_DEBUGGER_PANEL_H

#include "ui/ui.h"

#define RV_DEBUGGER_PANEL_BUTTONS 5u

struct rv_debugger_panel_button {
    enum rv_action action;
    const char *label, *key, *why_not; /* why_not NULL = it can be pulled */
    const char *words;                 /* its description */
};

struct rv_debugger_panel_frame {
    const char *call, *place; /* place "" = unknown */
    bool is_in_c;             /* a call of another language, between those of the program */
};

struct rv_debugger_panel_line {
    uint32_t number;
    const char *text;
    bool is_here;
};

struct rv_debugger_panel_watch {
    const char *expression, *value; /* value NULL = none yet */
    uint32_t idx;
    bool is_error;
};

struct rv_debugger_panel_break {
    const char *where;
    uint32_t number;
};

struct rv_debugger_panel { /* texts are borrowed for one pass */
    const char *name;      /* of the thread; "" = none chosen: state has instructions */
    const char *about;     /* its process and ring */
    const char *state;     /* "stopped at x.pl:3" */
    const char *message;   /* error of the last request, or a notice; "" = none */
    bool is_stopped;
    bool has_buttons;
    bool is_steered; /* it answers: there are watches, breakpoints and expressions */
    struct rv_debugger_panel_button buttons[RV_DEBUGGER_PANEL_BUTTONS];
    const struct rv_debugger_panel_frame *frames; /* innermost first */
    size_t n_frames;
    uint32_t frame;        /* the frame whose lines are shown */
    const char *no_frames; /* why there are none, or where they are from; "" = no text */
    const struct rv_debugger_panel_line *lines;
    size_t n_lines;
    const struct rv_debugger_panel_watch *watches;
    size_t n_watches;
    const struct rv_debugger_panel_break *breaks;
    size_t n_breaks;
    const char *expression, *value; /* last evaluated; "" = none */
    bool is_value_error;
};

struct rv_debugger_panel_state { /* zeroed = nothing typed */
    char watch[RV_UI_TEXT_BYTES], where[RV_UI_TEXT_BYTES], expression[RV_UI_TEXT_BYTES];
};

struct rv_debugger_panel_shape { /* points */
    float height, head_height;
    float button_width; /* in a line of their own below the name; 0: they are beside it */
};

/* In a picture of this width and height. */
struct rv_debugger_panel_shape rv_debugger_panel_shape(bool has_buttons, const float picture[2]);

/* Asks for the buttons' actions, RV_ACTION_LOOK_AT_FRAME, RV_ACTION_WATCH, RV_ACTION_UNWATCH, RV_ACTION_BREAK,
 * RV_ACTION_UNBREAK, RV_ACTION_EVALUATE, RV_ACTION_DEBUGGER. */
void rv_debugger_panel_show(struct rv_ui *ui, const struct rv_debugger_panel *shown,
                            struct rv_debugger_panel_state *state, struct rv_ui_acts *acts);

#endif
