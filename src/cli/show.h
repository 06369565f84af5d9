/* The window, with the user's settings and the options of the command line. */
#ifndef RV_CLI_SHOW_H
#define RV_CLI_SHOW_H

#include "cli/options.h"
#include "window/window.h"

/* As show of struct rv_window_module. */
int rv_show(struct rv_session *session, const struct rv_options *options, const struct rv_window_params *params);

#endif
