/*
 * The settings file: lines of "key = value", "#" in front of remarks. No GL, no SDL.
 *
 * Whatever else stands in it stays in it, byte for byte: a line is only written anew when its value was set.
 */
#ifndef RV_VIEWER_SETTINGS_FILE_H
#define RV_VIEWER_SETTINGS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define RV_SETTINGS_FILE_VALUE_BYTES 128u

struct rv_settings_file_line {
    char *bytes; /* without the line end; may hold any byte */
    size_t n_bytes;
};

struct rv_settings_file { /* zeroed = empty, and nowhere */
    char *path;           /* NULL = nothing is saved */
    struct rv_settings_file_line *lines;
    size_t n_lines, capacity;
};

/* $XDG_CONFIG_HOME/ringviz/config, or $HOME/.config/ringviz/config; false where there is neither. */
bool rv_settings_file_default_path(char *out, size_t out_bytes);

/* Read a file that may not be there yet. One that cannot be read, or is no settings file by its size or kind, is named
 * in one line and neither used nor written. */
void rv_settings_file_open(struct rv_settings_file *config, const char *path);
void rv_settings_file_close(struct rv_settings_file *config);

/* As of a file with this content. */
void rv_settings_file_parse(struct rv_settings_file *config, const char *bytes, size_t n_bytes);

/* The value of a line, trimmed, and its key: false where the line is none of "key = value". */
struct rv_settings_file_entry {
    char key[RV_SETTINGS_FILE_VALUE_BYTES], value[RV_SETTINGS_FILE_VALUE_BYTES];
};
bool rv_settings_file_read(const struct rv_settings_file_line *line, struct rv_settings_file_entry *entry);

/* Nothing but a remark, or nothing at all. */
bool rv_settings_file_is_remark(const struct rv_settings_file_line *line);

/* Give a key its value, in its last line or in a new one. */
void rv_settings_file_set(struct rv_settings_file *config, const char *key, const char *value);

/* Write the file, whole or not at all, with its folders. 0 or a negative errno with one line printed. */
int rv_settings_file_save(const struct rv_settings_file *config);

#endif
