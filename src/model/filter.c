#include "model/filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/vec.h"

#define MOST_BYTES 1100u /* of a rule */

static const char *const KEYS[RV_FILTER_KEY_COUNT] = {[RV_FILTER_NAME] = "name",
                                                      [RV_FILTER_PACKAGE] = "package",
                                                      [RV_FILTER_THREAD] = "thread",
                                                      [RV_FILTER_DEPTH] = "depth",
                                                      [RV_FILTER_DURATION] = "duration"};

static int fail(char *why, size_t why_bytes, const char *reason)
{
    (void)snprintf(why, why_bytes, "%s", reason);
    return -EINVAL;
}

static bool parse_amount(enum rv_filter_key key, const char *text, size_t n_bytes, uint64_t *amount)
{
    char copy[64];
    if (n_bytes >= sizeof copy)
        return false;
    memcpy(copy, text, n_bytes);
    copy[n_bytes] = '\0';
    if (key == RV_FILTER_DURATION)
        return rv_units_parse_ns(copy, amount) == 0;
    return rv_units_parse_count(copy, 0, UINT32_MAX, amount) == 0;
}

/* "<8", "<=8", ">8", ">=8", "=8", "2..8". */
static bool parse_bounds(struct rv_filter_rule *rule, const char *text)
{
    const char *dots = strstr(text, "..");
    rule->least = 0;
    rule->most = UINT64_MAX;
    if (dots)
        return parse_amount(rule->key, text, (size_t)(dots - text), &rule->least) &&
               parse_amount(rule->key, dots + 2, strlen(dots + 2), &rule->most) && rule->least <= rule->most;
    char comparison = text[0];
    bool has_equal = comparison && text[1] == '=';
    const char *number = text + 1 + has_equal;
    uint64_t amount;
    if (!strchr("<>=", comparison) || !comparison || !parse_amount(rule->key, number, strlen(number), &amount))
        return false;
    if (comparison == '=')
        rule->least = rule->most = amount;
    else if (comparison == '>')
        rule->least = amount + !has_equal;
    else if (amount == 0 && !has_equal)
        return false; /* nothing is below zero */
    else
        rule->most = amount - !has_equal;
    return comparison != '=' || !has_equal;
}

static int parse_value(struct rv_filter_rule *rule, const char *value, char *why, size_t why_bytes)
{
    switch (rule->key) {
    case RV_FILTER_NAME:
        return rv_name_set_init(&rule->matches, RV_NAME_SET_NAME, value, why, why_bytes);
    case RV_FILTER_PACKAGE:
        return rv_name_set_init(&rule->matches, RV_NAME_SET_PACKAGE, value, why, why_bytes);
    case RV_FILTER_THREAD:
        return rv_regex_init(&rule->pattern, value, why, why_bytes);
    case RV_FILTER_DEPTH:
        return parse_bounds(rule, value) ? 0 : fail(why, why_bytes, "Expected a depth such as <8, >=2, =3 or 2..5");
    case RV_FILTER_DURATION:
        return parse_bounds(rule, value) ? 0 : fail(why, why_bytes, "Expected a time such as >2ms, <=1s or 1us..1ms");
    case RV_FILTER_KEY_COUNT:
        break;
    }
    return -EINVAL;
}

static void fini_rule(struct rv_filter_rule *rule)
{
    rv_name_set_fini(&rule->matches);
    rv_regex_fini(&rule->pattern);
    free(rule->text);
}

int rv_filter_add(struct rv_filter *filter, const char *text, char *why, size_t why_bytes)
{
    struct rv_filter_rule rule = {.is_inverted = text[0] == '!'};
    const char *key = text + rule.is_inverted, *colon = strchr(key, ':');
    size_t n_bytes = colon ? (size_t)(colon - key) : 0;
    while (rule.key < RV_FILTER_KEY_COUNT &&
           (strlen(KEYS[rule.key]) != n_bytes || strncmp(key, KEYS[rule.key], n_bytes) != 0))
        rule.key++;
    if (rule.key == RV_FILTER_KEY_COUNT || strlen(text) > MOST_BYTES)
        return fail(why, why_bytes, "Expected name:, package:, thread:, depth: or duration: and what it shall be");
    int error = parse_value(&rule, colon + 1, why, why_bytes);
    if (error) {
        fini_rule(&rule);
        return error;
    }
    rule.text = rv_strdup(text);
    filter->rules = rv_vec_reserve(filter->rules, &filter->capacity, filter->n_rules + 1, sizeof *filter->rules);
    filter->rules[filter->n_rules++] = rule;
    return 0;
}

void rv_filter_copy(struct rv_filter *into, const struct rv_filter *from)
{
    char why[1];
    into->mode = from->mode;
    for (size_t i = 0; i < from->n_rules; i++)
        (void)rv_filter_add(into, from->rules[i].text, why, sizeof why);
}

static bool has_rules_of(const struct rv_filter *filter, const struct rv_filter *other)
{
    bool is_same = filter->n_rules == other->n_rules;
    for (size_t i = 0; is_same && i < filter->n_rules; i++)
        is_same = strcmp(filter->rules[i].text, other->rules[i].text) == 0;
    return is_same;
}

void rv_filter_follow(struct rv_filter *into, const struct rv_filter *from)
{
    if (!has_rules_of(into, from)) {
        rv_filter_fini(into);
        rv_filter_copy(into, from);
    }
    into->mode = from->mode;
    for (size_t i = 0; i < into->n_rules; i++)
        rv_name_set_follow(&into->rules[i].matches, &from->rules[i].matches);
}

void rv_filter_remove(struct rv_filter *filter, size_t rule_idx)
{
    fini_rule(&filter->rules[rule_idx]);
    filter->n_rules--;
    memmove(&filter->rules[rule_idx], &filter->rules[rule_idx + 1],
            (filter->n_rules - rule_idx) * sizeof *filter->rules);
}

void rv_filter_invert(struct rv_filter *filter, size_t rule_idx)
{
    struct rv_filter_rule *rule = &filter->rules[rule_idx];
    size_t n_bytes = strlen(rule->text) + 2;
    char *text = rv_alloc(n_bytes, 1);
    (void)snprintf(text, n_bytes, "%s%s", rule->is_inverted ? "" : "!", rule->text + rule->is_inverted);
    free(rule->text);
    rule->text = text;
    rule->is_inverted = !rule->is_inverted;
}

void rv_filter_fini(struct rv_filter *filter)
{
    for (size_t i = 0; i < filter->n_rules; i++)
        fini_rule(&filter->rules[i]);
    free(filter->rules);
    *filter = (struct rv_filter){.mode = filter->mode};
}

bool rv_filter_update(struct rv_filter *filter, struct rv_subroutines *subroutines, size_t most)
{
    bool is_whole = true;
    for (size_t i = 0; i < filter->n_rules; i++)
        if (filter->rules[i].key == RV_FILTER_NAME || filter->rules[i].key == RV_FILTER_PACKAGE)
            is_whole &= rv_name_set_update(&filter->rules[i].matches, subroutines, most);
    return is_whole;
}

bool rv_filter_passes_thread(const struct rv_filter *filter, const char *thread_name)
{
    for (size_t i = 0; i < filter->n_rules; i++) {
        const struct rv_filter_rule *rule = &filter->rules[i];
        if (rule->key == RV_FILTER_THREAD && rv_regex_has(&rule->pattern, thread_name) == rule->is_inverted)
            return false;
    }
    return true;
}

static uint64_t duration_of(const struct rv_box *box)
{
    if (box->coverage == RV_BOX_EXACT)
        return box->duration_ns;
    double covered_ns = (double)box->duration_ns * box->coverage / (RV_BOX_EXACT - 1);
    return (uint64_t)(covered_ns / (box->count ? box->count : 1));
}

static bool is_within(const struct rv_filter_rule *rule, uint64_t amount)
{
    return amount >= rule->least && amount <= rule->most;
}

static bool passes(const struct rv_filter_rule *rule, const struct rv_box *box)
{
    switch (rule->key) {
    case RV_FILTER_NAME:
    case RV_FILTER_PACKAGE:
        return rv_name_set_has(&rule->matches, box->id) != rule->is_inverted;
    case RV_FILTER_DEPTH:
        return is_within(rule, box->depth) != rule->is_inverted;
    case RV_FILTER_DURATION:
        return is_within(rule, duration_of(box)) != rule->is_inverted;
    case RV_FILTER_THREAD:
    case RV_FILTER_KEY_COUNT:
        break;
    }
    return true;
}

bool rv_filter_passes_box(const struct rv_filter *filter, const struct rv_box *box)
{
    for (size_t i = 0; i < filter->n_rules; i++)
        if (!passes(&filter->rules[i], box))
            return false;
    return true;
}
