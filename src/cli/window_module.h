/*
 * The window module, ringviz-window.so: all of ringviz that needs SDL, OpenGL and fonts. ringviz loads it once a window,
 * a picture or a film is drawn, so that a command to be traced starts without waiting for their libraries, and so that
 * a ringviz without it is one for servers. It calls the rooms below the window in ringviz itself, which exports them.
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
     * Run the window until the user closes it. What the command line says goes before the settings that are kept, and
     * is kept only where the user keeps it.
     *   params   what the caller knows of the window; size, settings, search and filter are the options'
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

/*
 * Can it draw? To be asked before anything is started; nothing is loaded.
 *   needs_display  for a window
 *   returns        0, -ENOTSUP where the module is not installed, -ENODEV without a display; one line printed
 */
int rv_window_module_check(bool needs_display);

/* Load it, once. NULL, with one line printed, where it is not installed, cannot be loaded or is of another version. */
const struct rv_window_module *rv_window_module_load(void);

#endif
