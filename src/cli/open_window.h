/* The window, with the user's settings and the options of the command line. */
#ifndef RV_CLI_OPEN_WINDOW_H
#define RV_CLI_OPEN_WINDOW_H

#include "cli/options.h"
#include "window/window.h"

/* As show of struct rv_window_module. */
int rv_open_window(struct rv_session *session, const struct rv_options *options, const struct rv_window_params *params);

#endif
