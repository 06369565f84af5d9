/* Operating system calls that several rooms need. */
#ifndef RV_BASE_OS_H
#define RV_BASE_OS_H

#include <pthread.h>
#include <signal.h>
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

/* The calling process's pid as /proc shows it, which differs from getpid() inside a PID namespace. getpid() when /proc
 * is not readable. Async-signal-safe, keeps errno. */
pid_t rv_os_proc_pid(void);

/* Open /proc/PID/NAME for reading. Returns a descriptor, or a negative errno. Async-signal-safe, keeps errno. */
int rv_os_open_proc(pid_t pid, const char *name);

/* Read the begin of /proc/PID/NAME, NUL-terminated. Returns its bytes, 0 if there are none. Async-signal-safe, keeps
 * errno. */
size_t rv_os_read_proc(pid_t pid, const char *name, char *out, size_t out_bytes);

/* Field 22 of /proc/PID/stat: clock ticks since boot. 0 when the process is gone. Async-signal-safe. */
uint64_t rv_os_process_start(pid_t pid);

/* Field 3: R running, S sleeping, D in the kernel, T stopped, Z zombie... NUL when the process is gone.
 * Async-signal-safe. */
char rv_os_process_state(pid_t pid);

/* Does this thread, of any process, wait for something? *cpu: field 39, the number of the CPU that it ran on last. */
bool rv_os_thread_is_blocked(pid_t tid, uint16_t *cpu);

/* Does it run no more of its program, or is it gone? Async-signal-safe. */
bool rv_os_process_has_ended(pid_t pid);

/* Its effective user; (uid_t)-1 when the process is gone. */
uid_t rv_os_process_user(pid_t pid);

/*
 * Block all signals in this thread, and in those that it starts, but those that an instruction causes: the kernel ends
 * a process where these are blocked. *before, which may be NULL, is for pthread_sigmask() afterwards.
 */
void rv_os_block_signals(sigset_t *before);

/* Start a thread. On failure print one line and end the program, as for memory. */
void rv_os_start_thread(pthread_t *thread, void *(*run)(void *context), void *context);

/* Initialize a condition variable that uses CLOCK_MONOTONIC. */
void rv_os_init_condition(pthread_cond_t *condition);

/* Initialize a lock that readers share. A writer waits only for those that have it: no thread may have it twice. */
void rv_os_init_shared_lock(pthread_rwlock_t *lock);

/* pthread_cond_wait() with a deadline by CLOCK_MONOTONIC; false when it has passed. */
bool rv_os_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t end_ns);

/* True when both paths exist and name the same file, through links too. */
bool rv_os_is_same_file(const char *path, const char *other);

/* Make the folders that lie above a path, for this user alone. Returns 0 or a negative errno. */
int rv_os_make_folders(const char *path);

/* The calling thread's kernel id. */
pid_t rv_os_tid(void);

/* CPUs this process may run on, at least 1. */
unsigned rv_os_n_cpus(void);

/* Memory of the machine. */
uint64_t rv_os_ram_bytes(void);

/* Resident memory of this process, with shared memory and mapped files; 0 when unknown. */
uint64_t rv_os_resident_bytes(void);
uint64_t rv_os_resident_peak_bytes(void); /* its highest so far */

/* Create an unnamed temporary file in the folder for large ones (TMPDIR, else /tmp, or /var/tmp where /tmp is in
 * memory), read-write. Returns its descriptor, or a negative errno with one line
 * printed that names the purpose. */
int rv_os_open_spool(const char *purpose);

/* Bytes free in that folder; 0: it is in memory. */
uint64_t rv_os_spool_room(void);

/* Mark the calling thread as bulk work (SCHED_BATCH): waking up, it preempts no running thread. Only changes an
 * ordinary thread's policy. */
void rv_os_schedule_bulk(void);

/* Sleep for the whole duration, also across signals. */
void rv_os_sleep_ns(uint64_t duration_ns);

#endif
