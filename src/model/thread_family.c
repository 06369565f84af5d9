#include "model/thread_family.h"

#include <stdio.h>
#include <string.h>

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_joint(char byte)
{
    return byte && strchr(" -_/#.:,", byte);
}

static bool is_bracketed(char before, char after)
{
    return (before == '(' && after == ')') || (before == '[' && after == ']') || (before == '<' && after == '>');
}

void rv_thread_family_owner(const char *name, char owner[RV_LANE_NAME_BYTES])
{
    const char *colon = strstr(name, ": ");
    const size_t n = colon && colon > name ? (size_t)(colon - name) : strlen(name);
    (void)snprintf(owner, RV_LANE_NAME_BYTES, "%.*s", (int)n, name);
}

/* The bytes from begin to end: a number. False: there is none. */
static bool find_number(const char *text, size_t *begin, size_t *end)
{
    *end = strlen(text);
    while (*end > 0 && !is_digit(text[*end - 1]))
        --*end;
    *begin = *end;
    while (*begin > 0 && is_digit(text[*begin - 1]))
        --*begin;
    return *end > 0;
}

void rv_thread_family_name(const char *name, char family[RV_LANE_NAME_BYTES])
{
    size_t begin, end;
    rv_thread_family_owner(name, family);
    if (!find_number(family, &begin, &end))
        return;
    if (begin > 0 && is_bracketed(family[begin - 1], family[end])) {
        begin--;
        end++;
    }
    while (begin > 0 && is_joint(family[begin - 1]))
        begin--;
    while (begin == 0 && is_joint(family[end]))
        end++;
    memmove(family + begin, family + end, strlen(family + end) + 1);
}
