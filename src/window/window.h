/* The window: shows a session while it runs and after it has ended. Main thread. */
#ifndef RV_WINDOW_WINDOW_H
#define RV_WINDOW_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "pipeline/session.h"

#define RV_WINDOW_WHY_BYTES 1024u
#define RV_WINDOW_SILENCE_NS UINT64_C(1000000000) /* without an event, before it is asked why none comes */

struct rv_diff;
struct rv_filter;
struct rv_map;
struct rv_scene;
struct rv_settings;
struct rv_view;
struct rv_viewer;

struct rv_window_state {          /* for observers (tests); valid during the call */
    const struct rv_scene *scene; /* of the last frame, as is the view */
    const struct rv_view *view;
    const struct rv_viewer *viewer;
    uint64_t from_ns, to_ns; /* the time window as drawn */
    uint64_t n_frames;
    bool is_settled; /* no more frames unless something changes */
};

struct rv_window_params {           /* zero = default */
    const char *title;              /* the program or file shown */
    uint32_t pid;                   /* 0 = not shown */
    int width_px, height_px;        /* 1600 x 900 */
    struct rv_settings *settings;   /* in: initial settings; out: the chosen ones; NULL = defaults */
    const char *settings_path;      /* settings file; NULL = none */
    uint64_t window_ns;             /* initial width of the time window: 1 s, 100 ms where a file is played */
    uint64_t at_ns;                 /* begin of what an ended capture shows, from its first event, */
    bool has_at;                    /* or all is shown */
    const char *file;               /* that is shown; NULL = a program, or a comparison of two, or of no name, */
    bool is_from_pipe;              /* since it came out of a pipe */
    const char *recording;          /* of all that the program did; NULL = none. Bookmarks lie beside it or the file */
    double speed;                   /* of playback after the capture; 0 = none */
    uint64_t start_ns, stop_ns;     /* begin and end of that, from the first event; stop_ns 0 = at the end */
    const char *find;               /* initial search; NULL = none */
    bool aligns_tasks;              /* of the view of tasks */
    bool has_other_order;           /* of calls or tasks, in their views */
    const char *lanes_asked;        /* model/lane_choices_text.h; NULL = as they come */
    uint32_t most_depth;            /* of calls that are shown; 0 = all */
    float turn[2];                  /* of the 3D eye to the right and up, radians */
    const char *calls_of;           /* of the view of calls: a regular expression; NULL = none */
    const struct rv_filter *filter; /* initial filter; NULL = all */
    const struct rv_diff *diff;     /* comparison of the session's two runs; NULL = one run */
    bool (*should_close)(void *context); /* called ten times a second; NULL = only the user closes */
    struct rv_map *map;                  /* the program's trace file, for debugging; NULL = none */
    bool is_program;                     /* one that runs is shown, not a file */
    bool is_recording;                   /* initially */
    bool (*record)(void *context,
                   bool is_on); /* requested state; returns the actual one; NULL = recording impossible */
    /* The file that `record` began and that is being written; NULL = none. Bookmarks of that time lie beside it,
     * too. */
    const char *(*recorded)(void *context);
    /* Why no event has come, in at most RV_WINDOW_WHY_BYTES; false: not known. NULL = never known. */
    bool (*why_silent)(void *context, char *out, size_t out_bytes);
    void (*ended)(void *context); /* called once the capture has ended; may be NULL */
    void (*observe)(void *context, const struct rv_window_state *state); /* called in each turn; may be NULL */
    void *context;
};

/*
 * Run until the user closes the window. Keys and mouse: viewer/key_bindings.c.
 *   returns  0, or a negative errno with one line printed: -ENODEV no display, -ENOTSUP no OpenGL 3.3, -EIO OpenGL
 *            failed
 */
int rv_window_run(struct rv_session *session, const struct rv_window_params *params);

#endif
