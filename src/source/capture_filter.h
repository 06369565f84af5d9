/*
 * Which subroutines are captured: rules over their names, of which the last one that fits decides. --include and
 * --exclude are the first of them; more come while a program runs. A rule is evaluated once per id. Ids belong to one
 * source, so each source has its own filter.
 */
#ifndef RV_SOURCE_CAPTURE_FILTER_H
#define RV_SOURCE_CAPTURE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/symbolizer.h"

struct rv_capture_filter; /* opaque */

enum rv_capture_rule {
    RV_CAPTURE_EXCLUDE, /* subroutines whose full name matches a regular expression are left out */
    RV_CAPTURE_INCLUDE, /* they are captured */
    RV_CAPTURE_UNTRACE, /* the subroutine of this full name, or of this name in any package, is left out */
    RV_CAPTURE_TRACE,   /* it is captured */
    RV_CAPTURE_RULE_COUNT
};

/*
 * Compile POSIX extended regular expressions; a NULL pattern accepts everything.
 *   returns  0 with *filter (NULL when both patterns are), -EINVAL with one line printed
 */
int rv_capture_filter_create(struct rv_capture_filter **filter, const char *include, const char *exclude);

/* One that accepts everything so far. */
struct rv_capture_filter *rv_capture_filter_create_open(void);
void rv_capture_filter_destroy(struct rv_capture_filter *filter);

/* Is this subroutine captured? The first call for an id reads its name (milliseconds). Drain thread. */
bool rv_capture_filter_has(struct rv_capture_filter *filter, struct rv_symbolizer *symbolizer, uint32_t id);

/* Has its verdict changed? Then returns may come of calls that were captured, and of calls that were not. */
bool rv_capture_filter_has_changed(const struct rv_capture_filter *filter, uint32_t id);

/*
 * Add a rule, from now on.
 *   text      a regular expression, or a name
 *   why       of an error, a line; why_bytes
 *   returns   how many of the subroutines known are captured or left out now and were not before; -EINVAL: no regular
 *             expression, and nothing has changed
 *   thread    drain; reads their names
 */
int rv_capture_filter_add(struct rv_capture_filter *filter, struct rv_symbolizer *symbolizer, enum rv_capture_rule rule,
                          const char *text, char *why, size_t why_bytes);

/* Leave one subroutine out, until a rule that fits it is added. Drain thread. */
void rv_capture_filter_leave_out(struct rv_capture_filter *filter, struct rv_symbolizer *symbolizer, uint32_t id);

/* Let the rules alone decide about it again. Returns whether it is captured now and was not before. Drain thread. */
bool rv_capture_filter_let_in(struct rv_capture_filter *filter, struct rv_symbolizer *symbolizer, uint32_t id);

/* Does a subroutine of this name fit the last rule that was added? Drain thread. */
bool rv_capture_filter_fits_last(const struct rv_capture_filter *filter, const char *package, const char *name);

#endif
