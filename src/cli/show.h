/* The window, with the user's settings and what the command line says. */
#ifndef RV_CLI_SHOW_H
#define RV_CLI_SHOW_H

#include "cli/options.h"
#include "window/window.h"

/* struct rv_window_module: show. */
int rv_show(struct rv_session *session, const struct rv_options *options, const struct rv_window_params *params);

#endif
