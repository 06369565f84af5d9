/*
 * Reads another process from outside while it runs: its memory, mappings and children. Data may change while it is
 * read: the caller validates it.
 */
#ifndef RV_IMPORT_PROCESS_MEMORY_H
#define RV_IMPORT_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rv_process_memory_piece {
    uint64_t address; /* in the process */
    void *out;        /* in our memory */
    size_t bytes;
};

/* Read all pieces completely. 0, or a negative errno: -EPERM not permitted, -ESRCH gone, -EFAULT no such memory. */
int rv_process_memory_read(pid_t pid, const struct rv_process_memory_piece *pieces, size_t n);

/* One piece; false where it could not be read. */
bool rv_process_memory_get(pid_t pid, uint64_t address, void *out, size_t bytes);

/* A string of at most out_bytes - 1 bytes, terminated; truncated if longer. False if nothing could be read. */
bool rv_process_memory_get_string(pid_t pid, uint64_t address, char *out, size_t out_bytes);

/*
 * Address of a mapped file whose base name has this prefix; NULL = the program itself.
 *   path     path in /proc that opens it even if its name is gone
 *   returns  its address, or 0
 */
uint64_t rv_process_memory_module(pid_t pid, const char *prefix, char *path, size_t path_bytes);

/* Write up to max ids of its children. Returns their number. */
size_t rv_process_memory_children(pid_t pid, pid_t *pids, size_t max);

/* Identity of the program that it runs, which changes with every exec. All 0 once it is gone. */
struct rv_process_memory_program {
    uint64_t device, inode, stack_start;
};
void rv_process_memory_program(pid_t pid, struct rv_process_memory_program *program);
bool rv_process_memory_is_same_program(const struct rv_process_memory_program *one,
                                       const struct rv_process_memory_program *other);

/* Where its first thread waits, is that on the program's own stack, not on one of a thread? -EAGAIN while it runs. */
int rv_process_memory_is_on_first_stack(pid_t pid, const struct rv_process_memory_program *program);

/* The kernel's name of a thread, or "". */
void rv_process_memory_thread_name(pid_t pid, pid_t tid, char *name, size_t name_bytes);

#endif
