/*
 * Where separate debug information of a file may lie, in the places and under the names that gdb and elfutils use.
 * Nothing is opened.
 */
#ifndef RV_BASE_DEBUG_PATHS_H
#define RV_BASE_DEBUG_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_DEBUG_PATHS_MOST_ID 64u /* bytes of a build id; a longer one has no place */

/* Called with a path. True: that is it, and no other is asked for. */
typedef bool rv_debug_paths_fn(void *context, const char *path);

/* Below /usr/lib/debug/.build-id alone. Returns what the function did, false: it was not called. */
bool rv_debug_paths_in_folder(const uint8_t *build_id, size_t n, rv_debug_paths_fn *is_it, void *context);

/* By the build id of a file: in that folder, in debuginfod's cache, and as FILE.debug. */
bool rv_debug_paths_by_id(const char *file, const uint8_t *build_id, size_t n, rv_debug_paths_fn *is_it,
                          void *context);

/* By the name in its .gnu_debuglink: in its folder, in .debug there, and below /usr/lib/debug. */
bool rv_debug_paths_by_link(const char *file, const char *name, rv_debug_paths_fn *is_it, void *context);

#endif
