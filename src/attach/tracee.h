/*
 * A running process by ptrace(2): its threads stopped and released, its memory, its functions called on one of its threads.
 */
#ifndef RV_ATTACH_TRACEE_H
#define RV_ATTACH_TRACEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct rv_tracee_thread {
    pid_t tid;
    int signal;                        /* that it was about to get; 0: none */
    long system_call;                  /* in which it waited; -1: none */
    struct user_regs_struct registers; /* as it stopped; it goes on with them */
};

struct rv_tracee {
    pid_t pid;
    int memory;                       /* /proc/PID/mem */
    struct rv_tracee_thread *threads; /* those that are stopped */
    size_t n_threads, capacity;
};

/* 0, or a negative errno: -EACCES, -EPERM, -ESRCH. To be closed in any case. */
int rv_tracee_open(struct rv_tracee *tracee, pid_t pid);
void rv_tracee_close(struct rv_tracee *tracee);

/* Stop one thread, or all that there are. 0, or a negative errno: then none of them is stopped. */
int rv_tracee_stop(struct rv_tracee *tracee, pid_t tid);
int rv_tracee_stop_any(struct rv_tracee *tracee, unsigned turn); /* another one at each turn */
int rv_tracee_stop_all(struct rv_tracee *tracee);

/* Let all go on, with their registers as they are here. */
void rv_tracee_release(struct rv_tracee *tracee);

/* One instruction of a stopped thread. 0, or -ESRCH. */
int rv_tracee_step(struct rv_tracee_thread *thread);

/* 0, or -EFAULT. */
int rv_tracee_read(const struct rv_tracee *tracee, uint64_t address, void *out, size_t n_bytes);
int rv_tracee_write(const struct rv_tracee *tracee, uint64_t address, const void *bytes, size_t n_bytes);

struct rv_tracee_call {
    uint64_t function;
    const char *texts[2]; /* its first arguments, as addresses of copies; NULL: arguments[] is passed */
    uint64_t arguments[2];
};

/*
 * Have a stopped thread call a function of the process, and then go on with what it was doing: it is released, and no longer
 * among `threads`. Signals wait meanwhile. A system call in which it waited is begun again.
 *   returns  0; -EFAULT, -ESRCH: nothing has changed
 */
int rv_tracee_call(struct rv_tracee *tracee, size_t idx, const struct rv_tracee_call *call);

#endif
