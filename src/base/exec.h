/* What exec will do with a command. All functions use system calls only: also between vfork and exec. */
#ifndef RV_BASE_EXEC_H
#define RV_BASE_EXEC_H

#include <stdbool.h>
#include <stddef.h>

/* The file that execvp() runs, by PATH; a command with a slash is its own path. False when there is none, or it is
 * longer than path_bytes. */
bool rv_exec_find(const char *command, char *path, size_t path_bytes);

/*
 * Would the loader preload nothing into this program, since it gains rights by the exec: set-user-ID, set-group-ID,
 * file capabilities, or real and effective ids that differ already?
 *   source  AT_SECURE: capabilities(7), ld.so(8)
 */
bool rv_exec_is_privileged(const char *path);

/* What loads an ELF program, which decides whether our library can be preloaded into it. */
enum rv_exec_loader {
    RV_EXEC_GNU_LOADER,    /* or it is no ELF program */
    RV_EXEC_OTHER_LOADER,  /* another C library's */
    RV_EXEC_NO_LOADER,     /* it is statically linked */
    RV_EXEC_OTHER_MACHINE, /* than this one */
};

enum rv_exec_loader rv_exec_loader(const char *path);

/* By an ELF header: is it for this machine? */
bool rv_exec_is_our_machine(unsigned elf_class, unsigned machine);

/* By its path: is it that of GNU's C library? */
bool rv_exec_is_gnu_loader(const char *loader);

#endif
