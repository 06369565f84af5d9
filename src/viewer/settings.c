#include "viewer/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/units.h"
#include "base/vec.h"

#define FILE_BYTES_MAX 65536u
#define PATH_BYTES 4096u

/* ---- lines of the file ---- */

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

/* The value of a line, trimmed, and its key. */
struct entry {
    char key[RV_SETTINGS_VALUE_BYTES], value[RV_SETTINGS_VALUE_BYTES];
};

/* Trimmed into out; false when it does not fit, is empty or is not text. */
static bool take(const char *from, const char *to, char out[RV_SETTINGS_VALUE_BYTES])
{
    while (from < to && is_blank(*from))
        from++;
    while (to > from && is_blank(to[-1]))
        to--;
    size_t n = (size_t)(to - from);
    if (n == 0 || n >= RV_SETTINGS_VALUE_BYTES)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)from[i] < 0x20 || from[i] == 0x7f)
            return false;
    memcpy(out, from, n);
    out[n] = '\0';
    return true;
}

/* Is the line empty or a comment? */
static bool is_comment(const struct rv_settings_file_line *line)
{
    size_t i = 0;
    while (i < line->n_bytes && is_blank(line->bytes[i]))
        i++;
    return i == line->n_bytes || line->bytes[i] == '#';
}

/* False if the line is not "key = value". */
static bool read_entry(const struct rv_settings_file_line *line, struct entry *entry)
{
    const char *equals = memchr(line->bytes, '=', line->n_bytes), *end = line->bytes + line->n_bytes;
    return equals && !is_comment(line) && take(line->bytes, equals, entry->key) && take(equals + 1, end, entry->value);
}

/* Set a key's value, in its last line or in a new one. */
static void set(struct rv_settings_file *config, const char *key, const char *value)
{
    struct entry entry;
    char text[2 * RV_SETTINGS_VALUE_BYTES + 4];
    size_t at = config->n_lines;
    int n = snprintf(text, sizeof text, "%s = %s", key, value);
    while (at > 0 && !(read_entry(&config->lines[at - 1], &entry) && strcmp(entry.key, key) == 0))
        at--;
    if (at == 0) {
        add_line(config, text, (size_t)n);
        return;
    }
    free(config->lines[at - 1].bytes);
    config->lines[at - 1] = (struct rv_settings_file_line){copy(text, (size_t)n), (size_t)n};
}

/* ---- the file ---- */

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

/* ---- the settings ---- */

enum key { KEY_THEME, KEY_SCALE, KEY_VIEW, KEY_COLOR, KEY_LEGEND, KEY_MINIMAP, KEY_COUNT };

static const char *theme_name(int i)
{
    return rv_color_theme_name((enum rv_color_theme)i);
}

static const char *look_name(int i)
{
    return rv_view_mode_get((enum rv_view_mode)i)->name;
}

static const char *scheme_name(int i)
{
    return rv_color_scheme_name((enum rv_color_scheme)i);
}

static const char *switch_name(int i)
{
    return i ? "on" : "off";
}

/* The index of a word, or -1. */
static int find(const char *word, const char *(*name)(int i), int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name(i), word) == 0)
            return i;
    return -1;
}

static const struct {
    const char *name, *meaning;
    const char *(*value_name)(int i); /* NULL: the value is a number of percent */
    int n_values;
} SETTINGS[KEY_COUNT] = {
    [KEY_THEME] = {"theme", "what all is drawn on, as --theme", theme_name, RV_COLOR_THEME_COUNT},
    [KEY_SCALE] = {"scale", "size of text and panels", NULL, 0},
    [KEY_VIEW] = {"view", "how calls are drawn, as --view", look_name, RV_VIEW_MODE_COUNT},
    [KEY_COLOR] = {"color", "what colours mean, as --color", scheme_name, RV_COLOR_PLAIN_SCHEMES},
    [KEY_LEGEND] = {"legend", "the panel that explains colours", switch_name, 2},
    [KEY_MINIMAP] = {"minimap", "the whole trace below the picture", switch_name, 2},
};

bool rv_settings_describe(int i, struct rv_settings_description *description)
{
    if (i >= KEY_COUNT)
        return false;
    *description = (struct rv_settings_description){.name = SETTINGS[i].name, .meaning = SETTINGS[i].meaning};
    char *out = description->values;
    if (!SETTINGS[i].value_name)
        snprintf(out, sizeof description->values, "%u to %u percent", RV_SETTINGS_SCALE_MIN, RV_SETTINGS_SCALE_MAX);
    for (int v = 0, used = 0; v < SETTINGS[i].n_values; v++)
        used += snprintf(out + used, sizeof description->values - (size_t)used, "%s%s", v ? ", " : "",
                         SETTINGS[i].value_name(v));
    return true;
}

/* The value as a number: index of a name, or percent; -1 if invalid. */
static int parse(enum key key, const char *value)
{
    uint64_t percent;
    if (SETTINGS[key].value_name)
        return find(value, SETTINGS[key].value_name, SETTINGS[key].n_values);
    return rv_units_parse_count(value, RV_SETTINGS_SCALE_MIN, RV_SETTINGS_SCALE_MAX, &percent) ? -1 : (int)percent;
}

static void format(enum key key, int number, char out[RV_SETTINGS_VALUE_BYTES])
{
    if (SETTINGS[key].value_name)
        snprintf(out, RV_SETTINGS_VALUE_BYTES, "%s", SETTINGS[key].value_name(number));
    else
        snprintf(out, RV_SETTINGS_VALUE_BYTES, "%d", number);
}

static void unpack(const struct rv_settings *settings, int numbers[KEY_COUNT])
{
    numbers[KEY_THEME] = (int)settings->theme;
    numbers[KEY_SCALE] = (int)settings->scale_percent;
    numbers[KEY_VIEW] = (int)settings->look;
    numbers[KEY_COLOR] = (int)settings->scheme;
    numbers[KEY_LEGEND] = settings->has_legend;
    numbers[KEY_MINIMAP] = settings->has_minimap;
}

static void pack(const int numbers[KEY_COUNT], struct rv_settings *settings)
{
    settings->theme = (enum rv_color_theme)numbers[KEY_THEME];
    settings->scale_percent = (unsigned)numbers[KEY_SCALE];
    settings->look = (enum rv_view_mode)numbers[KEY_VIEW];
    settings->scheme = (enum rv_color_scheme)numbers[KEY_COLOR];
    settings->has_legend = numbers[KEY_LEGEND] != 0;
    settings->has_minimap = numbers[KEY_MINIMAP] != 0;
}

void rv_settings_init(struct rv_settings *settings)
{
    *settings = (struct rv_settings){.scale_percent = 100, .has_legend = true, .has_minimap = true};
}

/* False if the line is not understood. */
static bool load_line(const struct rv_settings_file_line *line, int numbers[KEY_COUNT])
{
    struct entry entry;
    if (!read_entry(line, &entry))
        return false;
    for (int key = 0; key < KEY_COUNT; key++) {
        if (strcmp(SETTINGS[key].name, entry.key) != 0)
            continue;
        int number = parse((enum key)key, entry.value);
        if (number >= 0)
            numbers[key] = number;
        return number >= 0;
    }
    return false;
}

void rv_settings_load(struct rv_settings *settings, const struct rv_settings_file *config)
{
    int numbers[KEY_COUNT];
    size_t n_strange = 0, first = 0;
    unpack(settings, numbers);
    for (size_t i = 0; i < config->n_lines; i++) {
        if (is_comment(&config->lines[i]) || load_line(&config->lines[i], numbers))
            continue;
        first = n_strange++ ? first : i + 1;
    }
    pack(numbers, settings);
    if (n_strange)
        rv_warn("%s: line %zu is not a known setting%s; kept unchanged", config->path ? config->path : "", first,
                n_strange > 1 ? ", nor are others" : "");
}

bool rv_settings_store(const struct rv_settings *settings, const struct rv_settings *before,
                       struct rv_settings_file *config)
{
    int now[KEY_COUNT], then[KEY_COUNT];
    bool is_changed = false;
    unpack(settings, now);
    unpack(before, then);
    for (int key = 0; key < KEY_COUNT; key++) {
        char value[RV_SETTINGS_VALUE_BYTES];
        if (now[key] == then[key])
            continue;
        format((enum key)key, now[key], value);
        set(config, SETTINGS[key].name, value);
        is_changed = true;
    }
    return is_changed;
}
