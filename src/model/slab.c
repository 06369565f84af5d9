/* Regions are kept in an array sorted by address, each with a bit per free block; there are thousands of blocks, not
 * millions. */
#include "model/slab.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/memory.h"
#include "base/vec.h"

#define REGION_BYTES ((size_t)2 << 20)
#define ALL_FREE UINT32_MAX /* REGION_BYTES / RV_SLAB_BYTES bits */
#define MOST_READY 64u      /* free blocks that keep their pages */

_Static_assert(REGION_BYTES / RV_SLAB_BYTES == 32, "a bit per block");

struct region {
    unsigned char *base;
    uint32_t free;
    uint32_t empty; /* free blocks whose pages were returned to the system */
};

static struct {
    pthread_mutex_t lock;
    struct region *regions;
    size_t n, capacity;
    size_t n_free;    /* blocks */
    size_t n_ready;   /* free blocks that still have pages */
    size_t with_free; /* where the last free block was found */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static unsigned char *map_region(void)
{
    unsigned char *mapped;
    for (unsigned n_tries = 0; (mapped = mmap(NULL, 2 * REGION_BYTES, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) == MAP_FAILED;
         n_tries++)
        rv_memory_refused(2 * REGION_BYTES, n_tries);
    size_t before = -(uintptr_t)mapped & (REGION_BYTES - 1);
    if (before)
        (void)munmap(mapped, before);
    (void)munmap(mapped + before + REGION_BYTES, REGION_BYTES - before);
    (void)madvise(mapped + before, REGION_BYTES, MADV_HUGEPAGE);
    return mapped + before;
}

/* The first region at or after this address. */
static size_t find_region(const unsigned char *base)
{
    size_t low = 0, high = pool.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)pool.regions[middle].base < (uintptr_t)base)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_region(void)
{
    unsigned char *base = map_region();
    size_t at = find_region(base);
    pool.regions = rv_vec_reserve(pool.regions, &pool.capacity, pool.n + 1, sizeof *pool.regions);
    memmove(pool.regions + at + 1, pool.regions + at, (pool.n - at) * sizeof *pool.regions);
    pool.regions[at] = (struct region){.base = base, .free = ALL_FREE};
    pool.n++;
    pool.n_free += 32;
    pool.n_ready += 32;
    pool.with_free = at;
}

static void remove_region(size_t at)
{
    (void)munmap(pool.regions[at].base, REGION_BYTES);
    pool.n--;
    pool.n_free -= 32;
    pool.n_ready -= 32 - (unsigned)__builtin_popcount(pool.regions[at].empty);
    memmove(pool.regions + at, pool.regions + at + 1, (pool.n - at) * sizeof *pool.regions);
    if (pool.n == 0) {
        free(pool.regions);
        pool.regions = NULL;
        pool.capacity = 0;
    }
}

void *rv_slab_take(void)
{
    pthread_mutex_lock(&pool.lock);
    if (pool.n_free == 0)
        add_region();
    size_t at = pool.with_free < pool.n ? pool.with_free : 0;
    while (!pool.regions[at].free)
        at = at + 1 < pool.n ? at + 1 : 0;
    struct region *region = &pool.regions[at];
    unsigned block = (unsigned)__builtin_ctz(region->free);
    region->free &= region->free - 1;
    pool.n_free--;
    pool.n_ready -= !(region->empty >> block & 1);
    region->empty &= region->free;
    pool.with_free = at;
    void *taken = region->base + (size_t)block * RV_SLAB_BYTES;
    pthread_mutex_unlock(&pool.lock);
    return taken;
}

void rv_slab_give(void *block)
{
    if (!block)
        return;
    pthread_mutex_lock(&pool.lock);
    unsigned char *base = (unsigned char *)block - ((uintptr_t)block & (REGION_BYTES - 1));
    size_t at = find_region(base);
    rv_assert(at < pool.n && pool.regions[at].base == base);
    struct region *region = &pool.regions[at];
    uint32_t bit = UINT32_C(1) << ((size_t)((unsigned char *)block - base) / RV_SLAB_BYTES);
    region->free |= bit;
    pool.n_free++;
    pool.n_ready++;
    if (region->free == ALL_FREE && pool.n_free > 32) {
        remove_region(at);
    } else if (pool.n_ready > MOST_READY && madvise(block, RV_SLAB_BYTES, MADV_DONTNEED) == 0) {
        region->empty |= bit;
        pool.n_ready--;
    }
    pthread_mutex_unlock(&pool.lock);
}

size_t rv_slab_ready_bytes(void)
{
    pthread_mutex_lock(&pool.lock);
    size_t n_bytes = pool.n_ready * RV_SLAB_BYTES;
    pthread_mutex_unlock(&pool.lock);
    return n_bytes;
}
