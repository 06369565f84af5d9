/*
 * Counts the processes that may not open the trace file: root traces a program that changes to another user, which then
 * starts programs that should be traced. The count is the length of a file beside the trace file, to which anybody may
 * append a byte.
 */
#ifndef RV_RING_REFUSED_PROCESSES_H
#define RV_RING_REFUSED_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#define RV_REFUSED_PROCESSES_SUFFIX ".refused"

/* The viewer: create the file. Returns a descriptor; -1 when it cannot be created or is not needed (not run by
 * root). */
int rv_refused_processes_open(const char *trace_path);

/* The viewer: remove the file; later refusals are not counted. fd -1: no file. */
void rv_refused_processes_unlink(int fd, const char *trace_path);

/* The viewer: the count so far, also after the file was removed; 0 for fd -1. */
uint64_t rv_refused_processes_count(int fd);

/* A producer: count this process. Does nothing when there is no file. */
void rv_refused_processes_add(const char *trace_path);

#endif
