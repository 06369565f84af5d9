/* Room in the file is taken before it is mapped: a full disk is an answer here, not a signal at some later store. */
#include "model/disk_vec.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/os.h"
#include "base/vec.h"

#define STEP_BYTES ((size_t)4 << 20) /* by which it grows: at most so much is in memory that was written */

static atomic_size_t n_files; /* of all arrays */

/* ---- into the file, and out of it ---- */

/* A part of the descriptors that the process may have: others need some, too. */
static bool may_open(void)
{
    enum { SHARE = 4 };
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
           atomic_load_explicit(&n_files, memory_order_relaxed) < limit.rlim_cur / SHARE;
}

static void close_file(struct rv_disk_vec *disk)
{
    close(disk->fd);
    atomic_fetch_sub_explicit(&n_files, 1, memory_order_relaxed);
}

static bool make_file(struct rv_disk_vec *disk, size_t n_bytes)
{
    disk->fd = may_open() ? rv_os_open_spool("marks and states that are kept") : -1;
    if (disk->fd < 0)
        return false;
    atomic_fetch_add_explicit(&n_files, 1, memory_order_relaxed);
    if (posix_fallocate(disk->fd, 0, (off_t)n_bytes) == 0)
        return true;
    close_file(disk);
    return false;
}

/* Returns the items there; NULL: they are left in memory, for good. */
static void *move_to_disk(struct rv_disk_vec *disk, void *items, size_t n_used)
{
    const size_t n_bytes = n_used + STEP_BYTES;
    void *mapped = MAP_FAILED;
    if (make_file(disk, n_bytes)) {
        mapped = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, disk->fd, 0);
        if (mapped == MAP_FAILED)
            close_file(disk);
    }
    disk->stays_in_memory = mapped == MAP_FAILED;
    if (disk->stays_in_memory)
        return NULL;
    disk->n_bytes = n_bytes;
    memcpy(mapped, items, n_used);
    free(items);
    return mapped;
}

static void *move_to_memory(struct rv_disk_vec *disk, void *items)
{
    void *memory = rv_alloc_scratch(disk->n_bytes, 1);
    memcpy(memory, items, disk->n_bytes);
    rv_disk_vec_free(disk, items);
    disk->stays_in_memory = true;
    return memory;
}

/* Returns NULL where there is no room. */
static void *grow_on_disk(struct rv_disk_vec *disk, void *items)
{
    if (posix_fallocate(disk->fd, (off_t)disk->n_bytes, (off_t)STEP_BYTES) != 0)
        return NULL;
    void *moved = mremap(items, disk->n_bytes, disk->n_bytes + STEP_BYTES, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED)
        return NULL;
    rv_disk_vec_rest(disk, moved);
    disk->n_bytes += STEP_BYTES;
    return moved;
}

/* ---- */

void *rv_disk_vec_reserve(struct rv_disk_vec *disk, void *items, size_t *capacity, size_t need, size_t item_bytes)
{
    if (need <= *capacity)
        return items;
    if (!disk->n_bytes && !disk->stays_in_memory && *capacity * item_bytes >= RV_DISK_VEC_LEAST_BYTES) {
        void *mapped = move_to_disk(disk, items, *capacity * item_bytes);
        items = mapped ? mapped : items;
    }
    while (disk->n_bytes && disk->n_bytes / item_bytes < need) {
        void *grown = grow_on_disk(disk, items);
        items = grown ? grown : move_to_memory(disk, items);
    }
    if (!disk->n_bytes)
        return rv_vec_reserve(items, capacity, need, item_bytes);
    *capacity = disk->n_bytes / item_bytes;
    return items;
}

void rv_disk_vec_rest(const struct rv_disk_vec *disk, void *items)
{
    if (disk->n_bytes)
        (void)madvise(items, disk->n_bytes, MADV_DONTNEED); /* of a shared mapping: the file keeps them */
}

void rv_disk_vec_free(struct rv_disk_vec *disk, void *items)
{
    if (disk->n_bytes) {
        munmap(items, disk->n_bytes);
        close_file(disk);
    } else {
        free(items);
    }
    *disk = (struct rv_disk_vec){0};
}
