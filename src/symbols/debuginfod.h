/*
 * Debug files from the servers that DEBUGINFOD_URLS names, by debuginfod's own client, which checks, limits and caches
 * them (debuginfod_find_debuginfo(3)). Nothing is fetched until rv_debuginfod_enable().
 */
#ifndef RV_SYMBOLS_DEBUGINFOD_H
#define RV_SYMBOLS_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

/* So much, from 0 to 1, of the debug file of a file is there; below 0: it is no longer fetched. On one
 * thread at a time. */
typedef void rv_debuginfod_progress_fn(const char *file, double done);

/* 0, or a negative errno after one line: no server is named, or the client is not installed. Before other threads. */
int rv_debuginfod_enable(rv_debuginfod_progress_fn *progress);

/*
 * The path of the debug file with a build id; NULL: there is none, or it cannot be had. The first server that does not
 * answer costs a warning, and ends fetching.
 *   file     that it belongs to, for messages
 *   returns  to be freed
 *   thread   any; blocks until the file is in the cache, or fetching is cancelled
 */
char *rv_debuginfod_fetch(const char *file, const uint8_t *build_id, size_t n);

/* What was fetched for a file is not of it, as where a network asks for a login first: the first time costs a
 * warning, and ends fetching. Any thread. */
void rv_debuginfod_reject(const char *file, const char *path);

/* Wait for nothing that is being fetched, and fetch no more. Any thread. */
void rv_debuginfod_cancel(void);

#endif
