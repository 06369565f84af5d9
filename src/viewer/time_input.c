#include "viewer/time_input.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

#define TEXT_BYTES 64u

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

/* Without the spaces at both ends. -EINVAL when there is nothing else, or too much. */
static int trim(const char *text, char out[TEXT_BYTES])
{
    while (isspace((unsigned char)*text))
        text++;
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    if (n == 0 || n >= TEXT_BYTES)
        return -EINVAL;
    snprintf(out, TEXT_BYTES, "%.*s", (int)n, text);
    return 0;
}

int rv_time_input_parse(const char *text, const struct rv_time_input_context *context, uint64_t *ns)
{
    char trimmed[TEXT_BYTES];
    uint64_t distance_ns;
    if (trim(text, trimmed) != 0)
        return -EINVAL;
    bool is_end = strcmp(trimmed, "@end") == 0;
    if (is_end || strcmp(trimmed, "@start") == 0) {
        *ns = is_end ? context->last_ns : context->first_ns;
        return 0;
    }
    bool is_forward = trimmed[0] == '+', is_back = trimmed[0] == '-';
    if (rv_units_parse_ns(trimmed + (is_forward || is_back), &distance_ns) != 0)
        return -EINVAL;
    if (is_back)
        *ns = context->at_ns > distance_ns ? context->at_ns - distance_ns : 0;
    else
        *ns = sum(is_forward ? context->at_ns : context->first_ns, distance_ns);
    return 0;
}

int rv_time_input_parse_range(const char *text, const struct rv_time_input_context *context, uint64_t range_ns[2])
{
    struct rv_time_input_context from_first = *context;
    char first[TEXT_BYTES];
    const char *dots = strstr(text, "..");
    if (!dots || dots - text >= (ptrdiff_t)sizeof first)
        return -EINVAL;
    snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
    if (rv_time_input_parse(first, context, &range_ns[0]) != 0)
        return -EINVAL;
    const char *second = dots + strspn(dots, ".");
    if (second[strspn(second, " ")] == '+')
        from_first.at_ns = range_ns[0];
    if (rv_time_input_parse(second, &from_first, &range_ns[1]) != 0)
        return -EINVAL;
    return range_ns[1] > range_ns[0] ? 0 : -EINVAL;
}

char *rv_time_input_format_range(const uint64_t range_ns[2], uint64_t first_ns, char *out, size_t out_bytes)
{
    char ends[2][TEXT_BYTES];
    for (int i = 0; i < 2; i++)
        rv_units_format_exact_ns(ends[i], sizeof ends[i], range_ns[i] > first_ns ? range_ns[i] - first_ns : 0);
    snprintf(out, out_bytes, "%s..%s", ends[0], ends[1]);
    return out;
}
