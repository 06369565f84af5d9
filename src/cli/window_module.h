/*
 * The window module, ringviz-window.so: all of ringviz that needs SDL, OpenGL and fonts. ringviz loads it once a
 * window, a picture or a film is drawn, so that a traced command starts without waiting for their libraries, and
 * servers need not install it. It calls the rooms below the window in ringviz itself, which exports them.
 */
#ifndef RV_CLI_WINDOW_MODULE_H
#define RV_CLI_WINDOW_MODULE_H

#include "cli/film.h"
#include "cli/options.h"
#include "window/offscreen.h"
#include "window/window.h"

struct rv_bench_out;

struct rv_window_module {
    const char *version; /* of the ringviz that it belongs to */
    /*
     * Run the window until the user closes it. Options take precedence over the settings file, and are saved only if
     * they are changed in the window.
     *   params   the caller's part; size, settings, search and filter come from the options
     *   returns  as rv_window_run()
     */
    int (*show)(struct rv_session *session, const struct rv_options *options, const struct rv_window_params *params);
    int (*take_screenshot)(const struct rv_screenshot_params *params); /* rv_offscreen_screenshot() */
    /* Film, and finish the files. 0 or negative errno, one line printed. */
    int (*take_film)(struct rv_film *film, const struct rv_film_params *params);
    /* The benchmarks render and replay. 0 or negative errno, one line printed. */
    int (*bench)(const char *name, struct rv_bench_out *out);
};

/* What the module exports. */
extern const struct rv_window_module rv_window_module;

/* Is it installed? Called before anything is started; loads nothing. 0, or -ENOTSUP with one line printed. */
int rv_window_module_check(void);

/* Is there a display for a window? 0, or -ENODEV with one line printed. After a FILE is opened, which may be wrong. */
int rv_window_module_check_display(void);

/* Load it, once. NULL, with one line printed, if it is not installed, cannot be loaded or is of another version. */
const struct rv_window_module *rv_window_module_load(void);

#endif
