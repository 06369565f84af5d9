#include "producers/native/pipe_socket_wakers.h"

#include <stdbool.h>
#include <string.h>

#include "base/hash.h"
#include "base/own_syscalls.h"
#include "producers/native/file_kind.h"
#include "producers/native/file_queue.h"
#include "producers/native/process.h"
#include "producers/native/thread.h"

uint64_t rv_pipe_socket_wakers_keys[RV_TRANSFER_WAYS][RV_TRANSFER_FILES];
static uint32_t n_forgotten; /* [atomic] a forgotten key leaves it, so that no place is as it was before */

/* Keys of bytes and of room in one queue differ in this bit: their entries lie apart, in lines of their own. */
#define ROOM_BIT 64u

static uint32_t key_of(uint64_t queue, bool is_room)
{
    const uint32_t bytes = (uint32_t)rv_hash_u64(queue) & ~ROOM_BIT;
    return queue ? (bytes ? bytes : 1) | (is_room ? ROOM_BIT : 0) : 0;
}

/* A write gives bytes to whom the file sends, a read gives room to those it receives from. */
static uint64_t find_queue(int fd, enum rv_wait_on on, enum rv_transfer_way way)
{
    return way == RV_TRANSFER_READ ? rv_file_queue_in(fd, on) : rv_file_queue_out(fd, on);
}

static uint64_t *place_of(int fd, enum rv_transfer_way way)
{
    return &rv_pipe_socket_wakers_keys[way][(unsigned)fd % RV_TRANSFER_FILES];
}

/* A child of vfork has its parent's memory and ring, but files of its own. */
static bool has_own_files(void)
{
    const struct rv_pusher_state *state = rv_thread.pusher.state;
    const struct rv_wire_control *control = state ? state->ring.control : NULL;
    return control && control->owner_pid == (uint32_t)rv_os_own_pid();
}

static void keep(int fd, enum rv_transfer_way way, uint64_t before, uint32_t key)
{
    (void)__atomic_compare_exchange_n(place_of(fd, way), &before, ((uint64_t)(unsigned)fd + 1) << 32 | key, false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Kept unless the number was given to another file meanwhile. What is written to an eventfd is read from it: the queue, which
 * takes long to find, is that of both ways. */
uint32_t rv_pipe_socket_wakers_find_key(int fd, enum rv_transfer_way way)
{
    uint64_t before[RV_TRANSFER_WAYS];
    if (fd < 0)
        return 0;
    for (int each = 0; each < RV_TRANSFER_WAYS; each++)
        before[each] = __atomic_load_n(place_of(fd, (enum rv_transfer_way)each), __ATOMIC_RELAXED);
    const enum rv_wait_on on = rv_file_kind(fd);
    const uint64_t queue = find_queue(fd, on, way);
    const bool is_kept = has_own_files();
    for (int each = 0; is_kept && each < RV_TRANSFER_WAYS; each++)
        if (each == (int)way || on == RV_WAIT_ON_EVENTFD)
            keep(fd, (enum rv_transfer_way)each, before[each], key_of(queue, each == RV_TRANSFER_READ));
    return key_of(queue, way == RV_TRANSFER_READ);
}

uint32_t rv_pipe_socket_wakers_key_of_address(const struct sockaddr *address, socklen_t n)
{
    const bool is_good = n && n <= sizeof(struct sockaddr_storage) && rv_os_is_readable(address) &&
                         rv_os_is_readable((const char *)address + n - 1);
    return is_good ? key_of(rv_file_queue_of_address(address, n), false) : 0;
}

struct rv_wire_transfer *rv_pipe_socket_wakers_entry(uint32_t key)
{
    const struct rv_map *map = rv_process_map();
    return (struct rv_wire_transfer *)(void *)(map->base + map->geometry.transfers.offset) + key % RV_WIRE_TRANSFERS;
}

/* What the other end does by its file is what this one waits for by its own: it takes bytes from the queue that this end fills,
 * or fills the one that this end takes them from. */
static uint32_t awaited_key(int fd, enum rv_transfer_way awaited)
{
    const uint32_t key =
        rv_pipe_socket_wakers_key(fd, awaited == RV_TRANSFER_READ ? RV_TRANSFER_WRITE : RV_TRANSFER_READ);
    return key ? key ^ ROOM_BIT : 0;
}

struct rv_transfer rv_pipe_socket_wakers_last(uint32_t key, uint64_t since, uint32_t but_tid)
{
    const struct rv_wire_transfer *entry = rv_pipe_socket_wakers_entry(key);
    const uint64_t when = __atomic_load_n(&entry->when, __ATOMIC_RELAXED);
    const uint64_t who = __atomic_load_n(&entry->who, __ATOMIC_RELAXED);
    const bool is_found = who >> 32 == key && when > since && (uint32_t)who != but_tid;
    return is_found ? (struct rv_transfer){(uint32_t)who, when} : (struct rv_transfer){0};
}

struct rv_transfer rv_pipe_socket_wakers_find(int fd, enum rv_transfer_way awaited, enum rv_wait_on on, uint64_t since,
                                              uint32_t but_tid)
{
    const uint32_t key = awaited_key(fd, awaited);
    if (!key)
        return (struct rv_transfer){0};
    __atomic_store_n(&rv_pipe_socket_wakers_entry(key)->on, on, __ATOMIC_RELAXED);
    return rv_pipe_socket_wakers_last(key, since, but_tid);
}

void rv_pipe_socket_wakers_forget(int fd)
{
    for (int way = 0; way < RV_TRANSFER_WAYS && fd >= 0; way++) {
        const uint32_t nobody = __atomic_add_fetch(&n_forgotten, 1, __ATOMIC_RELAXED);
        const uint64_t key = __atomic_exchange_n(place_of(fd, way), nobody, __ATOMIC_RELAXED);
        const bool is_own = key >> 32 == (uint64_t)(unsigned)fd + 1;
        struct rv_wire_transfer *entry =
            is_own && (uint32_t)key && rv_process_is_open() ? rv_pipe_socket_wakers_entry((uint32_t)key) : NULL;
        if (entry && __atomic_load_n(&entry->on, __ATOMIC_RELAXED))
            __atomic_store_n(&entry->on, RV_WAIT_ON_NOTHING, __ATOMIC_RELAXED);
    }
}

/* Forgetting a number empties its place, whichever number had it: once each is enough. */
void rv_pipe_socket_wakers_forget_range(unsigned first, unsigned last)
{
    for (unsigned i = 0; i < RV_TRANSFER_FILES && first <= last && i <= last - first; i++)
        rv_pipe_socket_wakers_forget((int)(first + i));
}
