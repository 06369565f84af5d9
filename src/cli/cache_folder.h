/*
 * Folders of files that only save time, below $XDG_CACHE_HOME or ~/.cache: ringviz/plans, in which traced processes
 * keep the functions found in programs (patch/plan_file.h), and ringviz/sums, sums of recordings
 * (critical_path_sums_file.h).
 */
#ifndef RV_CLI_CACHE_FOLDER_H
#define RV_CLI_CACHE_FOLDER_H

#include <limits.h>

enum rv_cache_folder { RV_CACHE_PLANS, RV_CACHE_SUMS };

/*
 * Make the folder, and delete the files least recently used where there are too many bytes. Returns the path, or NULL
 * if there is none or RINGVIZ_PLANS=off or RINGVIZ_SUMS=off is set.
 */
const char *rv_cache_folder_open(enum rv_cache_folder which, char path[PATH_MAX]);

#endif
