/*
 * The settings file: lines of "key = value", and "#" comments. No GL, no SDL.
 *
 * Other contents are kept byte for byte: a line is rewritten only when its value was set.
 * No library does that: libinih cannot write, and GLib's GKeyFile needs groups and brings four megabytes.
 */
#ifndef RV_VIEWER_SETTINGS_FILE_H
#define RV_VIEWER_SETTINGS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define RV_SETTINGS_FILE_VALUE_BYTES 128u

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

/* The value of a line, trimmed, and its key: false if the line is not "key = value". */
struct rv_settings_file_entry {
    char key[RV_SETTINGS_FILE_VALUE_BYTES], value[RV_SETTINGS_FILE_VALUE_BYTES];
};
bool rv_settings_file_read(const struct rv_settings_file_line *line, struct rv_settings_file_entry *entry);

/* Is the line empty or a comment? */
bool rv_settings_file_is_remark(const struct rv_settings_file_line *line);

/* Set a key's value, in its last line or in a new one. */
void rv_settings_file_set(struct rv_settings_file *config, const char *key, const char *value);

/* Write the file atomically, and create its folders. 0 or a negative errno with one line printed. */
int rv_settings_file_save(const struct rv_settings_file *config);

#endif
