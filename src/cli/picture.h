/* --screenshot: where it goes, and what is on it. */
#ifndef RV_CLI_PICTURE_H
#define RV_CLI_PICTURE_H

#include "cli/options.h"
#include "window/offscreen.h"

/* May a picture be written there? Asked before anything runs; NULL: none is wanted. 0, or a negative errno with one
 * line printed. */
int rv_picture_check(const char *path);

/* Of a session that has ended, as the options ask for it. Title, process and losses are the caller's to add. */
struct rv_screenshot_params rv_picture_params(struct rv_session *session, const struct rv_options *options);

/* Draw it. 0, or a negative errno with one line printed. */
int rv_picture_take(const struct rv_screenshot_params *params);

#endif
