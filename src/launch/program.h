/* Properties of a command's file that decide how it can be traced. */
#ifndef RV_LAUNCH_PROGRAM_H
#define RV_LAUNCH_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct rv_program {
    char path[PATH_MAX]; /* as exec finds it */
    bool is_privileged;  /* nothing is preloaded into it */
    bool is_script;
    char interpreter[128]; /* of a script: its base name */
    /* of a file that is not a script */
    bool is_elf, is_executable, has_interpreter, is_our_machine;
    bool is_program;                /* it is marked as a program: not a library that can be run, such as the loader */
    uint64_t frames, n_frame_bytes; /* .eh_frame: its address in the file, 0: none */
    bool needs_hook, has_own_hook;  /* of -finstrument-functions */
    bool needs_profile_hook;        /* of -pg, -mfentry, -Z instrument-mcount */
    bool needs_api;                 /* of libringviz */
    bool has_other_libc;            /* its loader is not that of the GNU C library, and cannot load ours */
    bool is_go;
};

/* 0; -ENOENT when not found; or the error of reading it, with the path set. */
int rv_program_read(const char *command, struct rv_program *program);

/* Is it statically linked, and of a kind that can be traced nevertheless? */
bool rv_program_is_static(const struct rv_program *program);

/* "an OCaml program": it walks its stack by return addresses, and so is not patched; NULL: not known to. Reads it. */
const char *rv_program_stack_walker(const struct rv_program *program);

/* Does it make threads by system calls of its own, and so is not patched? Reads it. */
bool rv_program_makes_threads(const struct rv_program *program);

/* Does it throw exceptions by libunwind, ahead of the compiler's own unwinder, and so is not patched? Reads it. */
bool rv_program_throws_by_libunwind(const struct rv_program *program);

/* Is it perl, or a script that perl runs? */
bool rv_program_is_perl(const struct rv_program *program);

/* Is it ruby, or a script that ruby runs? */
bool rv_program_is_ruby(const struct rv_program *program);

#endif
