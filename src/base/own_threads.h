/*
 * Programs that make threads by an instruction of their own for the system call clone(2): these have no thread-local
 * data of ours, so a hook must not run in them. Known where the instruction's number and flags are constants close by.
 */
#ifndef RV_BASE_OWN_THREADS_H
#define RV_BASE_OWN_THREADS_H

#include <stdbool.h>
#include <stddef.h>

/* Do these bytes of x86-64 code make such a system call? Reads all of them. */
bool rv_own_threads_are_made(const void *bytes, size_t n);

#endif
