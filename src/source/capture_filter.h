/*
 * What --include and --exclude let through: subroutines by regular expression over their full name, asked once per id.
 * The ids are those of one source: each has a filter of its own.
 */
#ifndef RV_SOURCE_CAPTURE_FILTER_H
#define RV_SOURCE_CAPTURE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/catalog.h"

struct rv_capture_filter; /* opaque */

/*
 * Compile POSIX extended regular expressions; NULL patterns let everything through.
 *   returns  0 with *filter (NULL when both patterns are), -EINVAL with one line printed
 */
int rv_capture_filter_create(struct rv_capture_filter **filter, const char *include, const char *exclude);
void rv_capture_filter_destroy(struct rv_capture_filter *filter);

/* Is this subroutine captured? Reads its name at first sight (milliseconds, once). Drain thread. */
bool rv_capture_filter_has(struct rv_capture_filter *filter, struct rv_catalog *catalog, uint32_t id);

#endif
