/*
 * What is let through: rules over names, packages, threads, depths and durations. A call passes when all rules let it.
 *
 * A rule's text is "KEY:VALUE", with "!" in front to let through what it else stops:
 *   name:REGEX  package:REGEX  thread:REGEX    over full name, package, thread name; case as in model/regex.h
 *   depth:<8  depth:>=2  depth:=3  depth:2..5  outermost is 0
 *   duration:>2ms  duration:<=1s  duration:1us..1ms
 * A cell stands for many calls: it is judged by the subroutine that has most of it and by the mean duration of its
 * calls.
 */
#ifndef RV_MODEL_FILTER_H
#define RV_MODEL_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/name_set.h"
#include "model/timeline.h"

enum rv_filter_mode { RV_FILTER_DIM, RV_FILTER_HIDE }; /* what becomes of calls that do not pass */

struct rv_filter_condition; /* compiled once, never changed, shared by all filters that were made from one */

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

/* Add a rule. 0, or -EINVAL with the reason, without a line end, in `why`. */
int rv_filter_add(struct rv_filter *filter, const char *text, char *why, size_t why_bytes);

/* Share the conditions of another, which may then change. into is zeroed; names are looked at anew. */
void rv_filter_copy(struct rv_filter *into, const struct rv_filter *from);

/* Let through what another lets through now: for who asks while that one is changed. Names are looked at by that one.
 */
void rv_filter_follow(struct rv_filter *into, const struct rv_filter *from);
void rv_filter_remove(struct rv_filter *filter, size_t rule_idx);
void rv_filter_invert(struct rv_filter *filter, size_t rule_idx);
void rv_filter_fini(struct rv_filter *filter);

/* The rule as it was given, "!" in front when it is inverted. */
const char *rv_filter_text(const struct rv_filter_rule *rule);

/* Look at up to `most` new names for each rule; true when all that are known were looked at. */
bool rv_filter_update(struct rv_filter *filter, struct rv_subroutines *subroutines, size_t most);

/* Do the rules over threads let this one through, and all others this call or cell? Both must. Any thread, between
 * updates. */
bool rv_filter_passes_thread(const struct rv_filter *filter, const char *thread_name);
bool rv_filter_passes_box(const struct rv_filter *filter, const struct rv_box *box);

#endif
