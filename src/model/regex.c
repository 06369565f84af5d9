#include "model/regex.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MOST_BYTES 1000u

static bool has_upper(const char *text)
{
    for (; *text; text++)
        if (isupper((unsigned char)*text))
            return true;
    return false;
}

int rv_regex_init(struct rv_regex *pattern, const char *text, char *why, size_t why_bytes)
{
    *pattern = (struct rv_regex){.is_set = false};
    if (!*text || strlen(text) > MOST_BYTES) {
        (void)snprintf(why, why_bytes, "%s", *text ? "Regular expression too long" : "Empty regular expression");
        return -EINVAL;
    }
    int code = regcomp(&pattern->regex, text, REG_EXTENDED | REG_NOSUB | (has_upper(text) ? 0 : REG_ICASE));
    if (code != 0) {
        (void)regerror(code, &pattern->regex, why, why_bytes);
        return -EINVAL;
    }
    pattern->is_set = true;
    return 0;
}

void rv_regex_fini(struct rv_regex *pattern)
{
    if (pattern->is_set)
        regfree(&pattern->regex);
    pattern->is_set = false;
}

bool rv_regex_has(const struct rv_regex *pattern, const char *text)
{
    return pattern->is_set && regexec(&pattern->regex, text, 0, NULL, 0) == 0;
}
