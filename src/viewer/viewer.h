/*
 * What is looked at, and how: the time window, the view, what is pinned. Keys, mouse and panels change it by
 * rv_viewer_act() alone; frames are made from it. No SDL.
 *
 * A part of it with rules of its own is a struct with files of its own (navigate, present, pointer), held here; what a
 * new action does to it is one case of rv_viewer_act(). Main thread.
 */
#ifndef RV_VIEWER_VIEWER_H
#define RV_VIEWER_VIEWER_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/action.h"
#include "viewer/debugger.h"
#include "viewer/history.h"
#include "viewer/analysis.h"
#include "viewer/bookmarks.h"
#include "viewer/time_window.h"
#include "viewer/playhead.h"
#include "viewer/pointer.h"
#include "viewer/live_edge.h"
#include "viewer/settings.h"
#include "query/step.h"
#include "model/lane_order.h"
#include "model/color.h"
#include "render/view_mode.h"

struct rv_viewer_look {
    enum rv_view_mode shown, from; /* different while the one turns into the other */
    uint64_t since_ns;             /* when that began */
    double scroll;                 /* points, of flat looks */
    float orbit[2];                /* radians by which the eye of 3D has gone to the right and up */
    enum rv_color_scheme scheme;
};

struct rv_viewer_focus { /* the window that the last focus chose; zero when something has come after it */
    uint64_t from_ns, to_ns;
};

struct rv_viewer_panels { /* which panels are there */
    bool has_help, has_go_to, has_search, has_settings, has_threads, has_debugger_panel;
    unsigned n_asked;    /* how often the search was asked for */
    bool is_go_to_wrong; /* what was entered there is no time */
};

struct rv_viewer {
    struct rv_time_window time_window;
    struct rv_live_edge live_edge;
    struct rv_playhead playhead;
    struct rv_step step; /* steps of it that are being made */
    struct rv_viewer_look look;
    struct rv_pointer pointer;
    struct rv_viewer_focus focus;
    struct rv_history history;
    struct rv_bookmarks marks;
    struct rv_viewer_panels panels;
    struct rv_lane_order lane_order; /* of the lanes */
    struct rv_analysis analysis;
    struct rv_viewer_debugger debugger;
    struct rv_settings settings; /* its look and scheme are those of the start */
    struct rv_lanes *lanes;      /* what is looked at; NULL = nothing to search in. Borrowed */
    struct rv_subroutines *subroutines;
    const struct rv_compare *compare; /* of two runs that are looked at together; NULL = one run. Borrowed */
    struct rv_scene *scene;           /* the last picture, for what is where; NULL = none. Borrowed */
    const struct rv_view *view;       /* what it shows. Borrowed */
    uint64_t input_ns, moved_ns;      /* when the user last did something, and when the window moved by itself */
    bool is_dirty;                    /* a new picture is needed */
    bool is_touched;                  /* the user chose what to look at: the end of the program changes nothing */
    bool starts_playing;              /* once capture has ended, unless the user chose */
    uint64_t start_ns, stop_ns;       /* where that begins and pauses, from the first event; 0 = at the end */
    bool wants_recording;             /* what is captured goes into a file, if it can */
    bool is_closing;
};

struct rv_viewer_params {
    struct rv_settings settings;
    uint64_t now_ns, window_ns;
    double speed;               /* at which to play once capture has ended; 0 = not */
    uint64_t start_ns, stop_ns; /* of that, as above */
    struct rv_lanes *lanes;     /* both outlive the viewer; NULL = nothing can be searched or measured */
    struct rv_subroutines *subroutines;
    struct rv_session *session;       /* outlives it; NULL = all calls are in the lanes */
    const struct rv_compare *compare; /* outlives it; NULL = none */
    const char *find;                 /* NULL = nothing */
    const struct rv_filter *filter;   /* copied; NULL = all passes */
    struct rv_scene *scene;           /* both outlive the viewer */
    const struct rv_view *view;
};

/* Following the present. */
void rv_viewer_init(struct rv_viewer *viewer, const struct rv_viewer_params *params);

void rv_viewer_fini(struct rv_viewer *viewer);

/* How many colour schemes there are to choose from: the first ones. */
uint32_t rv_viewer_n_schemes(const struct rv_viewer *viewer);

void rv_viewer_act(struct rv_viewer *viewer, const struct rv_act *act);

/* Everything that moves without the user, dt_s after the last time: the present, and a window that follows it. */
void rv_viewer_advance(struct rv_viewer *viewer, struct rv_lanes *lanes, bool is_done, double dt_s);

/* What is to be kept of it. */
struct rv_settings rv_viewer_settings(const struct rv_viewer *viewer);

/* How far the shown look has come, 0..1; at 1 it has come. */
double rv_viewer_passed(const struct rv_viewer *viewer);

/* Bring a lane's row into sight, where a flat look does not show it; one that is not in the view is left alone. */
void rv_viewer_scroll_to(struct rv_viewer *viewer, uint32_t lane_idx, uint32_t depth);

/* The lane under the cursor, its name included. False when there is none. */
bool rv_viewer_find_lane(const struct rv_viewer *viewer, uint32_t *lane_idx);

/* The pointer shows something else. Needs a picture, and is no choice of what to look at. */
void rv_viewer_point(struct rv_viewer *viewer);

/* A picture has been made of it, whose look had come this far. */
void rv_viewer_drawn(struct rv_viewer *viewer, double passed);

/* A new picture is needed: something has changed, or one look is turning into another. */
bool rv_viewer_is_dirty(const struct rv_viewer *viewer);

/* The user waits for a hit, or for a step. */
bool rv_viewer_is_awaited(const struct rv_viewer *viewer);

/* Something has moved so lately that more is to be expected. */
bool rv_viewer_is_moving(const struct rv_viewer *viewer);

#endif
