/*
 * What people type to find something: a POSIX extended regular expression that ignores case unless it holds an
 * upper-case letter.
 */
#ifndef RV_MODEL_REGEX_H
#define RV_MODEL_REGEX_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct rv_pattern { /* zeroed = matches nothing */
    regex_t regex;
    bool is_set;
};

/* 0, or -EINVAL with the reason, without a line end, in `why`; the pattern matches nothing then. */
int rv_pattern_init(struct rv_pattern *pattern, const char *text, char *why, size_t why_bytes);
void rv_pattern_fini(struct rv_pattern *pattern);

/* Any thread. */
bool rv_pattern_has(const struct rv_pattern *pattern, const char *text);

#endif
