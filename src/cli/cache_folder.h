/*
 * Folders of files that only save time, below $XDG_CACHE_HOME, or ~/.cache: ringviz/plans, in which traced processes keep the
 * functions found in programs (patch/plans.h), and ringviz/sums, of recordings (path_sums_file.h).
 */
#ifndef RV_CLI_CACHE_FOLDER_H
#define RV_CLI_CACHE_FOLDER_H

#include <limits.h>

enum rv_cache_folder { RV_CACHE_PLANS, RV_CACHE_SUMS };

/*
 * Make it, and drop what has not been used for longest where there is too much. Returns the path, or NULL: there is none,
 * or RINGVIZ_PLANS=off, RINGVIZ_SUMS=off is set.
 */
const char *rv_cache_folder_open(enum rv_cache_folder which, char path[PATH_MAX]);

#endif
