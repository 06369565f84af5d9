#include "producers/native/wanted_lines.h"

#include <string.h>

#define CALLS_MARK '\t'

/* Of several @ the last one counts. */
static struct rv_wanted_line line_of(const char *text, size_t n)
{
    const bool is_of_calls = *text == CALLS_MARK;
    const char *regex = text + is_of_calls, *end = text + n, *at = memrchr(regex, '@', (size_t)(end - regex));
    return (struct rv_wanted_line){.regex = regex,
                                   .n_regex = (size_t)((at ? at : end) - regex),
                                   .library = at ? at + 1 : end,
                                   .n_library = at ? (size_t)(end - at - 1) : 0,
                                   .has_library = at != NULL,
                                   .is_of_calls = is_of_calls};
}

bool rv_wanted_lines_next(const char **request, struct rv_wanted_line *line)
{
    const char *text = *request + strspn(*request, "\n");
    const size_t n = strcspn(text, "\n");
    *request = text + n;
    if (n)
        *line = line_of(text, n);
    return n != 0;
}

bool rv_wanted_line_is_word(const struct rv_wanted_line *line, const char *word)
{
    return !line->is_of_calls && !line->has_library && line->n_regex == strlen(word) &&
           memcmp(line->regex, word, line->n_regex) == 0;
}

bool rv_wanted_line_is_about(const struct rv_wanted_line *line, const char *object)
{
    if (!line->has_library)
        return !*object;
    return !line->n_library || (*object && memmem(object, strlen(object), line->library, line->n_library));
}
