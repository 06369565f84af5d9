#include "viewer/settings_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/vec.h"

#define FILE_BYTES_MAX 65536u
#define PATH_BYTES 4096u

bool rv_settings_file_default_path(char *out, size_t out_bytes)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int n = -1;
    if (config && config[0] == '/')
        n = snprintf(out, out_bytes, "%s/ringviz/config", config);
    else if (home && home[0] == '/')
        n = snprintf(out, out_bytes, "%s/.config/ringviz/config", home);
    return n > 0 && (size_t)n < out_bytes;
}

/* ---- lines ---- */

static char *copy(const char *bytes, size_t n_bytes)
{
    char *made = rv_alloc(n_bytes + 1, 1);
    memcpy(made, bytes, n_bytes);
    return made;
}

static void add_line(struct rv_settings_file *config, const char *bytes, size_t n_bytes)
{
    config->lines = rv_vec_reserve(config->lines, &config->capacity, config->n_lines + 1, sizeof *config->lines);
    config->lines[config->n_lines++] = (struct rv_settings_file_line){copy(bytes, n_bytes), n_bytes};
}

void rv_settings_file_parse(struct rv_settings_file *config, const char *bytes, size_t n_bytes)
{
    const char *end = bytes + n_bytes;
    while (bytes < end) {
        const char *line_end = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t n = (size_t)((line_end ? line_end : end) - bytes);
        add_line(config, bytes, n);
        bytes += n + 1;
    }
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/* Trimmed into out; false when it does not fit, is empty or is not text. */
static bool take(const char *from, const char *to, char out[RV_SETTINGS_FILE_VALUE_BYTES])
{
    while (from < to && is_blank(*from))
        from++;
    while (to > from && is_blank(to[-1]))
        to--;
    size_t n = (size_t)(to - from);
    if (n == 0 || n >= RV_SETTINGS_FILE_VALUE_BYTES)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)from[i] < 0x20 || from[i] == 0x7f)
            return false;
    memcpy(out, from, n);
    out[n] = '\0';
    return true;
}

bool rv_settings_file_is_remark(const struct rv_settings_file_line *line)
{
    size_t i = 0;
    while (i < line->n_bytes && is_blank(line->bytes[i]))
        i++;
    return i == line->n_bytes || line->bytes[i] == '#';
}

bool rv_settings_file_read(const struct rv_settings_file_line *line, struct rv_settings_file_entry *entry)
{
    const char *equals = memchr(line->bytes, '=', line->n_bytes), *end = line->bytes + line->n_bytes;
    return equals && !rv_settings_file_is_remark(line) && take(line->bytes, equals, entry->key) &&
           take(equals + 1, end, entry->value);
}

void rv_settings_file_set(struct rv_settings_file *config, const char *key, const char *value)
{
    struct rv_settings_file_entry entry;
    char text[2 * RV_SETTINGS_FILE_VALUE_BYTES + 4];
    size_t at = config->n_lines;
    int n = snprintf(text, sizeof text, "%s = %s", key, value);
    while (at > 0 && !(rv_settings_file_read(&config->lines[at - 1], &entry) && strcmp(entry.key, key) == 0))
        at--;
    if (at == 0) {
        add_line(config, text, (size_t)n);
        return;
    }
    free(config->lines[at - 1].bytes);
    config->lines[at - 1] = (struct rv_settings_file_line){copy(text, (size_t)n), (size_t)n};
}

/* ---- the file ---- */

/* 0 where there is none. */
static int read_file(struct rv_settings_file *config, const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error = 0;
    if (fd < 0)
        return errno == ENOENT ? 0 : rv_err_sys("%s", path);
    char *bytes = rv_alloc(FILE_BYTES_MAX, 1);
    ssize_t n = -1;
    if (fstat(fd, &status) != 0)
        error = rv_err_sys("%s", path);
    else if (!S_ISREG(status.st_mode) || status.st_size > (off_t)FILE_BYTES_MAX)
        error = rv_err(EBADMSG, "%s: not a settings file; not used", path);
    else if ((n = read(fd, bytes, FILE_BYTES_MAX)) < 0)
        error = rv_err_sys("%s", path);
    if (!error)
        rv_settings_file_parse(config, bytes, (size_t)n);
    free(bytes);
    close(fd);
    return error;
}

void rv_settings_file_open(struct rv_settings_file *config, const char *path)
{
    *config = (struct rv_settings_file){0};
    if (read_file(config, path) == 0)
        config->path = rv_strdup(path);
}

void rv_settings_file_close(struct rv_settings_file *config)
{
    for (size_t i = 0; i < config->n_lines; i++)
        free(config->lines[i].bytes);
    free(config->lines);
    free(config->path);
    *config = (struct rv_settings_file){0};
}

static int make_folders(const char *path)
{
    char folder[PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return rv_err_sys("%s", folder);
        *slash = '/';
    }
    return 0;
}

static bool write_lines(const struct rv_settings_file *config, FILE *file)
{
    bool is_written = true;
    for (size_t i = 0; i < config->n_lines; i++) {
        const struct rv_settings_file_line *line = &config->lines[i];
        is_written &= fwrite(line->bytes, 1, line->n_bytes, file) == line->n_bytes && fputc('\n', file) != EOF;
    }
    return fflush(file) == 0 && is_written && fsync(fileno(file)) == 0;
}

/* Keep links: replace their target. */
int rv_settings_file_save(const struct rv_settings_file *config)
{
    char target[PATH_BYTES], temporary[PATH_BYTES + 8];
    if (!config->path)
        return 0;
    int error = make_folders(config->path);
    if (error)
        return error;
    if (!realpath(config->path, target))
        snprintf(target, sizeof target, "%s", config->path);
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", target);
    int fd = mkostemp(temporary, O_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        error = rv_err_sys("%s", config->path);
        if (fd >= 0)
            close(fd);
        return error;
    }
    bool is_written = write_lines(config, file);
    if (fclose(file) != 0 || !is_written || rename(temporary, target) != 0) {
        error = rv_err_sys("%s", config->path);
        unlink(temporary);
    }
    return error;
}
