/*
 * A running process by ptrace(2): its threads stopped and released, its memory, its functions called on one of its
 * threads.
 */
#ifndef RV_ATTACH_PTRACE_H
#define RV_ATTACH_PTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

/*
 * In a frame of rv_ptrace_call(), which otherwise looks like a signal handler's: its uc_link, which the kernel does not
 * read.
 */
#define RV_TRACEE_CALLED 0x76697a63616c6c65ull

struct rv_ptrace_thread {
    pid_t tid;
    bool has_stopped;                  /* else it was asked to stop, and has not yet */
    int signal;                        /* the signal that it was about to get; 0: none */
    long system_call;                  /* the system call in which it waited; -1: none */
    struct user_regs_struct registers; /* as it stopped; it continues with them */
};

struct rv_ptrace {
    pid_t pid;
    int memory;                       /* /proc/PID/mem */
    uint64_t restorer;                /* where its signal handlers return to; 0: not found */
    struct rv_ptrace_thread *threads; /* those that are stopped, or are to stop */
    size_t n_threads, capacity;
    uint64_t stopped_since_ns;      /* since when the first of them is stopped; 0: none is */
    uint64_t stopped_ns;            /* how long they were stopped, when they have been released */
    struct rv_ptrace_thread called; /* the thread of the last call, as it was before, */
    uint64_t called_mask;           /* with the signals that it blocked, */
    uint64_t called_function;       /* and where the call begins */
};

/*
 * Do work on a thread of its own, where one can be made, and return its result. The kernel keeps a thread that ended
 * while it was stopped for the one that stopped it; where that ends it gives all of them back. Until then their process
 * cannot be waited for.
 */
int rv_ptrace_on_own_thread(int (*work)(void *context), void *context);

/* 0, or a negative errno: -EACCES, -EPERM, -ESRCH. To be closed in any case. */
int rv_ptrace_open(struct rv_ptrace *tracee, pid_t pid);
void rv_ptrace_close(struct rv_ptrace *tracee);

/*
 * Stop one thread, another one at each turn, or all that there are.
 *   returns  0, or a negative errno: then none of them is stopped. -ESRCH: it has ended; -EAGAIN: it does not come to a
 *            stop soon; -ECANCELED: it is stopped already, by a signal such as Ctrl-Z's
 */
int rv_ptrace_stop_any(struct rv_ptrace *tracee, unsigned turn);
int rv_ptrace_stop_all(struct rv_ptrace *tracee);

/* Let all go on, with their registers as they are here. Waits for one that has not come to its stop: none can be
 * released before. */
void rv_ptrace_release(struct rv_ptrace *tracee);

/* One instruction of a stopped thread; its signals wait. 0; -ESRCH; -EAGAIN: it cannot be done now, release all. */
int rv_ptrace_step(struct rv_ptrace_thread *thread);

/* 0, or -EFAULT. */
int rv_ptrace_read(const struct rv_ptrace *tracee, uint64_t address, void *out, size_t n_bytes);
int rv_ptrace_write(const struct rv_ptrace *tracee, uint64_t address, const void *bytes, size_t n_bytes);

/* May a stopped thread make a call? Not with matrices in its registers (AMX tiles), which would not come back. */
bool rv_ptrace_can_call(const struct rv_ptrace_thread *thread);

struct rv_ptrace_call {
    uint64_t function;
    const char *texts[2]; /* its first arguments, as addresses of copies; NULL: arguments[] is passed */
    uint64_t arguments[2];
};

/*
 * Have a stopped thread call a function of the process, and then go on with what it was doing: it is released, and no
 * longer among `threads`. Signals wait meanwhile. A system call in which it waited is begun again, a restartable
 * sequence (rseq(2)) aborted.
 *   returns  0; -EFAULT, -ESRCH: nothing has changed
 */
int rv_ptrace_call(struct rv_ptrace *tracee, size_t idx, const struct rv_ptrace_call *call);

/* Has a signal stopped the process, and with it the thread of the last call? */
bool rv_ptrace_is_called_stopped(const struct rv_ptrace *tracee);

/*
 * Undo the last call if it has not begun: its thread is then stopped, as it was before. One that has begun continues,
 * even where a signal has stopped the process: its thread then runs until it is released.
 *   returns  -EAGAIN: that is done; -ECANCELED: that is done, and a signal has stopped the process; -EALREADY: it has
 *            begun, or may have; -ESRCH
 */
int rv_ptrace_take_back(struct rv_ptrace *tracee);

#endif
