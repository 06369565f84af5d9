#include "viewer/time_input.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
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
