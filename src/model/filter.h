/*
 * --filter: rules over names, packages, threads, depths and durations. A call passes when it matches all rules.
 *
 * A rule's text is "KEY:VALUE", with "!" in front to invert it:
 *   name:REGEX  package:REGEX  thread:REGEX    over full name, package, thread name; case as in model/regex.h
 *   depth:<8  depth:>=2  depth:=3  depth:2..5  outermost is 0
 *   duration:>2ms  duration:<=1s  duration:1us..1ms
 * A cell stands for many calls: it is judged by its majority subroutine and by the mean duration of its calls.
 */
#ifndef RV_MODEL_FILTER_H
#define RV_MODEL_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/name_set.h"
#include "model/timeline.h"

enum rv_filter_mode { RV_FILTER_DIM, RV_FILTER_HIDE }; /* effect on calls that do not pass */

struct rv_filter_condition; /* compiled once, immutable, reference-counted */

struct rv_filter_rule {
    struct rv_filter_condition *condition;
    bool is_inverted;
    struct rv_name_set matches; /* of a condition over names or packages */
};

struct rv_filter { /* zeroed = everything passes */
    struct rv_filter_rule *rules;
    size_t n_rules, capacity;
    enum rv_filter_mode mode;
};

/* Add a rule. 0, or -EINVAL with the reason, without a newline, in `why`. */
int rv_filter_add(struct rv_filter *filter, const char *text, char *why, size_t why_bytes);

/* Copy, sharing the conditions, which never change. into is zeroed; names are matched again. */
void rv_filter_copy(struct rv_filter *into, const struct rv_filter *from);

/* Become a snapshot of another filter, for readers while that one changes. Only that one matches new names. */
void rv_filter_follow(struct rv_filter *into, const struct rv_filter *from);
void rv_filter_remove(struct rv_filter *filter, size_t rule_idx);
void rv_filter_invert(struct rv_filter *filter, size_t rule_idx);
void rv_filter_fini(struct rv_filter *filter);

/* The rule's text as given, with "!" in front when inverted. */
const char *rv_filter_text(const struct rv_filter_rule *rule);

/* Match up to `most` new names per rule; true when all known names were matched. */
bool rv_filter_update(struct rv_filter *filter, struct rv_subroutines *subroutines, size_t most);

/* Does the thread pass the rules over threads; does the call or cell pass the others? Both must. Any thread, between
 * updates. */
bool rv_filter_passes_thread(const struct rv_filter *filter, const char *thread_name);
bool rv_filter_passes_box(const struct rv_filter *filter, const struct rv_box *box);

#endif
