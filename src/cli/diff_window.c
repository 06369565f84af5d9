#include "cli/diff_window.h"

#include <errno.h>
#include <stdio.h>

#include "cli/open_trace.h"
#include "cli/screenshot.h"
#include "cli/window_module.h"
#include "base/err.h"
#include "pipeline/session.h"
#include "source/merged_recordings.h"

static const uint64_t TURN_NS = 50000000;

/* No live trace file: reading it drains it. */
static struct rv_source *open_one(const char *path, const struct rv_options *options, struct rv_capture_filter **filter)
{
    struct rv_map map = {0};
    struct rv_source *source;
    struct rv_open_trace_params params = {.path = path, .format = options->import_format};
    if (rv_capture_filter_create(filter, options->include, options->exclude) != 0)
        return NULL;
    params.live.filter = *filter;
    if (rv_open_trace(&map, &source, &params) != 0)
        return NULL;
    if (!map.base)
        return source;
    source->close(source);
    rv_map_close(&map);
    (void)rv_err(EINVAL, "%s: a live trace file: record it first, to compare it with another", path);
    return NULL;
}

static struct rv_source *open_both(const struct rv_options *options, const uint64_t *starts_ns,
                                   struct rv_capture_filter *filters[RV_DIFF_SIDES])
{
    static const char *const labels[RV_DIFF_SIDES] = {"before:", "after:"};
    struct rv_source *sources[RV_DIFF_SIDES] = {NULL};
    for (int i = 0; i < RV_DIFF_SIDES && (sources[i] = open_one(options->files[i], options, &filters[i])); i++)
        ;
    return rv_merged_recordings_open(&(struct rv_merged_recordings_params){
        .sources = sources, .paths = options->files, .labels = labels, .n = RV_DIFF_SIDES, .starts_ns = starts_ns});
}

static int take_picture(struct rv_session *session, const struct rv_options *options, const struct rv_diff *diff,
                        const char *title)
{
    while (!rv_session_wait(session, TURN_NS))
        ;
    int error = rv_session_error(session);
    struct rv_screenshot_params picture = rv_cli_screenshot_params(session, options);
    picture.diff = diff;
    picture.scheme = rv_options_has(options, RV_OPTION_COLOR) ? options->scheme : RV_COLOR_DIFFERENCE;
    picture.program = title;
    return error ? error : rv_cli_screenshot_take(&picture);
}

static int run_window(struct rv_session *session, const struct rv_options *options, const struct rv_diff *diff,
                      const char *title)
{
    const struct rv_window_module *window = rv_window_module_load();
    return window ? window->show(session, options, &(struct rv_window_params){.title = title, .diff = diff}) : -ENOTSUP;
}

static int show(struct rv_source *source, const struct rv_options *options, const struct rv_diff *diff)
{
    char title[512];
    snprintf(title, sizeof title, "%s, then %s", options->files[0], options->files[1]);
    struct rv_session *session = rv_session_start(&(struct rv_session_params){.n_workers = options->n_threads,
                                                                              .memory_bytes = options->memory_bytes,
                                                                              .max_depth = options->max_depth},
                                                  source);
    int error =
        options->screenshot ? take_picture(session, options, diff, title) : run_window(session, options, diff, title);
    rv_session_stop(session);
    while (!rv_session_wait(session, TURN_NS))
        ;
    rv_session_destroy(session);
    return error;
}

int rv_cli_diff_window(const struct rv_options *options, const struct rv_diff *diff,
                       const uint64_t starts_ns[RV_DIFF_SIDES])
{
    struct rv_capture_filter *filters[RV_DIFF_SIDES] = {NULL};
    struct rv_source *source = open_both(options, starts_ns, filters);
    int error = source ? show(source, options, diff) : -EBADMSG;
    for (int i = 0; i < RV_DIFF_SIDES; i++)
        rv_capture_filter_destroy(filters[i]);
    return error;
}
