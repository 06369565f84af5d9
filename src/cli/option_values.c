#include "cli/option_values.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/playhead.h"
#include "base/err.h"
#include "base/units.h"

int rv_option_value_bad(const char *name, const char *value, const char *expected)
{
    return rv_err(EINVAL, "--%s=%s: expected %s; see ringviz --help", name, value, expected);
}

int rv_option_value_word(const struct rv_option_entry *entry, const char *value, int *index)
{
    struct rv_option_word word;
    *index = 0;
    if (!value)
        return 0;
    for (; rv_option_word(entry, *index, &word); ++*index)
        if (strlen(value) == (size_t)word.length && memcmp(value, word.text, (size_t)word.length) == 0)
            return 0;
    char expected[256];
    return rv_option_value_bad(entry->name, value, rv_option_text(entry, "{}", expected, sizeof expected));
}

int rv_option_value_count(const char *name, const char *value, uint64_t max, uint32_t *out)
{
    uint64_t count;
    if (rv_units_parse_count(value, 1, max, &count) != 0) {
        char expected[64];
        snprintf(expected, sizeof expected, "a number from 1 to %llu", (unsigned long long)max);
        return rv_option_value_bad(name, value, expected);
    }
    *out = (uint32_t)count;
    return 0;
}

int rv_option_value_bytes(const char *name, const char *value, uint64_t max, uint32_t *out)
{
    uint64_t n_bytes;
    if (rv_units_parse_bytes(value, &n_bytes) != 0 || n_bytes == 0 || n_bytes > max)
        return rv_option_value_bad(name, value, "a size such as 200 or 16K");
    *out = (uint32_t)n_bytes;
    return 0;
}

int rv_option_value_time(const char *name, const char *value, uint64_t min_ns, uint64_t *ns)
{
    if (rv_units_parse_ns(value, ns) != 0 || *ns < min_ns)
        return rv_option_value_bad(name, value, "a time such as 500us, 4ms or 1.5s");
    return 0;
}

/* A number without a unit could be a size or a time. */
int rv_option_value_limit(const char *name, const char *value, uint64_t *n_bytes, uint64_t *ns)
{
    static const uint64_t LEAST_BYTES = 1 << 20, LEAST_NS = 100000000;
    size_t n = strlen(value);
    bool has_unit = n > 0 && (value[n - 1] < '0' || value[n - 1] > '9');
    *n_bytes = *ns = 0;
    if (has_unit && rv_units_parse_bytes(value, n_bytes) == 0 && *n_bytes >= LEAST_BYTES)
        return 0;
    *n_bytes = 0;
    if (has_unit && rv_units_parse_ns(value, ns) == 0 && *ns >= LEAST_NS)
        return 0;
    return rv_option_value_bad(name, value, "a size such as 64M or a time such as 30s or 5min, at least 1M or 100ms");
}

int rv_option_value_speed(const char *name, const char *value, double *speed)
{
    char *end;
    *speed = strtod(value, &end);
    if (*end || end == value || !(*speed >= RV_PLAYHEAD_SPEED_MIN && *speed <= RV_PLAYHEAD_SPEED_MAX))
        return rv_option_value_bad(name, value, "a factor from 0.01 to 1000");
    return 0;
}

/* Two numbers, and nothing behind them. */
int rv_option_value_turn(const char *name, const char *value, float radians[2])
{
    char *comma, *end = NULL;
    const double right = strtod(value, &comma), up = *comma == ',' ? strtod(comma + 1, &end) : 0.0;
    if (comma == value || !end || end == comma + 1 || *end || !(fabs(right) <= 180.0 && fabs(up) <= 180.0))
        return rv_option_value_bad(name, value, "two numbers of degrees, such as 30,-10");
    radians[0] = (float)(right * M_PI / 180.0);
    radians[1] = (float)(up * M_PI / 180.0);
    return 0;
}
