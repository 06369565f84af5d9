#include "source/capture_filter.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/full_name.h"
#include "base/vec.h"

#define NAME_BYTES 1024u

enum verdict { UNKNOWN = 0, PASSES, STOPS };

struct judged {
    uint8_t verdict;  /* enum verdict */
    bool has_changed; /* since it was first asked for */
};

struct rule {
    enum rv_capture_rule kind;
    regex_t regex;
    char *name; /* of TRACE and UNTRACE, in place of a regular expression */
};

struct rv_capture_filter {
    enum verdict otherwise; /* of what fits no rule */
    struct rule *rules;
    size_t n_rules, capacity;
    struct judged *judged; /* by id */
    size_t n;
};

static enum verdict verdict_of(const struct rule *rule)
{
    return rule->kind == RV_CAPTURE_INCLUDE || rule->kind == RV_CAPTURE_TRACE ? PASSES : STOPS;
}

/* 0; else a code of regcomp(), with the reason. */
static int add_rule(struct rv_capture_filter *filter, enum rv_capture_rule kind, const char *text, char *why,
                    size_t why_bytes)
{
    struct rule rule = {.kind = kind};
    const bool is_name = kind == RV_CAPTURE_TRACE || kind == RV_CAPTURE_UNTRACE;
    const int code = is_name ? 0 : regcomp(&rule.regex, text, REG_EXTENDED | REG_NOSUB);
    if (code) {
        regerror(code, &rule.regex, why, why_bytes);
        return code;
    }
    rule.name = is_name ? rv_strdup(text) : NULL;
    filter->rules = rv_vec_reserve(filter->rules, &filter->capacity, filter->n_rules + 1, sizeof *filter->rules);
    filter->rules[filter->n_rules++] = rule;
    return 0;
}

static int add_option(struct rv_capture_filter *filter, enum rv_capture_rule kind, const char *pattern,
                      const char *option)
{
    char why[160];
    return pattern && add_rule(filter, kind, pattern, why, sizeof why) != 0
               ? rv_err(EINVAL, "%s=%s: %s", option, pattern, why)
               : 0;
}

struct rv_capture_filter *rv_capture_filter_create_open(void)
{
    struct rv_capture_filter *filter = rv_alloc(1, sizeof *filter);
    filter->otherwise = PASSES;
    return filter;
}

int rv_capture_filter_create(struct rv_capture_filter **filter, const char *include, const char *exclude)
{
    *filter = NULL;
    if (!include && !exclude)
        return 0;
    struct rv_capture_filter *made = rv_capture_filter_create_open();
    made->otherwise = include ? STOPS : PASSES;
    int error = add_option(made, RV_CAPTURE_INCLUDE, include, "--include");
    if (!error)
        error = add_option(made, RV_CAPTURE_EXCLUDE, exclude, "--exclude");
    if (error) {
        rv_capture_filter_destroy(made);
        return error;
    }
    *filter = made;
    return 0;
}

void rv_capture_filter_destroy(struct rv_capture_filter *filter)
{
    if (!filter)
        return;
    for (size_t i = 0; i < filter->n_rules; i++) {
        if (!filter->rules[i].name)
            regfree(&filter->rules[i].regex);
        free(filter->rules[i].name);
    }
    free(filter->rules);
    free(filter->judged);
    free(filter);
}

static bool fits(const struct rule *rule, const char *full, const char *name)
{
    return rule->name ? strcmp(rule->name, full) == 0 || strcmp(rule->name, name) == 0
                      : regexec(&rule->regex, full, 0, NULL, 0) == 0;
}

/* Of the rules from `first` on; UNKNOWN: none fits. */
static enum verdict judge(struct rv_capture_filter *filter, size_t first, struct rv_symbolizer *symbolizer, uint32_t id)
{
    struct rv_symbolizer_name name;
    char full[NAME_BYTES];
    rv_symbolizer_name(symbolizer, id, &name);
    (void)rv_full_name(full, sizeof full, name.package, name.name, name.line_form);
    for (size_t i = filter->n_rules; i-- > first;)
        if (fits(&filter->rules[i], full, name.name))
            return verdict_of(&filter->rules[i]);
    return UNKNOWN;
}

bool rv_capture_filter_has(struct rv_capture_filter *filter, struct rv_symbolizer *symbolizer, uint32_t id)
{
    if (id >= filter->n)
        filter->judged = rv_vec_extend(filter->judged, &filter->n, (size_t)id + 1, sizeof *filter->judged);
    if (filter->judged[id].verdict == UNKNOWN) {
        const enum verdict verdict = judge(filter, 0, symbolizer, id);
        filter->judged[id].verdict = (uint8_t)(verdict == UNKNOWN ? filter->otherwise : verdict);
    }
    return filter->judged[id].verdict == PASSES;
}

bool rv_capture_filter_has_changed(const struct rv_capture_filter *filter, uint32_t id)
{
    return id < filter->n && filter->judged[id].has_changed;
}

/* Of an id that was asked for. Returns whether that is new. */
static bool change(struct rv_capture_filter *filter, uint32_t id, enum verdict verdict)
{
    if (filter->judged[id].verdict == verdict)
        return false;
    filter->judged[id] = (struct judged){(uint8_t)verdict, true};
    return true;
}

int rv_capture_filter_add(struct rv_capture_filter *filter, struct rv_symbolizer *symbolizer, enum rv_capture_rule rule,
                          const char *text, char *why, size_t why_bytes)
{
    const uint32_t n = rv_symbolizer_count(symbolizer);
    int n_changed = 0;
    for (uint32_t id = 1; id <= n; id++)
        (void)rv_capture_filter_has(filter, symbolizer, id);
    if (add_rule(filter, rule, text, why, why_bytes) != 0)
        return -EINVAL;
    for (uint32_t id = 1; id <= n; id++) {
        const enum verdict verdict = judge(filter, filter->n_rules - 1, symbolizer, id);
        n_changed += verdict != UNKNOWN && change(filter, id, verdict);
    }
    return n_changed;
}

void rv_capture_filter_leave_out(struct rv_capture_filter *filter, struct rv_symbolizer *symbolizer, uint32_t id)
{
    (void)rv_capture_filter_has(filter, symbolizer, id);
    (void)change(filter, id, STOPS);
}

bool rv_capture_filter_let_in(struct rv_capture_filter *filter, struct rv_symbolizer *symbolizer, uint32_t id)
{
    (void)rv_capture_filter_has(filter, symbolizer, id);
    const enum verdict verdict = judge(filter, 0, symbolizer, id);
    return change(filter, id, verdict == UNKNOWN ? filter->otherwise : verdict) && filter->judged[id].verdict == PASSES;
}

bool rv_capture_filter_fits_last(const struct rv_capture_filter *filter, const char *package, const char *name)
{
    char full[NAME_BYTES];
    (void)rv_full_name(full, sizeof full, package, name, 0);
    return filter->n_rules && fits(&filter->rules[filter->n_rules - 1], full, name);
}
