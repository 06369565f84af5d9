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

enum rv_lens_mode { RV_LENS_DIM, RV_LENS_HIDE }; /* what becomes of calls that do not pass */
enum rv_lens_key { RV_LENS_NAME, RV_LENS_PACKAGE, RV_LENS_THREAD, RV_LENS_DEPTH, RV_LENS_DURATION, RV_LENS_KEY_COUNT };

struct rv_lens_rule {
    char *text; /* as it was given, "!" in front when it is inverted */
    enum rv_lens_key key;
    bool is_inverted;
    struct rv_matches matches; /* NAME, PACKAGE */
    struct rv_pattern pattern; /* THREAD */
    uint64_t least, most;      /* DEPTH, DURATION: both included */
};

struct rv_lens { /* zeroed = everything passes */
    struct rv_lens_rule *rules;
    size_t n_rules, capacity;
    enum rv_lens_mode mode;
};

/* Add a rule. 0, or -EINVAL with the reason, without a line end, in `why`. */
int rv_lens_add(struct rv_lens *lens, const char *text, char *why, size_t why_bytes);
void rv_lens_copy(struct rv_lens *into, const struct rv_lens *from); /* into is zeroed; names are looked at anew */

/* Let through what another lets through now: for who asks while that one is changed. Names are looked at by that one.
 */
void rv_lens_follow(struct rv_lens *into, const struct rv_lens *from);
void rv_lens_remove(struct rv_lens *lens, size_t rule_idx);
void rv_lens_invert(struct rv_lens *lens, size_t rule_idx);
void rv_lens_fini(struct rv_lens *lens);

/* Look at up to `most` new names for each rule; true when all that are known were looked at. */
bool rv_lens_update(struct rv_lens *lens, struct rv_subroutines *subroutines, size_t most);

/* Do the rules over threads let this one through, and all others this call or cell? Both must. Any thread, between
 * updates. */
bool rv_lens_passes_thread(const struct rv_lens *lens, const char *thread_name);
bool rv_lens_passes_box(const struct rv_lens *lens, const struct rv_box *box);

#endif
