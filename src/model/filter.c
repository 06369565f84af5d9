#include "model/filter.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/vec.h"
#include "model/name_set.h"

enum { MOST_BYTES = 1100, /* longest rule */ NAMES_AT_A_TIME = 500, TEXTS_OF_A_CELL = 64 };

enum key { NAME, PACKAGE, ARGUMENTS, THREAD, DEPTH, DURATION, KEY_COUNT };

static const char *const KEYS[KEY_COUNT] = {[NAME] = "name",     [PACKAGE] = "package", [ARGUMENTS] = "arg",
                                            [THREAD] = "thread", [DEPTH] = "depth",     [DURATION] = "duration"};

/* Holders are counted; the last one to release it frees it: FR1 -> FA1. */
struct condition { /* shared by the filters that have it; immutable but for the names found so far */
    atomic_uint n_holders;
    enum key key;
    struct rv_regex pattern;    /* NAME, PACKAGE, ARGUMENTS, THREAD */
    uint64_t least, most;       /* DEPTH, DURATION: both included */
    pthread_mutex_t lock;       /* held to change matches, and what is below it */
    struct rv_name_set matches; /* NAME, PACKAGE: names that match; ARGUMENTS: texts looked up so far that match */
    struct rv_name_set others;  /* ARGUMENTS: texts looked up so far that do not match */
    struct rv_subroutines *subroutines; /* the table that the texts are from */
    uint64_t version;                   /* of the table */
    bool has_met_unknown;               /* a text was not defined yet when a call had it: calls must be judged again */
    atomic_ulong n_renewals;
    char text[]; /* with "!" in front */
};

struct rule {
    struct condition *condition;
    bool is_inverted;
};

struct rv_filter {
    atomic_uint n_holders;
    enum rv_filter_mode mode;
    size_t n_rules;
    struct rule rules[];
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
static bool parse_bounds(struct condition *condition, const char *text)
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

static int parse_value(struct condition *condition, const char *value, char *why, size_t why_bytes)
{
    switch (condition->key) {
    case NAME:
    case PACKAGE:
    case ARGUMENTS:
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

static bool is_last(atomic_uint *n_holders)
{
    return atomic_fetch_sub_explicit(n_holders, 1, memory_order_acq_rel) == 1; /* FR1 -> FA1, FA1 <- FR1 */
}

static void release(struct condition *condition)
{
    if (!is_last(&condition->n_holders))
        return;
    rv_name_set_fini(&condition->matches);
    rv_name_set_fini(&condition->others);
    rv_regex_fini(&condition->pattern);
    pthread_mutex_destroy(&condition->lock);
    free(condition);
}

const struct rv_filter *rv_filter_hold(const struct rv_filter *filter)
{
    if (filter)
        atomic_fetch_add_explicit(&((struct rv_filter *)filter)->n_holders, 1, memory_order_relaxed);
    return filter;
}

void rv_filter_release(const struct rv_filter *filter)
{
    struct rv_filter *last = (struct rv_filter *)filter;
    if (!last || !is_last(&last->n_holders))
        return;
    for (size_t i = 0; i < last->n_rules; i++)
        release(last->rules[i].condition);
    free(last);
}

/* Replace by a filter with the same rules but one, and room for another. Returns the new one, held. */
static struct rv_filter *replace(const struct rv_filter **filter, size_t left_out)
{
    const struct rv_filter *from = *filter;
    size_t n_rules = rv_filter_n_rules(from);
    struct rv_filter *into = rv_alloc(1, sizeof *into + (n_rules + 1) * sizeof *into->rules);
    atomic_init(&into->n_holders, 1);
    into->mode = rv_filter_mode(from);
    for (size_t i = 0; i < n_rules; i++) {
        if (i == left_out)
            continue;
        atomic_fetch_add_explicit(&from->rules[i].condition->n_holders, 1, memory_order_relaxed);
        into->rules[into->n_rules++] = from->rules[i];
    }
    rv_filter_release(from);
    *filter = into;
    return into;
}

static struct condition *create_condition(enum key key, const char *keyed)
{
    struct condition *condition = rv_alloc(1, sizeof *condition + strlen(keyed) + 2);
    atomic_init(&condition->n_holders, 1);
    condition->key = key;
    pthread_mutex_init(&condition->lock, NULL);
    rv_name_set_init(&condition->matches, key == PACKAGE ? RV_NAME_SET_PACKAGE : RV_NAME_SET_NAME, &condition->pattern);
    condition->text[0] = '!';
    strcpy(condition->text + 1, keyed);
    return condition;
}

int rv_filter_add(const struct rv_filter **filter, const char *text, char *why, size_t why_bytes)
{
    const bool is_inverted = text[0] == '!';
    const char *keyed = text + is_inverted, *colon = strchr(keyed, ':');
    size_t n_bytes = colon ? (size_t)(colon - keyed) : 0;
    enum key key = NAME;
    while (key < KEY_COUNT && (strlen(KEYS[key]) != n_bytes || strncmp(keyed, KEYS[key], n_bytes) != 0))
        key++;
    if (key == KEY_COUNT || strlen(text) > MOST_BYTES)
        return fail(why, why_bytes,
                    "Expected name:, package:, arg:, thread:, depth: or duration: and what it shall be");
    struct condition *condition = create_condition(key, keyed);
    int error = parse_value(condition, colon + 1, why, why_bytes);
    if (error) {
        release(condition);
        return error;
    }
    struct rv_filter *more = replace(filter, SIZE_MAX);
    more->rules[more->n_rules++] = (struct rule){condition, is_inverted};
    return 0;
}

bool rv_filter_is_for_arguments(const char *text)
{
    return strncmp(text, "arg:", 4) == 0;
}

void rv_filter_remove(const struct rv_filter **filter, size_t rule_idx)
{
    (void)replace(filter, rule_idx);
}

void rv_filter_invert(const struct rv_filter **filter, size_t rule_idx)
{
    replace(filter, SIZE_MAX)->rules[rule_idx].is_inverted ^= true;
}

void rv_filter_set_mode(const struct rv_filter **filter, enum rv_filter_mode mode)
{
    replace(filter, SIZE_MAX)->mode = mode;
}

bool rv_filter_has_arguments(const struct rv_filter *filter)
{
    for (size_t i = 0; i < rv_filter_n_rules(filter); i++)
        if (filter->rules[i].condition->key == ARGUMENTS)
            return true;
    return false;
}

size_t rv_filter_n_rules(const struct rv_filter *filter)
{
    return filter ? filter->n_rules : 0;
}

enum rv_filter_mode rv_filter_mode(const struct rv_filter *filter)
{
    return filter ? filter->mode : RV_FILTER_DIM;
}

const char *rv_filter_text(const struct rv_filter *filter, size_t rule_idx)
{
    const struct rule *rule = &filter->rules[rule_idx];
    return rule->condition->text + !rule->is_inverted;
}

bool rv_filter_is_over_names(const struct rv_filter *filter, size_t rule_idx)
{
    const enum key key = filter->rules[rule_idx].condition->key;
    return key == NAME || key == PACKAGE;
}

/* Match a few names at a time, so that the lock is never held for long. */
static bool match_names(struct condition *condition, struct rv_subroutines *subroutines, size_t most)
{
    bool is_whole = false;
    while (!is_whole && most > 0) {
        size_t n = most < NAMES_AT_A_TIME ? most : NAMES_AT_A_TIME;
        pthread_mutex_lock(&condition->lock);
        is_whole = rv_name_set_update(&condition->matches, subroutines, n);
        pthread_mutex_unlock(&condition->lock);
        most -= n;
    }
    return is_whole;
}

/* Follow changes of the table; each text is looked up when a call has it. */
static void follow_texts(struct condition *condition, struct rv_subroutines *subroutines)
{
    const uint64_t version = rv_subroutines_version(subroutines);
    pthread_mutex_lock(&condition->lock);
    const bool is_other = condition->subroutines != subroutines;
    if (is_other || (condition->has_met_unknown && condition->version != version))
        atomic_fetch_add_explicit(&condition->n_renewals, 1, memory_order_relaxed);
    if (is_other) {
        rv_name_set_clear(&condition->matches);
        rv_name_set_clear(&condition->others);
    }
    condition->has_met_unknown &= !is_other && condition->version == version;
    condition->subroutines = subroutines;
    condition->version = version;
    pthread_mutex_unlock(&condition->lock);
}

bool rv_filter_update(const struct rv_filter *filter, struct rv_subroutines *subroutines, size_t most)
{
    bool is_whole = true;
    for (size_t i = 0; i < rv_filter_n_rules(filter); i++) {
        struct condition *condition = filter->rules[i].condition;
        if (condition->key <= PACKAGE)
            is_whole &= match_names(condition, subroutines, most);
        else if (condition->key == ARGUMENTS)
            follow_texts(condition, subroutines);
    }
    return is_whole;
}

uint64_t rv_filter_generation(const struct rv_filter *filter)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < rv_filter_n_rules(filter); i++) {
        const struct condition *condition = filter->rules[i].condition;
        sum += condition->key == ARGUMENTS ? atomic_load_explicit(&condition->n_renewals, memory_order_relaxed)
                                           : rv_name_set_generation(&condition->matches);
    }
    return sum;
}

bool rv_filter_is_over_threads(const struct rv_filter *filter)
{
    bool is = true;
    for (size_t i = 0; i < rv_filter_n_rules(filter) && is; i++)
        is = filter->rules[i].condition->key == THREAD;
    return is;
}

bool rv_filter_passes_thread(const struct rv_filter *filter, const char *thread_name)
{
    for (size_t i = 0; i < rv_filter_n_rules(filter); i++) {
        const struct rule *rule = &filter->rules[i];
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

static bool is_within(const struct rule *rule, uint64_t amount)
{
    return amount >= rule->condition->least && amount <= rule->condition->most;
}

/* ---- arguments ---- */

/* Under the condition's lock. */
static bool judge_text(struct condition *condition, uint32_t id)
{
    const struct rv_subroutine text = rv_subroutines_get(condition->subroutines, id);
    if (!text.is_defined) {
        condition->has_met_unknown = true;
        return false;
    }
    char *joined = rv_argument_text_take_joined(text.name);
    const bool is_match = rv_regex_has(&condition->pattern, joined);
    free(joined);
    rv_name_set_add(is_match ? &condition->matches : &condition->others, id);
    return is_match;
}

static bool matches_text(struct condition *condition, uint32_t id)
{
    if (rv_name_set_has(&condition->matches, id) || rv_name_set_has(&condition->others, id))
        return rv_name_set_has(&condition->matches, id);
    pthread_mutex_lock(&condition->lock);
    const bool is_match = condition->subroutines && judge_text(condition, id);
    pthread_mutex_unlock(&condition->lock);
    return is_match;
}

static bool matches_arguments(struct condition *condition, const struct rv_lane *lane, const struct rv_box *box)
{
    uint32_t ids[TEXTS_OF_A_CELL];
    if (box->coverage == RV_BOX_EXACT) {
        const struct rv_span call = {.start = box->start_ns, .id = box->id};
        const uint32_t id = rv_argument_texts_find(&lane->texts, &call, false);
        return id && matches_text(condition, id);
    }
    const size_t n = rv_argument_texts_in(&lane->texts, box->start_ns, rv_box_end_ns(box), ids, TEXTS_OF_A_CELL);
    for (size_t i = 0; i < n; i++)
        if (matches_text(condition, ids[i]))
            return true;
    return false;
}

static bool passes_name(const struct rule *rule, uint32_t id)
{
    return rv_name_set_has(&rule->condition->matches, id) != rule->is_inverted;
}

static bool passes(const struct rule *rule, const struct rv_lane *lane, const struct rv_box *box)
{
    switch (rule->condition->key) {
    case NAME:
    case PACKAGE:
        return passes_name(rule, box->id);
    case ARGUMENTS:
        return matches_arguments(rule->condition, lane, box) != rule->is_inverted;
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

bool rv_filter_passes_box(const struct rv_filter *filter, const struct rv_lane *lane, const struct rv_box *box)
{
    const size_t n_rules = rv_filter_n_rules(filter);
    for (size_t i = 0; i < n_rules; i++)
        if (!passes(&filter->rules[i], lane, box))
            return false;
    return true;
}

bool rv_filter_passes_any_name(const struct rv_filter *filter, uint32_t n_subroutines)
{
    bool passes = false;
    for (uint32_t id = 0; id < n_subroutines && !passes; id++) {
        passes = true;
        for (size_t i = 0; i < rv_filter_n_rules(filter) && passes; i++)
            passes = !rv_filter_is_over_names(filter, i) || passes_name(&filter->rules[i], id);
    }
    return passes;
}
