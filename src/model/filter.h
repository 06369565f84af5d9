/*
 * --filter: rules over names, packages, arguments, threads, depths and durations. A call passes when it matches all
 * rules.
 *
 * A rule's text is "KEY:VALUE", with "!" in front to invert it:
 *   name:REGEX  package:REGEX  thread:REGEX    over full name, package, thread name; case as in model/regex.h
 *   arg:REGEX                                  over the captured arguments as the call began, as "1, \"abc\""
 *   depth:<8  depth:>=2  depth:=3  depth:2..5  outermost is 0
 *   duration:>2ms  duration:<=1s  duration:1us..1ms
 * A cell stands for many calls: it is judged by its majority subroutine, by the mean duration of its calls, and by the
 * arguments of the first few.
 *
 * A filter never changes: to change one is to replace it by another, which shares the compiled rules. All who need it
 * hold the same one, on any thread; which names match is found once for all. NULL is a filter that everything passes.
 */
#ifndef RV_MODEL_FILTER_H
#define RV_MODEL_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/box.h"
#include "model/lanes.h"
#include "model/subroutines.h"

enum rv_filter_mode { RV_FILTER_DIM, RV_FILTER_HIDE }; /* effect on calls that do not pass */

struct rv_filter; /* opaque, reference-counted */

/* Hold a filter, to be released. Returns it. */
const struct rv_filter *rv_filter_hold(const struct rv_filter *filter);
void rv_filter_release(const struct rv_filter *filter);

/*
 * Replace a filter that the caller holds by one with one rule more. 0, or -EINVAL with the reason, without a newline,
 * in `why`, and nothing changed.
 */
int rv_filter_add(const struct rv_filter **filter, const char *text, char *why, size_t why_bytes);

/* Likewise, by one without a rule, with a rule inverted, of another mode. */
void rv_filter_remove(const struct rv_filter **filter, size_t rule_idx);
void rv_filter_invert(const struct rv_filter **filter, size_t rule_idx);
void rv_filter_set_mode(const struct rv_filter **filter, enum rv_filter_mode mode);

/* Is the rule one over names or packages? */
bool rv_filter_is_over_names(const struct rv_filter *filter, size_t rule_idx);

/* Is the text a rule over arguments? Such a rule may be searched for, too. */
bool rv_filter_is_for_arguments(const char *text);

/* Is any of its rules over arguments? */
bool rv_filter_has_arguments(const struct rv_filter *filter);

/* Are all of its rules over threads? Then all calls of a thread that passes do. */
bool rv_filter_is_over_threads(const struct rv_filter *filter);

/* 0 for NULL. */
size_t rv_filter_n_rules(const struct rv_filter *filter);
enum rv_filter_mode rv_filter_mode(const struct rv_filter *filter);

/* A rule's text as given, with "!" in front when inverted; valid as long as the filter. */
const char *rv_filter_text(const struct rv_filter *filter, size_t rule_idx);

/* Match up to `most` new names of the trace's table per rule; true when all known names were matched. */
bool rv_filter_update(const struct rv_filter *filter, struct rv_subroutines *subroutines, size_t most);

/* Increases when names that match become known. */
uint64_t rv_filter_generation(const struct rv_filter *filter);

/* Does the thread pass the rules over threads; does the call or cell of this lane pass the others? Both must. The
 * lane's lock need not be held. */
bool rv_filter_passes_thread(const struct rv_filter *filter, const char *thread_name);
bool rv_filter_passes_box(const struct rv_filter *filter, const struct rv_lane *lane, const struct rv_box *box);

/* Does any of the first subroutines pass the rules over names and packages? */
bool rv_filter_passes_any_name(const struct rv_filter *filter, uint32_t n_subroutines);

#endif
