/*
 * Who read and wrote each file last: of threads that wait for the other end of a pipe or a socket, the waker.
 *
 * A thread reports a read or write before it is made. A thread that has waited looks among those that were made
 * meanwhile for one of the same pipe, of the same eventfd, or of the socket that its own is connected to. What it finds
 * is likely: of several writes it is the last, and one that another process made is not known.
 *
 * Files whose numbers have equal lowest bits share an entry, which says whose it is.
 */
#ifndef RV_PRODUCERS_NATIVE_TRANSFER_H
#define RV_PRODUCERS_NATIVE_TRANSFER_H

#include <stdint.h>

#include "producers/native/linkage.h"
#include "ringviz/wire.h"

#define RV_TRANSFER_ENTRIES 512u

struct rv_transfer_entry {
    uint64_t who;  /* [atomic] tid << 32 | number of the file; 0: nobody */
    uint64_t when; /* [atomic] ticks */
    uint8_t on;    /* [atomic] enum rv_wait_on: others were found to wait for this; RV_WAIT_ON_NOTHING: none was */
} __attribute__((aligned(64)));

struct rv_transfer_table {
    struct rv_transfer_entry entries[RV_TRANSFER_ENTRIES];
};
RV_HIDDEN extern struct rv_transfer_table rv_transfer_reads, rv_transfer_writes;

static inline struct rv_transfer_entry *rv_transfer_entry_of(struct rv_transfer_table *table, int fd)
{
    return &table->entries[(unsigned)fd % RV_TRANSFER_ENTRIES];
}

static inline void rv_transfer_put(struct rv_transfer_entry *entry, int fd, uint64_t ticks, uint32_t tid)
{
    __atomic_store_n(&entry->when, ticks, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->who, (uint64_t)tid << 32 | (uint32_t)fd, __ATOMIC_RELAXED);
}

struct rv_transfer {
    uint32_t tid; /* 0: none */
    uint64_t ticks;
};

/* The last since these ticks, by another thread than this one, at the other end of the file. Any thread; async-signal-safe;
 * keeps errno. */
RV_HIDDEN struct rv_transfer rv_transfer_find(struct rv_transfer_table *table, int fd, enum rv_wait_on on,
                                              uint64_t since, uint32_t but_tid);

/* These are connected sockets; a file is closed. As above. */
RV_HIDDEN void rv_transfer_pair(int a, int b);
RV_HIDDEN void rv_transfer_forget(int fd);

#endif
