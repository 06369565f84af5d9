#include "producers/native/wanted_functions.h"

#include <stddef.h>
#include <string.h>

#include "producers/native/wanted_lines.h"

static size_t append(char *pattern, size_t n_used, const struct rv_wanted_line *line)
{
    if (n_used + line->n_regex + sizeof "()|" >= RV_WANTED_FUNCTIONS_BYTES)
        return n_used;
    if (n_used)
        pattern[n_used++] = '|';
    pattern[n_used++] = '(';
    memcpy(pattern + n_used, line->regex, line->n_regex);
    n_used += line->n_regex;
    pattern[n_used++] = ')';
    pattern[n_used] = '\0';
    return n_used;
}

bool rv_wanted_functions_find(const char *wanted, const char *name, char pattern[RV_WANTED_FUNCTIONS_BYTES])
{
    struct rv_wanted_line line;
    size_t n_used = 0;
    while (rv_wanted_lines_next(&wanted, &line))
        if (!line.is_of_calls && !rv_wanted_line_is_word(&line, "off") && rv_wanted_line_is_about(&line, name))
            n_used = append(pattern, n_used, &line);
    return n_used != 0;
}
