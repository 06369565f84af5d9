#include "cli/patch_lines.h"

#include <string.h>

static struct rv_patch_line parse(const char *line, size_t n)
{
    const char *at = memrchr(line, '@', n);
    if (!at)
        return (struct rv_patch_line){.regex = line, .n_regex = n};
    return (struct rv_patch_line){
        .regex = line, .n_regex = (size_t)(at - line), .library = at + 1, .n_library = n - (size_t)(at + 1 - line)};
}

bool rv_patch_line_next(const char **text, struct rv_patch_line *line)
{
    bool is_found = false;
    while (**text && !is_found) {
        const size_t n = strcspn(*text, "\n");
        is_found = **text != '\t'; /* else it is of --libcalls */
        *line = parse(*text, n);
        *text += n + ((*text)[n] == '\n');
    }
    return is_found;
}
