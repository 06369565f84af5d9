/* What is seen of a session: the window, with the user's settings, and the picture, as the command line has them. */
#ifndef RV_CLI_SHOW_H
#define RV_CLI_SHOW_H

#include "window/offscreen.h"
#include "cli/options.h"
#include "window/window.h"

/*
 * Run the window until the user closes it. What the command line says goes before the settings that are kept, and is
 * kept only where the user keeps it.
 *   params   what the caller knows of the window; size, settings, search and filter are the options'
 *   returns  as rv_window_run()
 */
int rv_show(struct rv_session *session, const struct rv_options *options, const struct rv_window_params *params);

/* A picture of a session that has ended. Whose it is, is the caller's to add. */
struct rv_screenshot_params rv_show_picture(struct rv_session *session, const struct rv_options *options);

#endif
