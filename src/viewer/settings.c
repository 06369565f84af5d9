#include "viewer/settings.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"

enum key { KEY_THEME, KEY_SCALE, KEY_VIEW, KEY_COLOR, KEY_LEGEND, KEY_MINIMAP, KEY_COUNT };

static const char *const KEYS[KEY_COUNT] = {"theme", "scale", "view", "color", "legend", "minimap"};

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

/* The value as a number: index of a name, or percent; -1 if invalid. */
static int parse(enum key key, const char *value)
{
    uint64_t percent;
    switch (key) {
    case KEY_THEME:
        return find(value, theme_name, RV_COLOR_THEME_COUNT);
    case KEY_SCALE:
        return rv_units_parse_count(value, RV_SETTINGS_SCALE_MIN, RV_SETTINGS_SCALE_MAX, &percent) ? -1 : (int)percent;
    case KEY_VIEW:
        return find(value, look_name, RV_VIEW_MODE_COUNT);
    case KEY_COLOR:
        return find(value, scheme_name, RV_COLOR_PLAIN_SCHEMES);
    case KEY_LEGEND:
    case KEY_MINIMAP:
        return find(value, switch_name, 2);
    case KEY_COUNT:
        break;
    }
    rv_unreachable();
}

static void format(enum key key, int number, char out[RV_SETTINGS_FILE_VALUE_BYTES])
{
    const char *(*const names[KEY_COUNT])(int i) = {theme_name, NULL, look_name, scheme_name, switch_name, switch_name};
    if (names[key])
        snprintf(out, RV_SETTINGS_FILE_VALUE_BYTES, "%s", names[key](number));
    else
        snprintf(out, RV_SETTINGS_FILE_VALUE_BYTES, "%d", number);
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
    struct rv_settings_file_entry entry;
    if (!rv_settings_file_read(line, &entry))
        return false;
    for (int key = 0; key < KEY_COUNT; key++) {
        if (strcmp(KEYS[key], entry.key) != 0)
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
        if (rv_settings_file_is_remark(&config->lines[i]) || load_line(&config->lines[i], numbers))
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
        char value[RV_SETTINGS_FILE_VALUE_BYTES];
        if (now[key] == then[key])
            continue;
        format((enum key)key, now[key], value);
        rv_settings_file_set(config, KEYS[key], value);
        is_changed = true;
    }
    return is_changed;
}
