/*
 * Initial settings of a window, chosen in it and saved in the settings file: lines of "key = value", and "#" comments.
 * No GL, no SDL.
 *
 * Other contents of the file are kept byte for byte: a line is rewritten only when its value was set.
 * No library does that: libinih cannot write, and GLib's GKeyFile needs groups and brings four megabytes.
 */
#ifndef RV_VIEWER_SETTINGS_H
#define RV_VIEWER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/color.h"
#include "render/view_mode.h"

#define RV_SETTINGS_VALUE_BYTES 128u
#define RV_SETTINGS_SCALE_MIN 50u
#define RV_SETTINGS_SCALE_MAX 400u

struct rv_settings {
    enum rv_color_theme theme;
    unsigned scale_percent; /* relative to the display's size of a point */
    enum rv_view_mode look;
    enum rv_color_scheme scheme;
    bool has_legend, has_minimap;
};

/* A setting, for the manual. */
struct rv_settings_description {
    const char *name, *meaning;
    char values[RV_SETTINGS_VALUE_BYTES]; /* "on, off", "50 to 400 percent" */
};

/* i counts from 0. False after the last setting. */
bool rv_settings_describe(int i, struct rv_settings_description *description);

/* Set all to unchosen. */
void rv_settings_init(struct rv_settings *settings);

struct rv_settings_file_line {
    char *bytes; /* without the line end; any bytes */
    size_t n_bytes;
};

struct rv_settings_file { /* zeroed = empty, without a file */
    char *path;           /* NULL = nothing is saved */
    struct rv_settings_file_line *lines;
    size_t n_lines, capacity;
};

/* $XDG_CONFIG_HOME/ringviz/config, or $HOME/.config/ringviz/config; false if neither variable is set. */
bool rv_settings_file_default_path(char *out, size_t out_bytes);

/* Read a file that need not exist. An unreadable file, or one that is not a settings file by size or kind, gives one
 * line and is neither used nor written. */
void rv_settings_file_open(struct rv_settings_file *config, const char *path);
void rv_settings_file_close(struct rv_settings_file *config);

/* The same for given content. */
void rv_settings_file_parse(struct rv_settings_file *config, const char *bytes, size_t n_bytes);

/* Write the file atomically, and create its folders. 0 or a negative errno with one line printed. */
int rv_settings_file_save(const struct rv_settings_file *config);

/* Load the file's settings; others stay unchanged. Lines not understood give one warning. */
void rv_settings_load(struct rv_settings *settings, const struct rv_settings_file *config);

/* Store changed settings in the file's text. Returns whether there are any. */
bool rv_settings_store(const struct rv_settings *settings, const struct rv_settings *before,
                       struct rv_settings_file *config);

#endif
