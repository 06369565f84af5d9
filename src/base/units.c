/* Numbers are decimal with an optional fraction and one unit, with no other characters. */
#include "base/units.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VALUE 9.0e18 /* fits an int64_t, too */

struct unit {
    const char *name;
    double factor;
};

static const struct unit time_units[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1e9}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9},
};

static const struct unit byte_units[] = {
    {"", 1},       {"B", 1},         {"K", 1024},         {"M", 1048576}, {"G", 1073741824}, {"T", 1099511627776.0},
    {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"k", 1024},
};

/* strtod() also takes signs, hexadecimal, "inf" and blanks: only plain decimals are numbers here. */
static bool parse_decimal(const char *text, double *value, const char **unit)
{
    size_t n_digits = strspn(text, "0123456789."), n_points = 0;
    for (size_t i = 0; i < n_digits; i++)
        n_points += text[i] == '.';
    if (n_digits == n_points || n_points > 1 || n_digits > 40)
        return false;
    char number[41];
    memcpy(number, text, n_digits);
    number[n_digits] = '\0';
    *value = strtod(number, NULL);
    *unit = text + n_digits;
    return true;
}

static int parse_scaled(const char *text, const struct unit *units, size_t n_units, uint64_t *out)
{
    double value;
    const char *unit;
    if (!parse_decimal(text, &value, &unit))
        return -EINVAL;
    for (size_t i = 0; i < n_units; i++) {
        double scaled = value * units[i].factor;
        if (strcmp(unit, units[i].name) != 0)
            continue;
        if (scaled > MAX_VALUE)
            return -EINVAL;
        *out = (uint64_t)(scaled + 0.5);
        return 0;
    }
    return -EINVAL;
}

int rv_units_parse_ns(const char *text, uint64_t *ns)
{
    double hertz;
    const char *unit;
    if (parse_decimal(text, &hertz, &unit) && strcmp(unit, "Hz") == 0) {
        if (!(hertz > 0) || 1e9 / hertz > MAX_VALUE)
            return -EINVAL;
        *ns = (uint64_t)(1e9 / hertz + 0.5);
        return 0;
    }
    return parse_scaled(text, time_units, sizeof time_units / sizeof *time_units, ns);
}

int rv_units_parse_bytes(const char *text, uint64_t *n_bytes)
{
    return parse_scaled(text, byte_units, sizeof byte_units / sizeof *byte_units, n_bytes);
}

int rv_units_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *count)
{
    uint64_t value = 0;
    if (!*text)
        return -EINVAL;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return -EINVAL;
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return -EINVAL;
    }
    if (value < min || value > max)
        return -EINVAL;
    *count = value;
    return 0;
}

/* In a unit of n, in ascending order. The next one begins where four digits would round up to 1000. */
static void format(char *out, size_t out_bytes, double value, const struct unit *units, size_t n)
{
    size_t i = 0;
    while (i + 1 < n && value >= units[i].factor * 999.95)
        i++;
    value /= units[i].factor;
    int n_decimals = value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
    snprintf(out, out_bytes, "%.*f %s", n_decimals, value, units[i].name);
}

void rv_units_format_ns(char *out, size_t out_bytes, uint64_t ns)
{
    static const struct unit shown[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    if (ns < 1000)
        snprintf(out, out_bytes, "%u ns", (unsigned)ns);
    else
        format(out, out_bytes, (double)ns, shown, sizeof shown / sizeof *shown);
}

void rv_units_format_exact_ns(char *out, size_t out_bytes, uint64_t ns)
{
    static const struct unit shown[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    size_t i = 0;
    while (i + 1 < sizeof shown / sizeof *shown && (double)ns >= shown[i + 1].factor)
        i++;
    snprintf(out, out_bytes, "%.15g%s", (double)ns / shown[i].factor, shown[i].name);
}

void rv_units_format_rate(char *out, size_t out_bytes, double per_s, const char *things)
{
    static const struct unit shown[] = {{"k", 1e3}, {"M", 1e6}};
    char number[32];
    if (per_s < 999.5)
        snprintf(number, sizeof number, "%.0f", per_s);
    else
        format(number, sizeof number, per_s, shown, sizeof shown / sizeof *shown);
    snprintf(out, out_bytes, "%s %s/s", number, things);
}
