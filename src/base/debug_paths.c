#include "base/debug_paths.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEBUG_FOLDER "/usr/lib/debug"
#define HEX_BYTES (2 * RV_DEBUG_PATHS_MOST_ID + 1)

static void format_id(const uint8_t *build_id, size_t n, char hex[HEX_BYTES])
{
    hex[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(hex + 2 * i, 3, "%02x", build_id[i]);
}

bool rv_debug_paths_in_folder(const uint8_t *build_id, size_t n, rv_debug_paths_fn *is_it, void *context)
{
    char hex[HEX_BYTES], path[sizeof DEBUG_FOLDER + HEX_BYTES + sizeof "/.build-id//.debug"];
    if (n < 2 || n > RV_DEBUG_PATHS_MOST_ID)
        return false;
    format_id(build_id, n, hex);
    snprintf(path, sizeof path, DEBUG_FOLDER "/.build-id/%.2s/%s.debug", hex, hex + 2);
    return is_it(context, path);
}

/* folder NULL or "": there is none. */
static bool is_in_cache(const char *folder, const char *below, const char *hex, rv_debug_paths_fn *is_it, void *context)
{
    char path[PATH_MAX];
    return folder && *folder &&
           (size_t)snprintf(path, sizeof path, "%s%s/%s/debuginfo", folder, below, hex) < sizeof path &&
           is_it(context, path);
}

/* In the order of debuginfod_find_debuginfo(3). */
static bool is_fetched(const char *hex, rv_debug_paths_fn *is_it, void *context)
{
    const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME");
    if (own)
        return is_in_cache(own, "", hex, is_it, context);
    return is_in_cache(home, "/.debuginfod_client_cache", hex, is_it, context) ||
           is_in_cache(getenv("XDG_CACHE_HOME"), "/debuginfod_client", hex, is_it, context) ||
           is_in_cache(home, "/.cache/debuginfod_client", hex, is_it, context);
}

/* Debug files lie beside the file itself, not beside a link to it. */
static void follow(const char *file, char path[PATH_MAX])
{
    if (!realpath(file, path))
        (void)snprintf(path, PATH_MAX, "%s", file);
}

static bool is_beside(const char *file, rv_debug_paths_fn *is_it, void *context)
{
    char path[PATH_MAX];
    follow(file, path);
    const size_t n = strlen(path);
    return (size_t)snprintf(path + n, sizeof path - n, ".debug") < sizeof path - n && is_it(context, path);
}

bool rv_debug_paths_by_id(const char *file, const uint8_t *build_id, size_t n, rv_debug_paths_fn *is_it, void *context)
{
    char hex[HEX_BYTES];
    if (n == 0 || n > RV_DEBUG_PATHS_MOST_ID)
        return false;
    format_id(build_id, n, hex);
    return rv_debug_paths_in_folder(build_id, n, is_it, context) || is_fetched(hex, is_it, context) ||
           is_beside(file, is_it, context);
}

bool rv_debug_paths_by_link(const char *file, const char *name, rv_debug_paths_fn *is_it, void *context)
{
    static const char *const BETWEEN[] = {"", ".debug/"};
    char buffer[sizeof DEBUG_FOLDER - 1 + PATH_MAX] = DEBUG_FOLDER, *path = buffer + sizeof DEBUG_FOLDER - 1;
    follow(file, path);
    char *slash = strrchr(path, '/'), *end = slash ? slash + 1 : path;
    const size_t room = (size_t)(buffer + sizeof buffer - end);
    bool is_found = false;
    for (size_t i = 0; i < sizeof BETWEEN / sizeof *BETWEEN && !is_found; i++)
        is_found = (size_t)snprintf(end, room, "%s%s", BETWEEN[i], name) < room && is_it(context, path);
    return is_found || ((size_t)snprintf(end, room, "%s", name) < room && is_it(context, buffer));
}
