#include "viewer/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "render/arc_levels.h"

bool rv_settings_default_path(char *out, size_t out_bytes)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int n = -1;
    if (config && config[0] == '/')
        n = snprintf(out, out_bytes, "%s/ringviz/config", config);
    else if (home && home[0] == '/')
        n = snprintf(out, out_bytes, "%s/.config/ringviz/config", home);
    return n > 0 && (size_t)n < out_bytes;
}

enum key {
    KEY_THEME,
    KEY_SCALE,
    KEY_VIEW,
    KEY_COLOR,
    KEY_LEGEND,
    KEY_MINIMAP,
    KEY_LOCK_LANES,
    KEY_ARCS, /* of each kind */
    KEY_COUNT = KEY_ARCS + RV_ARC_KIND_COUNT
};

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
    [KEY_THEME] = {"theme", "the background, as --theme", theme_name, RV_COLOR_THEME_COUNT},
    [KEY_SCALE] = {"scale", "size of text and panels", NULL, 0},
    [KEY_VIEW] = {"view", "how calls are drawn, as --view", look_name, RV_VIEW_MODE_COUNT},
    [KEY_COLOR] = {"color", "what colours mean, as --color", scheme_name, RV_COLOR_PLAIN_SCHEMES},
    [KEY_LEGEND] = {"legend", "the panel that explains colours", switch_name, 2},
    [KEY_MINIMAP] = {"minimap", "the whole trace below the picture", switch_name, 2},
    [KEY_LOCK_LANES] = {"lock-lanes", "lanes of what was waited for most, before the threads", switch_name, 2},
    [KEY_ARCS + RV_ARC_LOCK] = {"arcs", "arcs from who released locks to who waited", switch_name, 2},
    [KEY_ARCS + RV_ARC_SIGNAL] = {"signal-arcs", "arcs from who signalled conditions and the like", switch_name, 2},
    [KEY_ARCS + RV_ARC_TRANSFER] = {"transfer-arcs", "arcs of input and output", switch_name, 2},
    [KEY_ARCS + RV_ARC_START] = {"start-arcs", "arcs of starts and ends of threads and processes", switch_name, 2},
    [KEY_ARCS +
        RV_ARC_FLOW] = {"flow-arcs", "arcs of flows; recordings opened by their index have none", switch_name, 2},
    [KEY_ARCS + RV_ARC_TASK] = {"task-arcs", "arcs of tasks, likewise", switch_name, 2},
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

static void format(enum key key, int number, char out[RV_KEY_VALUE_BYTES])
{
    if (SETTINGS[key].value_name)
        snprintf(out, RV_KEY_VALUE_BYTES, "%s", SETTINGS[key].value_name(number));
    else
        snprintf(out, RV_KEY_VALUE_BYTES, "%d", number);
}

static void unpack(const struct rv_settings *settings, int numbers[KEY_COUNT])
{
    numbers[KEY_THEME] = (int)settings->theme;
    numbers[KEY_SCALE] = (int)settings->scale_percent;
    numbers[KEY_VIEW] = (int)settings->look;
    numbers[KEY_COLOR] = (int)settings->scheme;
    numbers[KEY_LEGEND] = settings->has_legend;
    numbers[KEY_MINIMAP] = settings->has_minimap;
    numbers[KEY_LOCK_LANES] = settings->has_lock_lanes;
    for (int i = 0; i < RV_ARC_KIND_COUNT; i++)
        numbers[KEY_ARCS + i] = !(settings->arcs_left_out & 1u << i);
}

static void pack(const int numbers[KEY_COUNT], struct rv_settings *settings)
{
    settings->theme = (enum rv_color_theme)numbers[KEY_THEME];
    settings->scale_percent = (unsigned)numbers[KEY_SCALE];
    settings->look = (enum rv_view_mode)numbers[KEY_VIEW];
    settings->scheme = (enum rv_color_scheme)numbers[KEY_COLOR];
    settings->has_legend = numbers[KEY_LEGEND] != 0;
    settings->has_minimap = numbers[KEY_MINIMAP] != 0;
    settings->has_lock_lanes = numbers[KEY_LOCK_LANES] != 0;
    settings->arcs_left_out = 0;
    for (int i = 0; i < RV_ARC_KIND_COUNT; i++)
        settings->arcs_left_out |= numbers[KEY_ARCS + i] ? 0 : 1u << i;
}

void rv_settings_init(struct rv_settings *settings)
{
    *settings = (struct rv_settings){.scale_percent = 100, .has_legend = true, .has_minimap = true};
}

/* False if the line is not understood. */
static bool load_line(const struct rv_key_value_line *line, int numbers[KEY_COUNT])
{
    struct rv_key_value entry;
    if (!rv_key_value_read(line, &entry))
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

void rv_settings_load(struct rv_settings *settings, const struct rv_key_value_file *config)
{
    int numbers[KEY_COUNT];
    size_t n_strange = 0, first = 0;
    unpack(settings, numbers);
    for (size_t i = 0; i < config->n_lines; i++) {
        if (rv_key_value_is_comment(&config->lines[i]) || load_line(&config->lines[i], numbers))
            continue;
        first = n_strange++ ? first : i + 1;
    }
    pack(numbers, settings);
    if (n_strange)
        rv_warn("%s: line %zu is not a known setting%s; kept unchanged", config->path ? config->path : "", first,
                n_strange > 1 ? ", nor are others" : "");
}

bool rv_settings_store(const struct rv_settings *settings, const struct rv_settings *before,
                       struct rv_key_value_file *config)
{
    int now[KEY_COUNT], then[KEY_COUNT];
    bool is_changed = false;
    unpack(settings, now);
    unpack(before, then);
    for (int key = 0; key < KEY_COUNT; key++) {
        char value[RV_KEY_VALUE_BYTES];
        if (now[key] == then[key])
            continue;
        format((enum key)key, now[key], value);
        rv_key_value_file_set(config, SETTINGS[key].name, value);
        is_changed = true;
    }
    return is_changed;
}
