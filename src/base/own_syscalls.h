/*
 * System calls of our own in a traced process: what tracing asks of the kernel is none of the program's calls, and
 * --syscalls does not show it. Calls by rv_os_call() are made by an instruction that is not patched; others lie between
 * rv_os_begin_own() and rv_os_end_own(), in which no signal handler of the program should run: its calls are taken
 * for ours, are not shown, and are not counted as lost either.
 */
#ifndef RV_BASE_OWN_SYSCALLS_H
#define RV_BASE_OWN_SYSCALLS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Arguments that the call does not have are 0; a pointer is given by RV_OS_POINTER(). Returns what the kernel does: a
 * negative errno where it fails. Any thread; async-signal-safe; keeps errno. */
static inline long rv_os_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__) && defined(__LP64__)
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory", "cc");
    return number;
#else
    const int saved = errno;
    const long result = syscall(number, a, b, c, d, e, f);
    const int error = errno;
    errno = saved;
    return result == -1 ? -error : result;
#endif
}

#define RV_OS_POINTER(pointer) ((long)(intptr_t)(pointer))

/* The calling process and thread. */
static inline pid_t rv_os_own_pid(void)
{
    return (pid_t)rv_os_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline pid_t rv_os_own_tid(void)
{
    return (pid_t)rv_os_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/* Copy n bytes of this process from an address that may be bad. 0; -EFAULT; another errno: it is not known. */
static inline int rv_os_read_own(void *to, const void *from, size_t n)
{
    const struct iovec here = {.iov_base = to, .iov_len = n},
                       there = {.iov_base = (void *)(uintptr_t)from, .iov_len = n};
    const long n_read =
        rv_os_call(SYS_process_vm_readv, rv_os_own_pid(), RV_OS_POINTER(&here), 1, RV_OS_POINTER(&there), 1, 0);
    return n_read < 0 ? (int)n_read : n_read == (long)n ? 0 : -EFAULT;
}

/* Can the aligned 8 bytes that this one is of be read? The kernel reads a set of signals before it sees that it is
 * asked for nothing to do with it; sandboxes that end a process for process_vm_readv(2) allow that. */
static inline bool rv_os_is_readable(const void *at)
{
    return rv_os_call(SYS_rt_sigprocmask, -1, (long)((uintptr_t)at & ~(uintptr_t)7), 0, 8, 0, 0) != -EFAULT;
}

/* How many such sections the thread is in. */
extern _Thread_local unsigned rv_os_n_own __attribute__((tls_model("initial-exec")));

static inline void rv_os_begin_own(void)
{
    rv_os_n_own++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void rv_os_end_own(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    rv_os_n_own--;
}

#endif
