/* Initial settings of a window, chosen in it and saved in the settings file. No GL, no SDL. */
#ifndef RV_VIEWER_SETTINGS_H
#define RV_VIEWER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/color.h"
#include "render/view_mode.h"
#include "viewer/key_value_file.h"

#define RV_SETTINGS_SCALE_MIN 50u
#define RV_SETTINGS_SCALE_MAX 400u

struct rv_settings {
    enum rv_color_theme theme;
    unsigned scale_percent; /* relative to the display's size of a point */
    enum rv_view_mode look;
    enum rv_color_scheme scheme;
    bool has_legend, has_minimap, has_lock_lanes;
    unsigned arcs_left_out; /* kinds of arcs (enum rv_arc_kind), as bits */
};

/* A setting, for the manual. */
struct rv_settings_description {
    const char *name, *meaning;
    char values[RV_KEY_VALUE_BYTES]; /* "on, off", "50 to 400 percent" */
};

/* i counts from 0. False after the last setting. */
bool rv_settings_describe(int i, struct rv_settings_description *description);

/* Set all to unchosen. */
void rv_settings_init(struct rv_settings *settings);

/* $XDG_CONFIG_HOME/ringviz/config, or $HOME/.config/ringviz/config; false if neither variable is set. */
bool rv_settings_default_path(char *out, size_t out_bytes);

/* Load the file's settings; others stay unchanged. Lines not understood give one warning. */
void rv_settings_load(struct rv_settings *settings, const struct rv_key_value_file *config);

/* Store changed settings in the file's text. Returns whether there are any. */
bool rv_settings_store(const struct rv_settings *settings, const struct rv_settings *before,
                       struct rv_key_value_file *config);

#endif
