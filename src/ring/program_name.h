/* The names by which users know the calling process and thread. System calls only: for hooks. */
#ifndef RV_RING_PROGRAM_NAME_H
#define RV_RING_PROGRAM_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What is run by these arguments: the script of an interpreter (perl, ruby, python, node, a shell), the title that the
 * program has given itself, else the file that was executed. Without folders.
 *   executed   path of that file
 *   arguments  as in /proc/PID/cmdline, each ended by a NUL; n_bytes 0: unknown
 *   out        NUL-terminated and filled with NULs
 *   source     proc(5); perlrun(1), ruby(1), python3(1), node(1), bash(1) for options that take an argument
 */
void rv_program_name_from(const char *executed, const char *arguments, size_t n_bytes, char *out, size_t out_bytes);

/* The same for the calling process. */
void rv_program_name(char *out, size_t out_bytes);

/* Name of the calling thread: `program` while it has the one that exec gave it, and `program` is not empty.
 * NUL-terminated. source: PR_GET_NAME of prctl(2), AT_EXECFN of getauxval(3) */
void rv_program_name_of_thread(const char *program, char *out, size_t out_bytes);

/*
 * Absolute path of the calling process's program. Where it was started by a link of another name, that of the link:
 * redis-server, not redis-check-rdb.
 *   returns  false: it is not known; out is then ""
 */
bool rv_program_path(char *out, size_t out_bytes);

#endif
