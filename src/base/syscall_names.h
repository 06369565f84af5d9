/* System calls by number and by name, as <sys/syscall.h> has them on x86-64; elsewhere none is known. */
#ifndef RV_BASE_SYSCALL_NAMES_H
#define RV_BASE_SYSCALL_NAMES_H

#include <stddef.h>

#define RV_SYSCALLS 512u             /* numbers lie below */
#define RV_SYSCALL_FRONT "SYS_"      /* of their names among prototypes */
#define RV_SYSCALL_PACKAGE "syscall" /* of their names among subroutines */

/* "read"; NULL: no call has this number. */
const char *rv_syscall_name(unsigned number);

/* Its number, or -1. */
int rv_syscall_find(const char *name);

#endif
