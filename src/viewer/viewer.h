/*
 * The state of the viewer: time window, view, pinned call. Keys, mouse and panels change it only through
 * rv_viewer_act(); frames are made from it. No SDL.
 *
 * A part of it with rules of its own is a struct with files of its own (navigation, bookmarks, pointer), held here;
 * what a new action does to it is one case of rv_viewer_act(). Main thread.
 */
#ifndef RV_VIEWER_VIEWER_H
#define RV_VIEWER_VIEWER_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/key_bindings.h"
#include "viewer/debugger.h"
#include "viewer/view_history.h"
#include "viewer/search.h"
#include "viewer/calls_view.h"
#include "viewer/tasks_view.h"
#include "viewer/message.h"
#include "viewer/waits.h"
#include "viewer/arcs.h"
#include "viewer/bookmarks.h"
#include "viewer/lit_path.h"
#include "viewer/time_window.h"
#include "viewer/playhead.h"
#include "viewer/pinned_call.h"
#include "viewer/pointer.h"
#include "viewer/live_edge.h"
#include "viewer/self_times.h"
#include "viewer/settings.h"
#include "viewer/statistics.h"
#include "query/step.h"
#include "model/color.h"
#include "model/lane_choices.h"
#include "render/view_mode.h"

struct rv_viewer_look {
    enum rv_view_mode shown, from; /* different during a transition */
    uint64_t since_ns;             /* start of the transition */
    double scroll;                 /* points, in flat views */
    double first_lane;             /* in others: lanes that are scrolled past */
    double row_scale;              /* of the height of their rows; 0 = 1 */
    struct rv_viewer_row {
        bool is_on, is_to_grow; /* the lane's rows, until they can be read */
        uint32_t lane_idx, depth;
    } awaited;      /* a row to scroll to once its lane has been drawn, with rows as high as they are asked for */
    float orbit[2]; /* rotation of the 3D eye to the right and up, radians */
    enum rv_color_scheme scheme;
};

struct rv_viewer_focus { /* the window of the last focus; zero after any other move */
    uint64_t from_ns, to_ns;
};

enum rv_viewer_menu { RV_MENU_CLOSED, RV_MENU_OF_CALL, RV_MENU_OF_ROW };

struct rv_viewer_panels { /* visible panels */
    enum rv_viewer_menu menu;
    bool has_help, has_go_to, has_select, has_note, has_commands, has_search, has_settings, has_threads,
        has_debugger_panel, has_waits, has_arcs;     /* has_arcs: arcs are listed instead of what was waited for */
    unsigned n_warnings_closed;
    unsigned n_asked, n_rules_asked, n_fields_asked; /* number of requests to search, to enter a rule, and to type */
    bool is_entry_wrong;                             /* the last entry was not a time, or not a range of time */
    uint64_t note_ns;                                /* the time that a note is written for */
};

struct rv_viewer {
    struct rv_time_window time_window;
    struct rv_live_edge live_edge;
    struct rv_playhead playhead;
    struct rv_step step; /* pending steps of the playhead */
    struct rv_viewer_look look;
    struct rv_pointer pointer;
    struct rv_viewer_focus focus;
    struct rv_view_history history;
    struct rv_bookmarks marks;
    struct rv_viewer_panels panels;
    struct rv_lane_choices lane_order; /* the user's arrangement of the lanes */
    struct rv_viewer_search search;
    char rule_why[160];          /* why the last rule of the filter was not added; "" = it was */
    struct rv_range_ns selected; /* range of time; empty = none */
    struct rv_pinned_call pinned_call;
    struct rv_viewer_statistics statistics;
    struct rv_viewer_self_times self_times;
    struct rv_critical_path_job path; /* viewer/lit_path.h */
    uint64_t path_asked_ns;           /* the time at which it was asked for */
    struct rv_viewer_calls_view calls_view;
    struct rv_viewer_tasks_view tasks_view;
    struct rv_viewer_arc_job arcs;
    struct rv_viewer_waits waits;
    struct rv_viewer_debugger debugger;
    struct rv_settings settings; /* its view and scheme are those at the start */
    struct rv_session *session;  /* reads blocks that are not loaded; NULL: all calls are in the lanes. Borrowed */
    struct rv_lanes *lanes;      /* the lanes shown; NULL = none. Borrowed */
    struct rv_subroutines *subroutines;
    const struct rv_diff *diff;  /* comparison of two runs; NULL = one run. Borrowed */
    struct rv_scene *scene;      /* the last picture, for picking; NULL = none. Borrowed */
    const struct rv_view *view;  /* the view in it. Borrowed */
    uint64_t input_ns, moved_ns; /* time of the last user input, and of the last automatic move */
    bool is_dirty;               /* a new picture is needed */
    bool is_touched;             /* the user has chosen a window: the program's end does not move it */
    bool starts_playing;         /* at the end of the capture, unless the user has chosen */
    uint64_t start_ns, stop_ns;  /* begin and pause of the playing, from the first event; 0 = at the end */
    uint64_t at_ns;              /* begin of the window at the end of the capture; */
    bool has_at;                 /* else all is shown */
    bool has_width;              /* the window's width was requested: the capture's end does not change it */
    const char *lanes_asked;     /* how lanes are shown from the end of the capture on; NULL = as they are. Borrowed */
    const char *bookmarks_path;  /* the file that bookmarks are saved to once it exists; NULL = none. Borrowed */
    bool is_from_pipe;           /* the capture: there is no such file, and none for a command */
    bool wants_recording;        /* record to a file if possible */
    bool wants_command;          /* the user has asked for the command line of what is shown, in the clipboard */
    bool wants_screenshot;
    bool is_closing;
    struct rv_message message;
};

struct rv_viewer_params {
    struct rv_settings settings;
    uint64_t now_ns, window_ns;
    double speed;               /* of playback after the capture; 0 = none */
    uint64_t start_ns, stop_ns; /* as in struct rv_viewer */
    uint64_t at_ns;             /* as in struct rv_viewer */
    bool has_at, has_width;
    const char *bookmarks_path; /* as in struct rv_viewer */
    bool is_from_pipe;          /* likewise */
    struct rv_lanes *lanes;     /* both outlive the viewer; NULL = nothing can be searched or measured */
    struct rv_subroutines *subroutines;
    struct rv_session *session;     /* outlives it; NULL = all calls are in the lanes */
    const struct rv_diff *diff;     /* outlives it; NULL = none */
    const char *find;               /* NULL = nothing */
    bool aligns_tasks;              /* in the view of tasks */
    bool has_other_order;           /* of calls or tasks, in their views */
    const char *lanes_asked;        /* model/lane_choices_text.h, for the end of the capture; NULL = none */
    uint32_t most_depth;            /* of calls that are shown; 0 = all */
    float turn[2];                  /* of the 3D eye to the right and up, radians */
    const char *calls_of;           /* of the view of calls: a regular expression; NULL = a sensible subroutine */
    const struct rv_filter *filter; /* NULL = all passes */
    struct rv_scene *scene;         /* both outlive the viewer */
    const struct rv_view *view;
};

/* Starts following the present. */
void rv_viewer_init(struct rv_viewer *viewer, const struct rv_viewer_params *params);

void rv_viewer_fini(struct rv_viewer *viewer);

/* Number of colour schemes available: the first ones of the enum. */
uint32_t rv_viewer_n_schemes(const struct rv_viewer *viewer);

/* Are its lanes calls or tasks, instead of threads? */
bool rv_viewer_shows_rows(const struct rv_viewer *viewer);

/* Do times of its picture count from the start of each lane? */
bool rv_viewer_counts_from_start(const struct rv_viewer *viewer);

/* What the view of calls or tasks shows; NULL: it is another one. */
const char *rv_viewer_caption(struct rv_viewer *viewer, const struct rv_view *view);

/* Perform an action. */
void rv_viewer_act(struct rv_viewer *viewer, const struct rv_act *act);

/* A picture with this scale of rows was drawn. */
void rv_viewer_drawn_rows(struct rv_viewer *viewer, double row_scale);

/* Advance by dt_s everything that moves by itself: the present, and a window that follows it. */
void rv_viewer_advance(struct rv_viewer *viewer, struct rv_lanes *lanes, bool is_done, double dt_s);

/* The user has done something that needs a picture: from now on the window is as the user has chosen. */
void rv_viewer_touch(struct rv_viewer *viewer);

/* What views are to be made with. Borrowed. */
void rv_viewer_apply(const struct rv_viewer *viewer, struct rv_view_params *params);

/* The settings to save. */
struct rv_settings rv_viewer_settings(const struct rv_viewer *viewer);

/* Progress of the transition to the shown view, 0..1. */
double rv_viewer_passed(const struct rv_viewer *viewer);

/* Scroll so that a lane's row is visible: if the lane is not in the view, once it is. */
void rv_viewer_scroll_to(struct rv_viewer *viewer, uint32_t lane_idx, uint32_t depth);

/* The lane under the cursor, or whose name is. False when there is none. */
bool rv_viewer_find_lane(const struct rv_viewer *viewer, uint32_t *lane_idx);

/* The hovered box has changed: needs a picture, but does not count as the user's choice of a window. */
void rv_viewer_point(struct rv_viewer *viewer);

/* A picture was made at this progress of the transition. */
void rv_viewer_drawn(struct rv_viewer *viewer, double passed);

/* Is a new picture needed: has something changed, or is a transition under way? */
bool rv_viewer_is_dirty(const struct rv_viewer *viewer);

/* Is the user waiting for a hit, a step or a path? */
bool rv_viewer_is_awaited(const struct rv_viewer *viewer);

/* Has something moved so recently that more movement is likely? */
bool rv_viewer_is_moving(const struct rv_viewer *viewer);

#endif
