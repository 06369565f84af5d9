#include "cli/screenshot.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "cli/piped_input.h"
#include "cli/window_module.h"

int rv_cli_screenshot_check(const char *path)
{
    if (!path || access(path, W_OK) == 0)
        return 0;
    if (errno != ENOENT)
        return rv_err_sys("%s", path);
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    return access(dirname(folder), W_OK) == 0 ? 0 : rv_err_sys("%s", path);
}

/* A comparison has two files, and what came out of a pipe none that others can open. */
static bool has_bookmarks(const struct rv_options *options)
{
    return options->command != RV_COMMAND_DIFF && options->file && !rv_piped_input_is(options->file);
}

struct rv_screenshot_params rv_cli_screenshot_params(struct rv_session *session, const struct rv_options *options)
{
    return (struct rv_screenshot_params){
        .path = options->screenshot,
        .width_px = options->width_px,
        .height_px = options->height_px,
        .lanes = rv_session_lanes(session),
        .subroutines = rv_session_subroutines(session),
        .session = session,
        .bookmarks_of = has_bookmarks(options) ? options->file : NULL,
        .look = options->look,
        .aligns_tasks = options->aligns_tasks,
        .has_other_order = rv_options_has_other_order(options),
        .lanes_asked = options->lanes,
        .most_depth = options->most_depth,
        .turn = {options->turn[0], options->turn[1]},
        .has_lock_lanes = options->has_lock_lanes,
        .calls_of = options->calls_of,
        .scheme = options->scheme,
        .theme = options->theme,
        .find = options->find,
        .filter = options->filter,
        .from_ns = options->from_ns,
        .to_ns = options->to_ns,
        .at_ns = options->at_ns,
        .window_ns = options->window_ns,
    };
}

int rv_cli_screenshot_take(const struct rv_screenshot_params *params)
{
    const struct rv_window_module *window = rv_window_module_load();
    return window ? window->take_screenshot(params) : -ENOTSUP;
}
