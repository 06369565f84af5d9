#include "model/filter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/vec.h"

#define MOST_BYTES 1100u /* longest rule */

enum key { NAME, PACKAGE, THREAD, DEPTH, DURATION, KEY_COUNT };

static const char *const KEYS[KEY_COUNT] = {
    [NAME] = "name", [PACKAGE] = "package", [THREAD] = "thread", [DEPTH] = "depth", [DURATION] = "duration"};

struct rv_filter_condition { /* immutable except n_holders; the last holder frees it: FR1 -> FA1 */
    atomic_uint n_holders;
    enum key key;
    struct rv_regex pattern; /* NAME, PACKAGE, THREAD */
    uint64_t least, most;    /* DEPTH, DURATION: both included */
    char text[];             /* with "!" in front */
};

static int fail(char *why, size_t why_bytes, const char *reason)
{
    (void)snprintf(why, why_bytes, "%s", reason);
    return -EINVAL;
}

static bool parse_amount(enum key key, const char *text, size_t n_bytes, uint64_t *amount)
{
    char copy[64];
    if (n_bytes >= sizeof copy)
        return false;
    memcpy(copy, text, n_bytes);
    copy[n_bytes] = '\0';
    if (key == DURATION)
        return rv_units_parse_ns(copy, amount) == 0;
    return rv_units_parse_count(copy, 0, UINT32_MAX, amount) == 0;
}

/* "<8", "<=8", ">8", ">=8", "=8", "2..8". */
static bool parse_bounds(struct rv_filter_condition *condition, const char *text)
{
    const char *dots = strstr(text, "..");
    condition->least = 0;
    condition->most = UINT64_MAX;
    if (dots)
        return parse_amount(condition->key, text, (size_t)(dots - text), &condition->least) &&
               parse_amount(condition->key, dots + 2, strlen(dots + 2), &condition->most) &&
               condition->least <= condition->most;
    char comparison = text[0];
    bool has_equal = comparison && text[1] == '=';
    const char *number = text + 1 + has_equal;
    uint64_t amount;
    if (!strchr("<>=", comparison) || !comparison || !parse_amount(condition->key, number, strlen(number), &amount))
        return false;
    if (comparison == '=')
        condition->least = condition->most = amount;
    else if (comparison == '>')
        condition->least = amount + !has_equal;
    else if (amount == 0 && !has_equal)
        return false; /* nothing is below zero */
    else
        condition->most = amount - !has_equal;
    return comparison != '=' || !has_equal;
}

static int parse_value(struct rv_filter_condition *condition, const char *value, char *why, size_t why_bytes)
{
    switch (condition->key) {
    case NAME:
    case PACKAGE:
    case THREAD:
        return rv_regex_init(&condition->pattern, value, why, why_bytes);
    case DEPTH:
        return parse_bounds(condition, value) ? 0
                                              : fail(why, why_bytes, "Expected a depth such as <8, >=2, =3 or 2..5");
    case DURATION:
        return parse_bounds(condition, value) ? 0
                                              : fail(why, why_bytes, "Expected a time such as >2ms, <=1s or 1us..1ms");
    case KEY_COUNT:
        break;
    }
    return -EINVAL;
}

static void release(struct rv_filter_condition *condition)
{
    if (atomic_fetch_sub_explicit(&condition->n_holders, 1, memory_order_acq_rel) > 1) /* FR1 -> FA1, FA1 <- FR1 */
        return;
    rv_regex_fini(&condition->pattern);
    free(condition);
}

/* Takes one hold of the condition. */
static void push(struct rv_filter *filter, struct rv_filter_condition *condition, bool is_inverted)
{
    filter->rules = rv_vec_reserve(filter->rules, &filter->capacity, filter->n_rules + 1, sizeof *filter->rules);
    struct rv_filter_rule *rule = &filter->rules[filter->n_rules++];
    *rule = (struct rv_filter_rule){.condition = condition, .is_inverted = is_inverted};
    rv_name_set_init(&rule->matches, condition->key == PACKAGE ? RV_NAME_SET_PACKAGE : RV_NAME_SET_NAME,
                     &condition->pattern);
}

int rv_filter_add(struct rv_filter *filter, const char *text, char *why, size_t why_bytes)
{
    const bool is_inverted = text[0] == '!';
    const char *keyed = text + is_inverted, *colon = strchr(keyed, ':');
    size_t n_bytes = colon ? (size_t)(colon - keyed) : 0;
    enum key key = NAME;
    while (key < KEY_COUNT && (strlen(KEYS[key]) != n_bytes || strncmp(keyed, KEYS[key], n_bytes) != 0))
        key++;
    if (key == KEY_COUNT || strlen(text) > MOST_BYTES)
        return fail(why, why_bytes, "Expected name:, package:, thread:, depth: or duration: and what it shall be");
    struct rv_filter_condition *condition = rv_alloc(1, sizeof *condition + strlen(keyed) + 2);
    condition->key = key;
    condition->text[0] = '!';
    strcpy(condition->text + 1, keyed);
    atomic_init(&condition->n_holders, 1);
    int error = parse_value(condition, colon + 1, why, why_bytes);
    if (error)
        release(condition);
    else
        push(filter, condition, is_inverted);
    return error;
}

const char *rv_filter_text(const struct rv_filter_rule *rule)
{
    return rule->condition->text + !rule->is_inverted;
}

void rv_filter_copy(struct rv_filter *into, const struct rv_filter *from)
{
    into->mode = from->mode;
    for (size_t i = 0; i < from->n_rules; i++) {
        const struct rv_filter_rule *rule = &from->rules[i];
        atomic_fetch_add_explicit(&rule->condition->n_holders, 1, memory_order_relaxed);
        push(into, rule->condition, rule->is_inverted);
    }
}

static bool has_rules_of(const struct rv_filter *filter, const struct rv_filter *other)
{
    bool is_same = filter->n_rules == other->n_rules;
    for (size_t i = 0; is_same && i < filter->n_rules; i++)
        is_same = filter->rules[i].condition == other->rules[i].condition &&
                  filter->rules[i].is_inverted == other->rules[i].is_inverted;
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

static void fini_rule(struct rv_filter_rule *rule)
{
    rv_name_set_fini(&rule->matches);
    release(rule->condition);
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
    filter->rules[rule_idx].is_inverted ^= true;
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
        if (filter->rules[i].condition->key <= PACKAGE)
            is_whole &= rv_name_set_update(&filter->rules[i].matches, subroutines, most);
    return is_whole;
}

bool rv_filter_passes_thread(const struct rv_filter *filter, const char *thread_name)
{
    for (size_t i = 0; i < filter->n_rules; i++) {
        const struct rv_filter_rule *rule = &filter->rules[i];
        if (rule->condition->key == THREAD && rv_regex_has(&rule->condition->pattern, thread_name) == rule->is_inverted)
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
    return amount >= rule->condition->least && amount <= rule->condition->most;
}

static bool passes(const struct rv_filter_rule *rule, const struct rv_box *box)
{
    switch (rule->condition->key) {
    case NAME:
    case PACKAGE:
        return rv_name_set_has(&rule->matches, box->id) != rule->is_inverted;
    case DEPTH:
        return is_within(rule, box->depth) != rule->is_inverted;
    case DURATION:
        return is_within(rule, duration_of(box)) != rule->is_inverted;
    case THREAD:
    case KEY_COUNT:
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
