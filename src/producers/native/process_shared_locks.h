/*
 * Locks, conditions, semaphores and barriers in memory that processes share. By the file that is mapped there, and the
 * place in it, each has the same name in all processes, and a key by which the table of transfers
 * (pipe_socket_wakers.h) tells who released it last.
 *
 * A process learns an object when it waits for it, or ends another's wait, and forgets it when the C library unmaps the
 * memory. A system call that the program makes by itself to unmap it, or to map something else there, is not seen.
 */
#ifndef RV_PRODUCERS_NATIVE_PROCESS_SHARED_LOCKS_H
#define RV_PRODUCERS_NATIVE_PROCESS_SHARED_LOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "producers/native/visibility.h"

/* Any thread; async-signal-safe; keep errno. */
RV_HIDDEN void rv_process_shared_locks_learn(const void *object);

RV_HIDDEN extern bool rv_process_shared_locks_are_learned; /* [atomic] any */
RV_HIDDEN uint32_t rv_process_shared_locks_look_up_name(const void *object);
RV_HIDDEN uint32_t rv_process_shared_locks_look_up_key(const void *object);

/* Name id of a learned object; 0: it is not, or its memory is not of a file. Inline: few programs have any. */
static inline uint32_t rv_process_shared_locks_name(const void *object)
{
    const bool are_learned = __atomic_load_n(&rv_process_shared_locks_are_learned, __ATOMIC_RELAXED);
    return __builtin_expect(are_learned, 0) ? rv_process_shared_locks_look_up_name(object) : 0;
}

static inline uint32_t rv_process_shared_locks_key(const void *object) /* likewise */
{
    const bool are_learned = __atomic_load_n(&rv_process_shared_locks_are_learned, __ATOMIC_RELAXED);
    return __builtin_expect(are_learned, 0) ? rv_process_shared_locks_look_up_key(object) : 0;
}

RV_HIDDEN void rv_process_shared_locks_forget(const void *memory, size_t n_bytes);

#endif
