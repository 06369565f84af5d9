#include "producers/native/wanted_functions.h"

#include <stddef.h>
#include <string.h>

#include "producers/native/libcalls.h"

/*
 * "regex@library": the last @ counts; an empty library is the program and all libraries. Returns the bytes of the regular
 * expression; -1: the line is for other objects.
 */
static ptrdiff_t count_fitting(const char *name, const char *line, size_t n_line)
{
    const char *at = memrchr(line, '@', n_line);
    const size_t n = at ? (size_t)(at - line) : n_line;
    const bool fits =
        !at ? !*name : at + 1 == line + n_line || (*name && memmem(name, strlen(name), at + 1, n_line - n - 1));
    return fits ? (ptrdiff_t)n : -1;
}

static bool is_of_functions(const char *line, size_t n)
{
    return *line != RV_LIBCALLS_MARK && !(n == strlen("off") && memcmp(line, "off", n) == 0);
}

static size_t append(char *pattern, size_t n_used, const char *regex, size_t n)
{
    if (n_used + n + sizeof "()|" >= RV_WANTED_FUNCTIONS_BYTES)
        return n_used;
    if (n_used)
        pattern[n_used++] = '|';
    pattern[n_used++] = '(';
    memcpy(pattern + n_used, regex, n);
    n_used += n;
    pattern[n_used++] = ')';
    pattern[n_used] = '\0';
    return n_used;
}

bool rv_wanted_functions_find(const char *wanted, const char *name, char pattern[RV_WANTED_FUNCTIONS_BYTES])
{
    size_t n_used = 0;
    for (const char *line = wanted; *line;) {
        const size_t n = strcspn(line, "\n");
        const ptrdiff_t n_regex = is_of_functions(line, n) ? count_fitting(name, line, n) : -1;
        if (n_regex >= 0)
            n_used = append(pattern, n_used, line, (size_t)n_regex);
        line += n + (line[n] == '\n');
    }
    return n_used != 0;
}
