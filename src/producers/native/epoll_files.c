/* Another file's entry may overwrite one; an entry that two threads have written at once is found by neither. */
#include "producers/native/epoll_files.h"

#include "base/hash.h"

#define N_ENTRIES 16384u

static struct entry {
    uint64_t data;  /* [atomic] */
    uint64_t files; /* [atomic] of epoll << 32 | the one that is watched, from 1; 0: none */
} entries[N_ENTRIES];

static struct entry *entry_of(int epoll, uint64_t data)
{
    return &entries[rv_hash_u64(data ^ (uint64_t)(unsigned)epoll << 48) % N_ENTRIES];
}

void rv_epoll_files_add(int epoll, uint64_t data, int fd)
{
    struct entry *entry = entry_of(epoll, data);
    __atomic_store_n(&entry->data, data, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->files, (uint64_t)(unsigned)epoll << 32 | ((unsigned)fd + 1), __ATOMIC_RELAXED);
}

int rv_epoll_files_find(int epoll, uint64_t data)
{
    const struct entry *entry = entry_of(epoll, data);
    const uint64_t files = __atomic_load_n(&entry->files, __ATOMIC_RELAXED);
    return __atomic_load_n(&entry->data, __ATOMIC_RELAXED) == data && (int)(files >> 32) == epoll
               ? (int)(uint32_t)files - 1
               : -1;
}
