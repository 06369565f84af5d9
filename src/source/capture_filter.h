/*
 * --include and --exclude: regular expressions over subroutines' full names, evaluated once per id. Ids belong to one
 * source, so each source has its own filter.
 */
#ifndef RV_SOURCE_CAPTURE_FILTER_H
#define RV_SOURCE_CAPTURE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/symbolizer.h"

struct rv_capture_filter; /* opaque */

/*
 * Compile POSIX extended regular expressions; a NULL pattern accepts everything.
 *   returns  0 with *filter (NULL when both patterns are), -EINVAL with one line printed
 */
int rv_capture_filter_create(struct rv_capture_filter **filter, const char *include, const char *exclude);
void rv_capture_filter_destroy(struct rv_capture_filter *filter);

/* Is this subroutine captured? The first call for an id reads its name (milliseconds). Drain thread. */
bool rv_capture_filter_has(struct rv_capture_filter *filter, struct rv_symbolizer *symbolizer, uint32_t id);

#endif
