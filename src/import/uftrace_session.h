/*
 * Metadata of a uftrace data folder: tasks, their sessions (program images), mappings and symbols. All of it is
 * untrusted input.
 */
#ifndef RV_IMPORT_UFTRACE_SESSION_H
#define RV_IMPORT_UFTRACE_SESSION_H

#include "import/import.h"

struct rv_uftrace_task {
    uint32_t tid, pid;
};

struct rv_uftrace; /* opaque */

/* Reads task.txt and all maps. NULL with one line printed. */
struct rv_uftrace *rv_uftrace_open(const char *folder);
void rv_uftrace_close(struct rv_uftrace *uftrace);

/* The tasks of the folder, idx from 0; their names are valid until close. */
size_t rv_uftrace_n_tasks(const struct rv_uftrace *uftrace);
struct rv_uftrace_task rv_uftrace_task(const struct rv_uftrace *uftrace, size_t idx);

/* Parent of a process, 0 if unknown; its program's path, "" if unknown. */
uint32_t rv_uftrace_parent(const struct rv_uftrace *uftrace, uint32_t pid);
const char *rv_uftrace_program(const struct rv_uftrace *uftrace, uint32_t pid);

/* The id in the event builder of the subroutine at an address of a process at a time. */
uint32_t rv_uftrace_subroutine(struct rv_uftrace *uftrace, struct rv_event_builder *builder, uint32_t pid, int64_t ns,
                               uint64_t address);

#endif
