#include "cli/open_window.h"

#include "cli/piped_input.h"
#include "viewer/settings.h"

#define PATH_BYTES 4096

/* A comparison begins with the colours of differences. */
static void begin_as(struct rv_settings *settings, const struct rv_options *options, bool is_comparison)
{
    settings->look = rv_options_has(options, RV_OPTION_VIEW) ? options->look : settings->look;
    settings->scheme = rv_options_has(options, RV_OPTION_COLOR) ? options->scheme
                       : is_comparison                          ? RV_COLOR_DIFFERENCE
                                                                : settings->scheme;
    settings->has_lock_lanes |= options->has_lock_lanes;
    settings->theme = rv_options_has(options, RV_OPTION_THEME) ? options->theme : settings->theme;
}

int rv_open_window(struct rv_session *session, const struct rv_options *options, const struct rv_window_params *params)
{
    struct rv_key_value_file config = {.path = NULL};
    struct rv_settings settings, before;
    char path[PATH_BYTES];
    rv_settings_init(&settings);
    if (rv_settings_default_path(path, sizeof path))
        (void)rv_key_value_file_open(&config, path, true);
    rv_settings_load(&settings, &config);
    begin_as(&settings, options, params->diff != NULL);
    before = settings;
    struct rv_window_params all = *params;
    all.width_px = options->width_px;
    all.height_px = options->height_px;
    all.settings = &settings;
    all.settings_path = config.path;
    all.is_from_pipe = options->file && rv_piped_input_is(options->file);
    if (!params->is_program && !params->diff && !all.is_from_pipe) /* a program has none, a comparison two */
        all.file = options->file;
    all.at_ns = options->at_ns;
    all.has_at = rv_options_has(options, RV_OPTION_AT);
    all.window_ns = options->window_ns;
    all.speed = options->speed;
    all.start_ns = options->from_ns;
    all.stop_ns = options->to_ns;
    all.find = options->find;
    all.aligns_tasks = options->aligns_tasks;
    all.has_other_order = rv_options_has_other_order(options);
    all.lanes_asked = options->lanes;
    all.most_depth = options->most_depth;
    all.turn[0] = options->turn[0];
    all.turn[1] = options->turn[1];
    all.calls_of = options->calls_of;
    all.filter = options->filter;
    int error = rv_window_run(session, &all);
    if (!error && rv_settings_store(&settings, &before, &config))
        (void)rv_key_value_file_save(&config);
    rv_key_value_file_close(&config);
    return error;
}
