/* What exec will do with a command. All functions use system calls only: also between vfork and exec. */
#ifndef RV_BASE_EXEC_H
#define RV_BASE_EXEC_H

#include <stdbool.h>
#include <stddef.h>

/* The file that execvp() runs, by PATH; a command with a slash is its own path. False when there is none, or it is
 * longer than path_bytes. */
bool rv_exec_find(const char *command, char *path, size_t path_bytes);

/*
 * Would the loader preload nothing into this program, since it gains rights by the exec: set-user-ID, set-group-ID, file
 * capabilities, or real and effective ids that differ already?
 *   source  AT_SECURE: capabilities(7), ld.so(8)
 */
bool rv_exec_is_privileged(const char *path);

/* Is it a statically linked ELF program, which has no loader? Position-independent ones, which are built like the loader
 * itself, are not told. */
bool rv_exec_is_static(const char *path);

#endif
