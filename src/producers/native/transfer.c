/* By the kernel's own calls: the wrappers of the C library's are what asks. */
#include "producers/native/transfer.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/os_call.h"

#define MOST_PAIRS 256u /* a newer one takes the place of the oldest */

struct rv_transfer_table rv_transfer_reads, rv_transfer_writes;

static struct pair {
    uint64_t a, b; /* [atomic] inode numbers */
} pairs[MOST_PAIRS];
static uint32_t n_pairs; /* [atomic] ever */

static uint64_t inode_of(int fd)
{
    struct stat status;
    return rv_os_call(SYS_fstat, fd, RV_OS_POINTER(&status), 0, 0, 0, 0) == 0 ? (uint64_t)status.st_ino : 0;
}

static bool are_paired(int a, int b)
{
    const uint64_t x = inode_of(a), y = inode_of(b);
    for (unsigned i = 0; i < MOST_PAIRS && x && y; i++) {
        const uint64_t one = __atomic_load_n(&pairs[i].a, __ATOMIC_RELAXED),
                       other = __atomic_load_n(&pairs[i].b, __ATOMIC_RELAXED);
        if ((one == x && other == y) || (one == y && other == x))
            return true;
    }
    return false;
}

struct name {
    struct sockaddr_storage address;
    socklen_t n;
};

/* call: getsockname or getpeername. */
static struct name name_of(int fd, long call)
{
    struct name name = {.n = sizeof name.address};
    if (rv_os_call(call, fd, RV_OS_POINTER(&name.address), RV_OS_POINTER(&name.n), 0, 0, 0) != 0)
        name.n = 0;
    return name;
}

static bool is_named(const struct name *name)
{
    return name->n > sizeof(sa_family_t);
}

static bool is_same(const struct name *a, const struct name *b)
{
    return a->n == b->n && memcmp(&a->address, &b->address, a->n) == 0;
}

/* A server's socket may have any address of its host. */
static bool is_same_port(const struct name *a, const struct name *b)
{
    const struct sockaddr_in *x = (const void *)&a->address, *y = (const void *)&b->address;
    return x->sin_family == y->sin_family && (x->sin_family == AF_INET || x->sin_family == AF_INET6) &&
           x->sin_port == y->sin_port;
}

/* A Unix socket that connects has no name: of several that are connected to the same, each will do. */
static bool are_connected(int fd, int other)
{
    const struct name own = name_of(fd, SYS_getsockname), own_peer = name_of(fd, SYS_getpeername),
                      its = name_of(other, SYS_getsockname), its_peer = name_of(other, SYS_getpeername);
    if (!own_peer.n) /* it listens */
        return is_named(&own) && (is_same(&own, &its_peer) || is_same_port(&own, &its_peer));
    if (!is_named(&own) && !is_named(&own_peer))
        return are_paired(fd, other);
    return is_same(&own, &its_peer) && is_same(&own_peer, &its);
}

static bool is_other_end(int fd, enum rv_wait_on on, int other)
{
    switch (on) {
    case RV_WAIT_ON_PIPE:
        return inode_of(fd) == inode_of(other);
    case RV_WAIT_ON_EVENTFD:
        return fd == other;
    case RV_WAIT_ON_UNIX_SOCKET:
    case RV_WAIT_ON_INTERNET_SOCKET:
        return fd != other && are_connected(fd, other);
    case RV_WAIT_ON_NOTHING:
    case RV_WAIT_ON_FILE:
    case RV_WAIT_ON_SOCKET:
    case RV_WAIT_ON_TERMINAL:
    case RV_WAIT_ON_DEVICE:
    case RV_WAIT_ON_TIMERFD:
    case RV_WAIT_ON_OTHER:
    case RV_WAIT_ON_COUNT:
        break;
    }
    return false;
}

static bool has_other_end(enum rv_wait_on on)
{
    return on == RV_WAIT_ON_PIPE || on == RV_WAIT_ON_EVENTFD || on == RV_WAIT_ON_UNIX_SOCKET ||
           on == RV_WAIT_ON_INTERNET_SOCKET;
}

struct rv_transfer rv_transfer_find(struct rv_transfer_table *table, int fd, enum rv_wait_on on, uint64_t since,
                                    uint32_t but_tid)
{
    struct rv_transfer found = {0};
    for (unsigned i = 0; i < RV_TRANSFER_ENTRIES && has_other_end(on); i++) {
        struct rv_transfer_entry *entry = &table->entries[i];
        const uint64_t when = __atomic_load_n(&entry->when, __ATOMIC_RELAXED);
        const uint64_t who = __atomic_load_n(&entry->who, __ATOMIC_RELAXED);
        const uint32_t tid = (uint32_t)(who >> 32);
        if (when <= since || when <= found.ticks || !tid || tid == but_tid || !is_other_end(fd, on, (int)(uint32_t)who))
            continue;
        found = (struct rv_transfer){tid, when};
        __atomic_store_n(&entry->on, (uint8_t)on, __ATOMIC_RELAXED);
    }
    return found;
}

void rv_transfer_pair(int a, int b)
{
    struct pair *pair = &pairs[__atomic_fetch_add(&n_pairs, 1, __ATOMIC_RELAXED) % MOST_PAIRS];
    __atomic_store_n(&pair->a, inode_of(a), __ATOMIC_RELAXED);
    __atomic_store_n(&pair->b, inode_of(b), __ATOMIC_RELAXED);
}

static void forget(struct rv_transfer_entry *entry)
{
    if (__atomic_load_n(&entry->on, __ATOMIC_RELAXED))
        __atomic_store_n(&entry->on, RV_WAIT_ON_NOTHING, __ATOMIC_RELAXED);
}

void rv_transfer_forget(int fd)
{
    forget(rv_transfer_entry_of(&rv_transfer_reads, fd));
    forget(rv_transfer_entry_of(&rv_transfer_writes, fd));
}
