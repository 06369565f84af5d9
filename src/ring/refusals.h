/*
 * Processes that may not open the trace file, counted where they can write: a program that root traces becomes another
 * user, and starts a program that would have been traced. The count is the length of a file beside the trace file, to
 * which anybody may append a byte.
 */
#ifndef RV_RING_REFUSALS_H
#define RV_RING_REFUSALS_H

#include <stddef.h>
#include <stdint.h>

#define RV_REFUSALS_SUFFIX ".refused"

/* The viewer: make the file. A descriptor, or -1 where there is no need for one (only root's programs become others) or
 * it cannot be made. */
int rv_refusals_open(const char *trace_path);

/* The viewer: remove the file; who counts later is not counted. -1: there is none. */
void rv_refusals_unlink(int fd, const char *trace_path);

/* The viewer: how many there were until now, also of a file that is removed. Of -1 none. */
uint64_t rv_refusals_count(int fd);

/* A producer: this process is one. Nothing happens where nobody counts. */
void rv_refusals_add(const char *trace_path);

#endif
