/*
 * Search patterns: POSIX extended regular expressions that ignore case unless they contain an upper-case letter.
 */
#ifndef RV_MODEL_REGEX_H
#define RV_MODEL_REGEX_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct rv_regex { /* zeroed = matches nothing */
    regex_t regex;
    bool is_set;
};

/* 0, or -EINVAL with the reason, without a newline, in `why`; the pattern matches nothing then. */
int rv_regex_init(struct rv_regex *pattern, const char *text, char *why, size_t why_bytes);
void rv_regex_fini(struct rv_regex *pattern);

/* Any thread. */
bool rv_regex_has(const struct rv_regex *pattern, const char *text);

#endif
