/* --screenshot: its file and its contents. */
#ifndef RV_CLI_SCREENSHOT_H
#define RV_CLI_SCREENSHOT_H

#include "cli/options.h"
#include "window/offscreen.h"

/* Can a picture be written there? Called before anything runs. NULL: no picture. 0, or a negative errno with one line
 * printed. */
int rv_cli_screenshot_check(const char *path);

/* The picture of an ended session, by the options. The caller adds title, process and losses. */
struct rv_screenshot_params rv_cli_screenshot_params(struct rv_session *session, const struct rv_options *options);

/* Draw it. 0, or a negative errno with one line printed. */
int rv_cli_screenshot_take(const struct rv_screenshot_params *params);

#endif
