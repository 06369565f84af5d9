/*
 * The buffers that the kernel fills, for an ordinary user too, with what threads of a command, or of a process, do
 * (perf_event_open(2)): their switches, begins, ends and names, also of every thread and child that they start. All
 * functions: drain thread, but those that open.
 *
 * One buffer for each CPU, read together in order of time. Where the system allows it, another one has the wakes by
 * all threads on that CPU, and by its interrupts (source/sched_waking.h).
 */
#ifndef RV_SOURCE_PERF_BUFFERS_H
#define RV_SOURCE_PERF_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "source/sched_waking.h"

enum { RV_PERF_NAME_BYTES = 16 }; /* of a thread, as the kernel keeps it */

enum rv_perf_record_kind {
    RV_PERF_SWITCH, /* the thread has left the CPU, or got it */
    RV_PERF_BEGIN,
    RV_PERF_END,
    RV_PERF_NAME,
    RV_PERF_LOSS,      /* records of the CPU are missing, of any thread */
    RV_PERF_WAKE,      /* the thread is woken: any thread of the system */
    RV_PERF_WAKES_LOSS /* wakes on the CPU are missing */
};

struct rv_perf_record {
    enum rv_perf_record_kind kind;
    uint32_t state;                       /* SWITCH: RV_THREAD_RUNNING, PREEMPTED or BLOCKED */
    uint32_t buffer;                      /* index of its buffer */
    uint16_t cpu;                         /* the number of its CPU */
    uint32_t pid, tid;                    /* but of a loss; of a WAKE tid alone */
    uint32_t parent_tid;                  /* BEGIN */
    uint32_t waker_pid, waker_tid;        /* WAKE: of the thread that the CPU ran; 0: of none */
    enum rv_sched_waking_context context; /* WAKE */
    uint64_t mono_ns;                     /* of a loss: until then */
    uint64_t from_ns;                     /* LOSS: since then */
    uint64_t n_lost;                      /* LOSS: how many that were not reported before */
    char name[RV_PERF_NAME_BYTES];        /* NAME: perhaps without its end, */
    bool is_exec;                         /* and of another program, that it runs from now on */
};

struct rv_perf_buffers; /* opaque */

/*
 * Of each program that the calling thread, or a child of it, starts from now on by fork and exec.
 *   returns  NULL with *error a negative errno: -EACCES where the system does not allow it (perf_event_paranoid),
 *            -ENOSYS where the kernel lacks it; nothing is printed
 */
struct rv_perf_buffers *rv_perf_buffers_open(int *error);

/*
 * Of a process's first thread from now on, of the others when they are opened.
 *   returns  NULL with *error as above, or -ESRCH
 */
struct rv_perf_buffers *rv_perf_buffers_open_process(pid_t pid, int *error);

/* Of all threads of this process, too, which are opened after those of the first. Before any are read. */
void rv_perf_buffers_add_process(struct rv_perf_buffers *buffers, pid_t pid);

/* Report wakes, too. Returns 0, or a negative errno, as rv_sched_waking_find() and rv_perf_buffers_open(). */
int rv_perf_buffers_add_wakes(struct rv_perf_buffers *buffers);

/* Open some more threads of the processes, for some ms. */
void rv_perf_buffers_open_some(struct rv_perf_buffers *buffers);

/* Take a thread that was blocked when it was opened, as if it had left the CPU then. False: there is none. */
bool rv_perf_buffers_take_blocked(struct rv_perf_buffers *buffers, struct rv_perf_record *record);

/* Are there threads of the processes left to be opened? */
bool rv_perf_buffers_is_opening(const struct rv_perf_buffers *buffers);

/* 0, or why threads of the processes are missing: -EMFILE, since each takes as many descriptors as there are CPUs,
 * or -EACCES, -EPERM: those of one that perf refuses. */
int rv_perf_buffers_error(const struct rv_perf_buffers *buffers);

/* Are some threads of this process missing? */
bool rv_perf_buffers_refuse(const struct rv_perf_buffers *buffers, pid_t pid);

/* NULL-safe. */
void rv_perf_buffers_close(struct rv_perf_buffers *buffers);

size_t rv_perf_buffers_n(const struct rv_perf_buffers *buffers);

/* Begin to read the records up to a time that has been: what happened before later ones may not be in a buffer yet. */
void rv_perf_buffers_begin(struct rv_perf_buffers *buffers, uint64_t until_ns);

/* The next record, by time, losses of full buffers last. False: there is no other, and the kernel has all room
 * again. */
bool rv_perf_buffers_next(struct rv_perf_buffers *buffers, struct rv_perf_record *record);

/* How full the fullest buffer was at the last begin, in percent. */
unsigned rv_perf_buffers_percent_full(const struct rv_perf_buffers *buffers);

/* Time of the last switch of any thread; 0: there was none. */
uint64_t rv_perf_buffers_last_ns(const struct rv_perf_buffers *buffers);

#endif
