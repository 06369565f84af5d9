/* The system call that a thread is blocked in, as the kernel tells those who may trace the thread. */
#ifndef RV_SOURCE_BLOCKING_SYSCALL_H
#define RV_SOURCE_BLOCKING_SYSCALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ringviz/wire.h"

struct rv_blocking_syscall {
    enum rv_wait_kind kind;
    uint64_t object; /* FUTEX: the word's address; else an enum rv_wait_on */
};

/* False: it runs, waits for something else such as a page, or is not the caller's to trace. Prints nothing. */
bool rv_blocking_syscall_find(pid_t tid, struct rv_blocking_syscall *found);

#endif
