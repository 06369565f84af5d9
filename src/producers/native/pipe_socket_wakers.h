/*
 * Who wrote last into each queue of bytes - a pipe, an eventfd, one direction of a connection - and who read from it:
 * of threads that wait for bytes or for room in it, the waker. The table is in the trace file, for all its processes.
 *
 * A thread reports a read or write before it is made. A thread that has waited looks for one that was made meanwhile by
 * another. What it finds is likely: of several writes it is the last, and one of a process that is not traced is not
 * known.
 *
 * Queues share entries, which say whose they are. Which queue a file has is found out once: until the C library is
 * asked to close it, or its stream. A system call that the program makes by itself to close it is not seen.
 */
#ifndef RV_PRODUCERS_NATIVE_PIPE_SOCKET_WAKERS_H
#define RV_PRODUCERS_NATIVE_PIPE_SOCKET_WAKERS_H

#include <stdint.h>
#include <sys/socket.h>

#include "producers/native/visibility.h"
#include "ringviz/wire.h"

enum rv_transfer_way { RV_TRANSFER_READ, RV_TRANSFER_WRITE, RV_TRANSFER_WAYS };

#define RV_TRANSFER_FILES 512u

/* [atomic] 1 + number of a file << 32 | key of its queue, as rv_pipe_socket_wakers_find_key(); less than 1 << 32: none.
 * Files whose numbers have equal lowest bits share one. */
RV_HIDDEN extern uint64_t rv_pipe_socket_wakers_keys[RV_TRANSFER_WAYS][RV_TRANSFER_FILES];

/* The key of the queue that such a call by a file changes; 0: the queue is unknown. Async-signal-safe; keeps errno. */
RV_HIDDEN uint32_t rv_pipe_socket_wakers_find_key(int fd, enum rv_transfer_way way);

static inline uint32_t rv_pipe_socket_wakers_key(int fd, enum rv_transfer_way way)
{
    const uint64_t known =
        __atomic_load_n(&rv_pipe_socket_wakers_keys[way][(unsigned)fd % RV_TRANSFER_FILES], __ATOMIC_RELAXED);
    return __builtin_expect(known >> 32 == (uint64_t)(unsigned)fd + 1, 1) ? (uint32_t)known
                                                                          : rv_pipe_socket_wakers_find_key(fd, way);
}

/* The key of a connection that is requested at this address. */
RV_HIDDEN uint32_t rv_pipe_socket_wakers_key_of_address(const struct sockaddr *address, socklen_t n);

/* The entry of a key that is not 0, in a process that is traced. */
RV_HIDDEN struct rv_wire_transfer *rv_pipe_socket_wakers_entry(uint32_t key);

static inline void rv_pipe_socket_wakers_put(struct rv_wire_transfer *entry, uint32_t key, uint64_t ticks, uint32_t tid)
{
    __atomic_store_n(&entry->when, ticks, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->who, (uint64_t)key << 32 | tid, __ATOMIC_RELAXED);
}

struct rv_transfer {
    uint32_t tid; /* 0: none */
    uint64_t ticks;
};

/* The last since these ticks with a key, by another thread. */
RV_HIDDEN struct rv_transfer rv_pipe_socket_wakers_last(uint32_t key, uint64_t since, uint32_t but_tid);

/* The last transfer since these ticks, by another thread, that ended a wait of this file for it. on: the file's
 * kind, of which that thread's lane tells from now on. Any thread; async-signal-safe; keeps errno. */
RV_HIDDEN struct rv_transfer rv_pipe_socket_wakers_find(int fd, enum rv_transfer_way awaited, enum rv_wait_on on,
                                                        uint64_t since, uint32_t but_tid);

/* A file is closed, or becomes another. As above. */
RV_HIDDEN void rv_pipe_socket_wakers_forget(int fd);
RV_HIDDEN void rv_pipe_socket_wakers_forget_range(unsigned first, unsigned last); /* these numbers, last too */

#endif
