/* Everything that a user can do: what keys, gestures (viewer/key_bindings.h) and panels ask for, and a viewer does. */
#ifndef RV_UI_ACTION_H
#define RV_UI_ACTION_H

#include <stdint.h>

enum rv_action {
    RV_ACTION_NONE,
    RV_ACTION_LOOK_3D, /* the six in the order of enum rv_view_mode */
    RV_ACTION_LOOK_ALIGNED,
    RV_ACTION_LOOK_FLAME,
    RV_ACTION_LOOK_TOP,
    RV_ACTION_LOOK_CALLS,
    RV_ACTION_LOOK_TASKS,
    RV_ACTION_ORDER_CALLS, /* of these two views */
    RV_ACTION_ALIGN_TASKS,
    RV_ACTION_SCHEME,
    RV_ACTION_ZOOM_IN,
    RV_ACTION_ZOOM_OUT,
    RV_ACTION_ZOOM,
    RV_ACTION_PAN_LEFT,
    RV_ACTION_PAN_RIGHT,
    RV_ACTION_PAN,
    RV_ACTION_GLIDE,
    RV_ACTION_SCROLL,
    RV_ACTION_PAGE_UP,
    RV_ACTION_PAGE_DOWN,
    RV_ACTION_TALLER_ROWS,
    RV_ACTION_LOWER_ROWS,
    RV_ACTION_DEEPEST,
    RV_ACTION_OUTERMOST,
    RV_ACTION_SHOW,
    RV_ACTION_GO_TO,
    RV_ACTION_BACK,
    RV_ACTION_FORWARD,
    RV_ACTION_MARK,
    RV_ACTION_NOTE,
    RV_ACTION_NEXT_MARK,
    RV_ACTION_PLAY, /* from here to END: about the playhead */
    RV_ACTION_FASTER,
    RV_ACTION_SLOWER,
    RV_ACTION_STEP_FORWARD,
    RV_ACTION_STEP_BACK,
    RV_ACTION_SEEK,
    RV_ACTION_START,
    RV_ACTION_END,
    RV_ACTION_RECORD,
    RV_ACTION_FOLLOW,
    RV_ACTION_PIN,
    RV_ACTION_PIN_CALLER, /* from here to PIN_BEHIND: pin another call instead of the pinned one */
    RV_ACTION_PIN_CALLEE,
    RV_ACTION_PIN_NEXT,
    RV_ACTION_PIN_PREVIOUS,
    RV_ACTION_PIN_IN_FRONT,
    RV_ACTION_PIN_BEHIND,
    RV_ACTION_MENU,
    RV_ACTION_FOCUS_OR_FIT,
    RV_ACTION_FOCUS,
    RV_ACTION_SHOW_WAKER,
    RV_ACTION_SHOW_FLOW,
    RV_ACTION_CRITICAL_PATH,
    RV_ACTION_UNTRACE, /* these are about a subroutine */
    RV_ACTION_TRACE,
    RV_ACTION_HIDE_LANE, /* from here to CROP_MORE: about one lane, or all */
    RV_ACTION_COLLAPSE_LANE,
    RV_ACTION_COLLAPSE_PROCESS,
    RV_ACTION_COLLAPSE_GROUP,
    RV_ACTION_COLLAPSE_ALL,
    RV_ACTION_SORT_LANES,
    RV_ACTION_PIN_LANE,
    RV_ACTION_SHOW_LANE,
    RV_ACTION_LANE_FORWARD,
    RV_ACTION_LANE_BACK,
    RV_ACTION_SHOW_ALL_LANES,
    RV_ACTION_CROP_LESS,
    RV_ACTION_CROP_MORE,
    RV_ACTION_DEBUGGER, /* these are about the thread that is steered */
    RV_ACTION_RUN_THREAD,
    RV_ACTION_STOP_THREAD,
    RV_ACTION_NEXT_STATEMENT,
    RV_ACTION_STEP_STATEMENT,
    RV_ACTION_FINISH_CALL,
    RV_ACTION_LOOK_AT_FRAME,
    RV_ACTION_WATCH,
    RV_ACTION_UNWATCH,
    RV_ACTION_BREAK,
    RV_ACTION_UNBREAK,
    RV_ACTION_EVALUATE,
    RV_ACTION_UNPIN,
    RV_ACTION_SELECT,
    RV_ACTION_SELECT_BETWEEN,
    RV_ACTION_ORBIT,
    RV_ACTION_TURN_LEFT, /* these four likewise, by steps */
    RV_ACTION_TURN_RIGHT,
    RV_ACTION_TURN_UP,
    RV_ACTION_TURN_DOWN,
    RV_ACTION_SEARCH,
    RV_ACTION_FIND,
    RV_ACTION_NEXT_HIT,
    RV_ACTION_PREVIOUS_HIT,
    RV_ACTION_LET,
    RV_ACTION_INVERT_RULE,
    RV_ACTION_REMOVE_RULE,
    RV_ACTION_HIDE,
    RV_ACTION_RESET_FILTER,
    RV_ACTION_STATISTICS,
    RV_ACTION_STATISTICS_OF,
    RV_ACTION_STATISTICS_TAB,
    RV_ACTION_STATISTICS_TIME,
    RV_ACTION_SORT_ROWS,
    RV_ACTION_CHOOSE_ROW, /* a subroutine of the statistics; the following are about its calls */
    RV_ACTION_NEXT_ROW,
    RV_ACTION_PREVIOUS_ROW,
    RV_ACTION_LONGEST_CALL,
    RV_ACTION_LONGER_CALL,
    RV_ACTION_FIRST_CALL,
    RV_ACTION_NEXT_CALL,
    RV_ACTION_PREVIOUS_CALL,
    RV_ACTION_SHOW_CALL,
    RV_ACTION_SORT_CALLS,
    RV_ACTION_GROUP_CALLS,
    RV_ACTION_BRUSH,
    RV_ACTION_FOCUS_NODE, /* of the flame graph */
    RV_ACTION_FOCUS_CHOSEN,
    RV_ACTION_UNFOCUS_NODE,
    RV_ACTION_OPEN_NODE, /* of a tree of calls */
    RV_ACTION_OPEN_LEVEL,
    RV_ACTION_CLOSE_LEVEL,
    RV_ACTION_EXPORT_ROWS,
    RV_ACTION_EXPORT_CALLS,
    RV_ACTION_COPY_COMMAND,
    RV_ACTION_CLOSE_WARNING,
    RV_ACTION_SCREENSHOT,
    RV_ACTION_COMMANDS,
    RV_ACTION_FIELD,
    RV_ACTION_HELP,
    RV_ACTION_SETTINGS,
    RV_ACTION_THREADS,
    RV_ACTION_WAITS, /* from here to SHOW_HOLDER: about the list of what was waited for */
    RV_ACTION_LIST_ARCS,
    RV_ACTION_SHOW_WAIT,   /* idx: of a row of what was waited for */
    RV_ACTION_SHOW_HOLDER, /* likewise */
    RV_ACTION_ARCS,
    RV_ACTION_FLOW_ARCS,
    RV_ACTION_ARC_KIND, /* idx: which */
    RV_ACTION_LOCK_LANES,
    RV_ACTION_LEGEND,
    RV_ACTION_MINIMAP,
    RV_ACTION_THEME,
    RV_ACTION_SCALE,
    RV_ACTION_QUIT,
    RV_ACTION_COUNT,      /* of those above: they have keys and gestures. Those below are buttons of panels */
    RV_ACTION_END_SEARCH, /* and close its bar */
    RV_ACTION_UNPIN_CALL,
    RV_ACTION_SHOW_PATH_PART,
    RV_ACTION_COPY_NAME,  /* of a subroutine */
    RV_ACTION_EDIT_SOURCE /* of a subroutine */
};

/* Buttons that menus and the list of keys name, too. */
#define RV_ACTION_TITLE_SHOW_WAKER "Go to who ended the wait"
#define RV_ACTION_TITLE_SHOW_FLOW "Go to where the flow leads"
#define RV_ACTION_TITLE_CRITICAL_PATH "Critical path"

struct rv_act { /* an action, and what it is about; zero where it is about nothing */
    enum rv_action action;
    double amount;    /* ZOOM: factor of the window; PAN: share of the window, positive to later times; SCROLL: points;
                         SELECT: 1 when the range is final, 0 while it is being drawn; ORBIT: radians to the right;
                         GLIDE: windows per second; SORT_ROWS, SORT_CALLS: 1 when descending */
    double amount_up; /* ORBIT: radians */
    uint64_t from_ns, to_ns; /* SHOW: the window; SELECT: the range, empty = none; SEEK: from_ns, the time;
                                BRUSH: durations, empty = none */
    const char *
        text; /* GO_TO: a time, NULL = ask for one; NOTE: it, NULL = ask; FIND: a pattern; LET: a rule; WATCH, EVALUATE:
                 an
                                expression; BREAK: where. Borrowed */
    uint32_t idx; /* INVERT_RULE, REMOVE_RULE, LOOK_AT_FRAME, UNWATCH, UNBREAK: which; THEME; SCALE: percent; SCHEME,
                     STATISTICS_TAB, STATISTICS_TIME, SORT_ROWS, SORT_CALLS, GROUP_CALLS: 0 = the next, else which one +
                     1; STATISTICS_OF: 0 = the next, else enum rv_statistics_scope; MENU: of the chosen row, not of a
                     call; UNTRACE, TRACE, COPY_NAME, EDIT_SOURCE: subroutine, 0 = of the pinned call, or of the one
                     under the cursor; CHOOSE_ROW: subroutine; SHOW_CALL: row of the list; SHOW_PATH_PART: which;
                     OPEN_NODE: node of the tree from_ns; FOCUS_NODE: node, 0 = all paths; about one lane: 0 = under the
                     cursor, else lane_idx + 1 */
};

#endif
