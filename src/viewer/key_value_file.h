/*
 * A text file of lines "key = value", and "#" comments: settings, bookmarks.
 *
 * Other contents are kept byte for byte: a line is rewritten only when its value was set. No library does that: libinih
 * cannot write, and GLib's GKeyFile needs groups and brings four megabytes.
 */
#ifndef RV_VIEWER_KEY_VALUE_FILE_H
#define RV_VIEWER_KEY_VALUE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define RV_KEY_VALUE_BYTES 128u

struct rv_key_value_line {
    char *bytes; /* without the line end; any bytes */
    size_t n_bytes;
};

struct rv_key_value_file { /* zeroed = empty, without a file */
    char *path;            /* NULL = nothing is saved */
    bool keeps_links;      /* a symbolic link is followed, and its target replaced; else it is refused */
    struct rv_key_value_line *lines;
    size_t n_lines, capacity;
};

struct rv_key_value { /* of a line, trimmed */
    char key[RV_KEY_VALUE_BYTES], value[RV_KEY_VALUE_BYTES];
};

/*
 * Read a file that need not exist. One that is unreadable, or by size or kind not such a file, is neither used nor
 * written.
 *   returns  0, or a negative errno with one line printed
 */
int rv_key_value_file_open(struct rv_key_value_file *config, const char *path, bool keeps_links);
void rv_key_value_file_close(struct rv_key_value_file *config);

/* The same for given content. */
void rv_key_value_file_parse(struct rv_key_value_file *config, const char *bytes, size_t n_bytes);

/*
 * Write the file atomically, with the mode that it has, and create its folders. 0 or a negative errno with one line
 * printed.
 */
int rv_key_value_file_save(const struct rv_key_value_file *config);

/* Is the line empty or a comment? */
bool rv_key_value_is_comment(const struct rv_key_value_line *line);

/* False if the line is not "key = value", with a key. */
bool rv_key_value_read(const struct rv_key_value_line *line, struct rv_key_value *entry);

/* Set a key's value, in its last line or in a new one. Both are shorter than RV_KEY_VALUE_BYTES. */
void rv_key_value_file_set(struct rv_key_value_file *config, const char *key, const char *value);

/* Remove line i. */
void rv_key_value_file_remove(struct rv_key_value_file *config, size_t i);

#endif
