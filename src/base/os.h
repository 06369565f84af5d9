/* The few things of the operating system that several layers need. */
#ifndef RV_BASE_OS_H
#define RV_BASE_OS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Wait on a word shared between processes.
 *   returns  0 when woken, -EAGAIN when *word != expected, -ETIMEDOUT, -EINTR
 *   thread   any; async-signal-safe; keeps errno
 */
int rv_os_futex_wait(const uint32_t *word, uint32_t expected, uint64_t timeout_ns);

/* Wake all waiters on a shared word, or one. Async-signal-safe, keeps errno. */
void rv_os_futex_wake(uint32_t *word);
void rv_os_futex_wake_one(uint32_t *word);

/* The calling process as /proc names it, for those who look it up there: in a PID namespace of its own getpid() is
 * another one. getpid() where /proc tells nothing. Async-signal-safe, keeps errno. */
pid_t rv_os_proc_pid(void);

/* Field 22 of /proc/PID/stat: clock ticks since boot. 0 when the process is gone. Async-signal-safe. */
uint64_t rv_os_process_start(pid_t pid);

/* Field 3: R running, S sleeping, D in the kernel, T stopped, Z zombie... NUL when the process is gone.
 * Async-signal-safe. */
char rv_os_process_state(pid_t pid);

/* Start a thread; one that cannot be had ends the program with one line, as memory that cannot be had does. */
void rv_os_start_thread(pthread_t *thread, void *(*run)(void *context), void *context);

/* A condition that is waited for by CLOCK_MONOTONIC. */
void rv_os_init_condition(pthread_cond_t *condition);

/* Wait for it, as pthread_cond_wait() does, until that time at most; false when it has come. */
bool rv_os_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t end_ns);

/* Both are there, and one: by whatever names and links. */
bool rv_os_is_same_file(const char *path, const char *other);

/* The calling thread's kernel id. */
pid_t rv_os_tid(void);

/* CPUs this process may run on, at least 1. */
unsigned rv_os_n_cpus(void);

uint64_t rv_os_ram_bytes(void);

/* What this process has resident, shared memory and files included; 0 where that cannot be told. */
uint64_t rv_os_resident_bytes(void);

/* A file without a name, read and written, where temporary files go (TMPDIR). Its descriptor, or a negative errno with
 * one line printed that says what it was for. */
int rv_os_open_spool(const char *purpose);

/* The calling thread does bulk work: when it wakes up it takes no CPU from a thread that runs. An ordinary thread's
 * choice; one with another policy keeps that. */
void rv_os_schedule_bulk(void);

/* Sleep, whole duration, across EINTR. */
void rv_os_sleep_ns(uint64_t duration_ns);

#endif
