#include "viewer/key_value_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/os.h"
#include "base/vec.h"

#define FILE_BYTES_MAX 65536u
#define PATH_BYTES 4096u

static char *copy(const char *bytes, size_t n_bytes)
{
    char *made = rv_alloc(n_bytes + 1, 1);
    memcpy(made, bytes, n_bytes);
    return made;
}

static void add_line(struct rv_key_value_file *config, const char *bytes, size_t n_bytes)
{
    config->lines = rv_vec_reserve(config->lines, &config->capacity, config->n_lines + 1, sizeof *config->lines);
    config->lines[config->n_lines++] = (struct rv_key_value_line){copy(bytes, n_bytes), n_bytes};
}

void rv_key_value_file_parse(struct rv_key_value_file *config, const char *bytes, size_t n_bytes)
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

/* Trimmed into out; false when it does not fit or is not text. */
static bool take(const char *from, const char *to, char out[RV_KEY_VALUE_BYTES])
{
    while (from < to && is_blank(*from))
        from++;
    while (to > from && is_blank(to[-1]))
        to--;
    size_t n = (size_t)(to - from);
    if (n >= RV_KEY_VALUE_BYTES)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)from[i] < 0x20 || from[i] == 0x7f)
            return false;
    memcpy(out, from, n);
    out[n] = '\0';
    return true;
}

bool rv_key_value_is_comment(const struct rv_key_value_line *line)
{
    size_t i = 0;
    while (i < line->n_bytes && is_blank(line->bytes[i]))
        i++;
    return i == line->n_bytes || line->bytes[i] == '#';
}

bool rv_key_value_read(const struct rv_key_value_line *line, struct rv_key_value *entry)
{
    const char *equals = memchr(line->bytes, '=', line->n_bytes), *end = line->bytes + line->n_bytes;
    return equals && !rv_key_value_is_comment(line) && take(line->bytes, equals, entry->key) && *entry->key &&
           take(equals + 1, end, entry->value);
}

void rv_key_value_file_set(struct rv_key_value_file *config, const char *key, const char *value)
{
    struct rv_key_value entry;
    char text[2 * RV_KEY_VALUE_BYTES + 4];
    size_t at = config->n_lines;
    while (at > 0 && !(rv_key_value_read(&config->lines[at - 1], &entry) && strcmp(entry.key, key) == 0))
        at--;
    int n = snprintf(text, sizeof text, *value ? "%s = %s" : "%s =", key, value);
    if (at == 0) {
        add_line(config, text, (size_t)n);
        return;
    }
    free(config->lines[at - 1].bytes);
    config->lines[at - 1] = (struct rv_key_value_line){copy(text, (size_t)n), (size_t)n};
}

void rv_key_value_file_remove(struct rv_key_value_file *config, size_t i)
{
    free(config->lines[i].bytes);
    config->n_lines--;
    memmove(&config->lines[i], &config->lines[i + 1], (config->n_lines - i) * sizeof *config->lines);
}

/* 0 where there is none. */
static int read_file(struct rv_key_value_file *config, const char *path)
{
    struct stat status;
    int link = config->keeps_links ? 0 : O_NOFOLLOW, error = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | link);
    if (fd < 0)
        return errno == ENOENT ? 0 : rv_err_sys("%s", path);
    char *bytes = rv_alloc(FILE_BYTES_MAX, 1);
    ssize_t n = -1;
    if (fstat(fd, &status) != 0)
        error = rv_err_sys("%s", path);
    else if (!S_ISREG(status.st_mode) || status.st_size > (off_t)FILE_BYTES_MAX)
        error = rv_err(EBADMSG, "%s: not a text file of settings or bookmarks; not used", path);
    else if ((n = read(fd, bytes, FILE_BYTES_MAX)) < 0)
        error = rv_err_sys("%s", path);
    if (!error)
        rv_key_value_file_parse(config, bytes, (size_t)n);
    free(bytes);
    close(fd);
    return error;
}

int rv_key_value_file_open(struct rv_key_value_file *config, const char *path, bool keeps_links)
{
    *config = (struct rv_key_value_file){.keeps_links = keeps_links};
    int error = read_file(config, path);
    if (!error)
        config->path = rv_strdup(path);
    return error;
}

void rv_key_value_file_close(struct rv_key_value_file *config)
{
    for (size_t i = 0; i < config->n_lines; i++)
        free(config->lines[i].bytes);
    free(config->lines);
    free(config->path);
    *config = (struct rv_key_value_file){0};
}

static bool write_lines(const struct rv_key_value_file *config, FILE *file)
{
    bool is_written = true;
    for (size_t i = 0; i < config->n_lines; i++) {
        const struct rv_key_value_line *line = &config->lines[i];
        is_written &= fwrite(line->bytes, 1, line->n_bytes, file) == line->n_bytes && fputc('\n', file) != EOF;
    }
    return fflush(file) == 0 && is_written && fsync(fileno(file)) == 0;
}

/* Who may read the file that is replaced still may. */
static void keep_mode(int fd, const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISREG(status.st_mode))
        (void)fchmod(fd, status.st_mode & 0777);
}

int rv_key_value_file_save(const struct rv_key_value_file *config)
{
    char target[PATH_BYTES], temporary[PATH_BYTES + 8];
    if (!config->path)
        return 0;
    int error = rv_os_make_folders(config->path);
    if (error) {
        errno = -error;
        return rv_err_sys("%s", config->path);
    }
    if (!config->keeps_links || !realpath(config->path, target))
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
    keep_mode(fd, target);
    bool is_written = write_lines(config, file);
    if (fclose(file) != 0 || !is_written || rename(temporary, target) != 0) {
        error = rv_err_sys("%s", config->path);
        unlink(temporary);
    }
    return error;
}
