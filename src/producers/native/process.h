/*
 * This process in the trace file: opened once, entered anew after fork, left at exit. All functions are called within
 * a signal guard (signal_guard.h) unless said otherwise.
 */
#ifndef RV_PRODUCERS_NATIVE_PROCESS_H
#define RV_PRODUCERS_NATIVE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/native/fork_mark.h"
#include "producers/native/visibility.h"
#include "ring/map.h"

/*
 * What the hooks look at first:
 *   0                it is to be found out, by the slow path: nothing has been traced yet, or the process is a forked
 *                    child that has not been dealt with, whose thread still has its parent's ring
 *   RV_GATE_CLOSED   nobody listens, and no thread has a ring to give back: a hook returns at once
 *   negative         all calls are written. On x86-64 it is where rv_thread is from the thread pointer: of one load a
 *                    hook has both
 *   else             the table of verdicts (rejected_functions.h), or RV_GATE_ALL_KEPT in place of its address; and
 *                    RV_GATE_IS_LIMITED: calls that rv_process_limit others are open around, or more, are not written
 * Once limited, a process stays so: open frames tell what was written of them.
 */
#define RV_GATE_IS_LIMITED 1
#define RV_GATE_ALL_KEPT 2
#define RV_GATE_CLOSED 4
RV_HIDDEN extern uint32_t rv_process_limit; /* of depth; 0: none */

static inline intptr_t rv_process_gate(void)
{
    return __atomic_load_n(&rv_wiped.gate, __ATOMIC_RELAXED);
}

static inline bool rv_gate_is_limited(intptr_t gate)
{
    return gate > 0 && gate & RV_GATE_IS_LIMITED;
}

/* As above; nothing, where the process is closed. Lock held, or nothing else runs. */
void rv_process_set_gate(intptr_t gate);
void rv_process_open_gate(void); /* all calls are written */

/* An event met a closed process: close the gate once that may be done. Not between the fork handlers. */
void rv_process_close_gate(void);

/* Tracing is impossible or over here: events are dropped as cheaply as can be. No guard needed. */
bool rv_process_is_closed(void);

bool rv_process_is_open(void); /* No guard needed. */

/* RINGVIZ_FILE; NULL: there is none, or another process alone is to be traced (RINGVIZ_ONLY). */
const char *rv_process_path(void);

/*
 * Attach.
 *   path     NULL: rv_process_path(), tried once
 *   returns  0 (also when it was open), -ENOENT, or why the file is not ours
 */
int rv_process_open(const char *path);

/* Its events come from there, too. No guard needed. */
void rv_process_use_instrument(enum rv_instrument instrument);
void rv_process_drop_instrument(enum rv_instrument instrument); /* no more */

/* The language that writes events, and what of it. No guard needed; once, before others do. */
void rv_process_set_runtime(const char *text);

/* Of the functions to be patched so many are. No guard needed. */
void rv_process_set_patches(const struct rv_wire_instrumentation *patches);

/* The calling thread has patched for so long, by its CPU time. No guard needed; one thread at a time. */
void rv_process_count_patching(uint64_t ns);

/* While all other threads stand still: is one of them changing what the process lock covers? */
bool rv_process_is_locked(void);

/* While all other threads stand still: close the file, for another to be opened later. has_push_left: a push is under
 * way in one of them. 0; a negative errno: it stays mapped. */
int rv_process_leave_file(bool has_push_left);

/* An event came although the process is closed. Counts it where fork left it without the file. No guard needed. */
void rv_process_miss_event(void);

/* No more events from this process. */
void rv_process_close(void);

/* The same, counted, and at once: the calling thread, without a ring, makes no system call of ours and reads no clock
 * any more. Within a guard. */
void rv_process_abandon(void);

/* The process is about to exit; events may still come. */
void rv_process_end(void);

/* Only after rv_process_open() has succeeded; stays mapped for ever. No guard needed. */
struct rv_map *rv_process_map(void);
uint32_t rv_process_idx(void);

/* The program has set itself a filter of system calls, which may allow no more than what it does itself: what is to be
 * known of names, files and waits is not asked for any more. Any thread; async-signal-safe. */
void rv_process_confine(void);
bool rv_process_is_confined(void);

/*
 * One lock for opening, module lists, patched objects and fork. A thread that has it may wait for the loader, say in
 * another library's fork handler: what may run within the loader, as any function may, waits no longer than `within`
 * does, and makes up for it later where that returns false.
 */
void rv_process_lock(void);
bool rv_process_lock_within(void);
bool rv_process_try_lock(void);
void rv_process_unlock(void);

/* In the child of fork: an entry of its own, or closed. Releases the lock, which is held unless no fork handler has
 * run: where another thread had it then, the process is closed. left_ring: where a push continues (rv_map_leave_ring),
 * or -ENOENT. */
void rv_process_restart(int left_ring, bool has_lock);

#endif
