/*
 * Creation writes all of page 0 before it says READY; open copies page 0 once and uses only that copy. The descriptor
 * lives in the traced program, which may close or replace it: every use checks that it is still our file.
 */
#include "ring/map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/os.h"
#include "base/own_syscalls.h"
#include "ring/layout.h"
#include "ring/process_liveness.h"
#include "ring/capture_filter_section.h"

#ifndef MADV_POPULATE_WRITE /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

enum {
    /* Lower descriptors belong to the program: it may expect the lowest number, or close the first few in a loop. */
    HIGH_FD = 900,
    LESS_HIGH_FD = 100,
    N_ALLOCATE_TRIES = 1000,
};
/* Small enough to finish between a profiling timer's signals: an interrupted fallocate starts over. */
static const uint64_t ALLOCATE_STEP = 256 << 10;
static const uint64_t CREATION_NS = 100000000;          /* the longest that creating a file may take, */
static const uint64_t STARVED_CREATION_NS = 2000000000; /* and by a creator that runs, but waits for a CPU */
static const char NOT_COMPLETE[] = "not complete: still being created, or its creator died";

/* ---- descriptors ---- */

static bool is_our_file(const struct rv_map *map, int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_dev == map->device && status.st_ino == map->inode;
}

bool rv_map_is_whole(const struct rv_map *map)
{
    struct stat status;
    int saved = errno;
    rv_os_begin_own();
    bool is_whole = fstat(map->fd, &status) == 0 && (uint64_t)status.st_size >= map->n_bytes;
    rv_os_end_own();
    errno = saved;
    return is_whole;
}

static int move_up(int fd)
{
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
    if (moved < 0)
        moved = fcntl(fd, F_DUPFD_CLOEXEC, LESS_HIGH_FD);
    if (moved < 0)
        return fd;
    close(fd);
    return moved;
}

static int open_flags(enum rv_map_mode mode)
{
    return (mode == RV_MAP_OBSERVER ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
}

/* "/proc/self/fd/N" without stdio: also used between fork and exec. */
static void format_fd_path(char out[32], int fd)
{
    char digits[12];
    unsigned n = 0, value = (unsigned)fd;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    memcpy(out, "/proc/self/fd/", 14);
    for (unsigned i = 0; i < n; i++)
        out[14 + i] = digits[n - 1 - i];
    out[14 + n] = '\0';
}

/* A fresh open file description of the mapped file, or -1. The path may have been unlinked, or belong to another file.
 */
static int open_again(const struct rv_map *map)
{
    int fd = -1;
    if (map->fd >= 0 && is_our_file(map, map->fd)) {
        char link[32];
        format_fd_path(link, map->fd);
        fd = open(link, open_flags(map->mode));
    }
    if (fd < 0)
        fd = open(map->path, open_flags(map->mode) | O_NOFOLLOW);
    if (fd >= 0 && !is_our_file(map, fd)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int replace_fd(struct rv_map *map)
{
    int fd = open_again(map);
    if (fd < 0)
        return -EBADF;
    if (map->fd >= 0 && is_our_file(map, map->fd)) {
        int result;
        do
            result = dup3(fd, map->fd, O_CLOEXEC);
        while (result < 0 && (errno == EINTR || errno == EBUSY));
        close(fd);
        return result < 0 ? -EBADF : 0;
    }
    map->fd = move_up(fd);
    return 0;
}

int rv_map_reopen(struct rv_map *map)
{
    int saved = errno;
    int error = replace_fd(map);
    if (error && map->fd >= 0 && is_our_file(map, map->fd)) {
        close(map->fd); /* a child that cannot reopen the file must not keep its parent's locks */
        map->fd = -1;
    }
    errno = saved;
    return error;
}

int rv_map_own_fd(struct rv_map *map)
{
    int saved = errno;
    int error = map->fd >= 0 && is_our_file(map, map->fd) ? 0 : replace_fd(map);
    errno = saved;
    return error;
}

int rv_map_populate(const struct rv_map *map, uint64_t offset, uint64_t n_bytes)
{
    const uint64_t first = offset & ~(uint64_t)(RV_WIRE_PAGE - 1);
    int saved = errno, error = 0;
    rv_os_begin_own();
    if (madvise(map->base + first, offset + n_bytes - first, MADV_POPULATE_WRITE) != 0)
        error = errno == EINVAL ? -ENOSYS : errno == EFAULT ? -ENOSPC : -errno;
    rv_os_end_own();
    errno = saved;
    return error;
}

/* A file system without fallocate allocates a page at the first store to it. glibc's emulation of fallocate is not used:
 * it would overwrite concurrent writers with zeroes. */
static int allocate_by_fault(const struct rv_map *map, uint64_t offset, uint64_t n_bytes)
{
    int error = rv_map_populate(map, offset, n_bytes);
    return error == -ENOSYS ? 0 : error;
}

static int allocate_step(const struct rv_map *map, uint64_t offset, uint64_t n_bytes)
{
    for (unsigned n_tries = 0; n_tries < N_ALLOCATE_TRIES; n_tries++) {
        /* libc's would be a cancellation point of the program's thread. */
        const long error = rv_os_call(SYS_fallocate, map->fd, FALLOC_FL_KEEP_SIZE, (long)offset, (long)n_bytes, 0, 0);
        if (error == -EOPNOTSUPP || error == -ENOSYS)
            return allocate_by_fault(map, offset, n_bytes);
        if (error != -EINTR)
            return (int)error;
    }
    return -EINTR;
}

int rv_map_allocate(struct rv_map *map, uint64_t offset, uint64_t n_bytes)
{
    int saved = errno;
    rv_os_begin_own();
    int error = rv_map_own_fd(map);
    while (!error && n_bytes) {
        uint64_t step = n_bytes < ALLOCATE_STEP ? n_bytes : ALLOCATE_STEP;
        error = allocate_step(map, offset, step);
        offset += step;
        n_bytes -= step;
    }
    rv_os_end_own();
    errno = saved;
    return error;
}

/* ---- common to create and open ---- */

static int refuse(int error, bool is_quiet, const char *path, const char *why)
{
    return is_quiet ? error : rv_err(-error, "%s: %s", path, why);
}

static int refuse_sys(bool is_quiet, const char *path)
{
    return is_quiet ? -errno : rv_err_sys("%s", path);
}

static int set_path(struct rv_map *map, const char *path)
{
    size_t used = 0;
    if (path[0] != '/') {
        if (!getcwd(map->path, sizeof map->path - 1))
            return -errno;
        used = strlen(map->path);
        map->path[used++] = '/';
    }
    size_t n_bytes = strlen(path) + 1;
    if (n_bytes > sizeof map->path - used)
        return -ENAMETOOLONG;
    memcpy(map->path + used, path, n_bytes);
    return 0;
}

/*
 * A mapping keeps its open file description and the locks on it alive, and a forked child inherits the mapping. So the
 * mapped description must never carry a lock: from here on we use another one.
 */
static int map_file(struct rv_map *map, uint64_t n_bytes)
{
    int protection = map->mode == RV_MAP_OBSERVER ? PROT_READ : PROT_READ | PROT_WRITE;
    void *base = mmap(NULL, n_bytes, protection, MAP_SHARED | MAP_NORESERVE, map->fd, 0);
    if (base == MAP_FAILED)
        return -errno;
    map->base = base;
    map->header = base;
    map->n_bytes = n_bytes;
    return rv_map_reopen(map);
}

/* Round out to whole pages. */
static int copy_pages(void *start, size_t n_bytes)
{
    uintptr_t begin = (uintptr_t)start & ~(uintptr_t)(RV_WIRE_PAGE - 1), end = (uintptr_t)start + n_bytes;
    size_t n = (end - begin + RV_WIRE_PAGE - 1) & ~(size_t)(RV_WIRE_PAGE - 1);
    void *copy = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return -errno;
    memcpy(copy, (const void *)begin, n);
    return mremap(copy, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)begin) == MAP_FAILED ? -errno : 0;
}

int rv_map_leave_ring(struct rv_map *map, uint32_t ring_idx)
{
    int saved = errno, error = copy_pages(map->header, sizeof *map->header);
    if (!error) {
        map->header->is_recording = 0;
        error = copy_pages(rv_map_control(map, ring_idx), map->geometry.control_bytes);
    }
    if (!error)
        error = copy_pages(rv_map_events(map, ring_idx), map->geometry.ring_events * sizeof(struct rv_event));
    if (!error)
        error = map->fd < 0 ? -EBADF : map_file(map, map->n_bytes);
    errno = saved;
    return error;
}

static struct rv_clock clock_of(const struct rv_wire_header *geometry)
{
    return (struct rv_clock){
        .kind = geometry->clock_kind,
        .shift = geometry->clock_shift,
        .mult = geometry->clock_mult,
        .ticks0 = geometry->clock_ticks0,
        .mono0_ns = geometry->clock_mono0_ns,
        .real0_ns = geometry->clock_real0_ns,
    };
}

static void take_geometry(struct rv_map *map, const struct rv_wire_header *geometry)
{
    map->geometry = *geometry;
    map->clock = clock_of(geometry);
}

/* ---- create ---- */

static void fill_header(struct rv_wire_header *header, const struct rv_map_params *params)
{
    struct rv_clock clock;
    rv_clock_begin(&clock, params->clock_kind);
    if (!params->settles_clock_later)
        rv_clock_settle(&clock);
    header->clock_kind = clock.kind;
    header->clock_shift = clock.shift;
    header->clock_mult = clock.mult;
    header->clock_ticks0 = clock.ticks0;
    header->clock_mono0_ns = clock.mono0_ns;
    header->clock_real0_ns = clock.real0_ns;
    header->creator_pid = (uint32_t)getpid();
    header->creator_start = rv_os_process_start(getpid());
    header->is_recording = 1;
    header->stop_on_create = params->stop_on_create;
    header->trace_on_create = params->trace_on_create;
    header->name_heap_used = 8;
    header->next_name_id = 1;
}

/* What has no allocation of its own later. */
static int allocate_base(struct rv_map *map, const struct rv_wire_header *plan)
{
    int error = rv_map_allocate(map, 0, sizeof *plan);
    if (!error)
        error = rv_map_allocate(map, plan->filter.offset, plan->filter.n_bytes);
    return error ? error : rv_map_allocate(map, plan->global_message.offset, plan->global_message.n_bytes);
}

static int size_file(int fd, uint64_t n_bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < n_bytes)
        return -EFBIG; /* ftruncate would raise SIGXFSZ */
    return ftruncate(fd, (off_t)n_bytes) == 0 ? 0 : -errno;
}

static int write_captures(struct rv_map *map, const struct rv_map_params *params)
{
    const struct rv_wire_area *area = &map->geometry.captures;
    int error = params->captures ? rv_map_allocate(map, area->offset, area->n_bytes) : 0;
    if (params->captures && !error)
        memcpy(map->base + area->offset, params->captures, params->n_capture_bytes);
    return error;
}

static int build(struct rv_map *map, struct rv_wire_header *plan, const struct rv_map_params *params)
{
    struct stat status;
    if (fstat(map->fd, &status) != 0)
        return -errno;
    map->device = status.st_dev;
    map->inode = status.st_ino;
    int error = size_file(map->fd, plan->file_bytes);
    if (!error)
        error = map_file(map, plan->file_bytes);
    if (!error)
        error = allocate_base(map, plan);
    if (error)
        return error;
    fill_header(plan, params);
    *map->header = *plan;
    take_geometry(map, plan);
    rv_capture_filter_section_write(map->base + plan->filter.offset, params);
    error = write_captures(map, params);
    if (error)
        return error;
    __atomic_store_n(&map->header->state, RV_FILE_READY, __ATOMIC_RELEASE); /* M1 -> M2 */
    return 0;
}

int rv_map_create(struct rv_map *map, const char *path, const struct rv_map_params *params)
{
    static const struct rv_map_params defaults;
    params = params ? params : &defaults;
    memset(map, 0, sizeof *map);
    map->fd = -1;
    map->mode = RV_MAP_CONSUMER;

    struct rv_wire_header plan;
    memset(&plan, 0, sizeof plan);
    const char *why;
    if (rv_layout_plan(&plan, params, &why))
        return params->is_quiet ? -EINVAL : rv_err(EINVAL, "%s: %s out of range", path, why);
    int error = set_path(map, path);
    if (error)
        return refuse(error, params->is_quiet, path, strerror(-error));
    map->fd = open(map->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (map->fd < 0)
        return params->is_quiet ? -errno : rv_err_sys("%s: cannot create", path);
    error = build(map, &plan, params);
    if (error) {
        unlink(map->path);
        rv_map_close(map);
        return params->is_quiet ? error : rv_err(-error, "%s: cannot create a trace file: %s", path, strerror(-error));
    }
    return 0;
}

void rv_map_settle_clock(struct rv_map *map)
{
    rv_clock_settle(&map->clock);
    map->geometry.clock_mult = map->clock.mult;
    __atomic_store_n(&map->header->clock_mult, map->clock.mult, __ATOMIC_RELAXED);
}

struct rv_clock rv_map_clock(const struct rv_map *map)
{
    struct rv_clock clock = map->clock;
    if (!clock.mult)
        clock.mult = __atomic_load_n(&map->header->clock_mult, __ATOMIC_RELAXED);
    return clock;
}

/* ---- open ---- */

/* Producers need no settled clock. */
static bool lacks_clock(const struct rv_map *map, const struct rv_wire_header *header)
{
    return map->mode != RV_MAP_PRODUCER && !header->clock_mult;
}

/* Is the file empty, without page 0 (which is written last), not READY, or its clock not settled? */
static bool is_being_made(const struct rv_map *map)
{
    struct rv_wire_header header;
    ssize_t n = pread(map->fd, &header, sizeof header, 0);
    bool is_ours = n == (ssize_t)sizeof header && header.magic == RV_WIRE_MAGIC;
    return n == 0 || (n == (ssize_t)sizeof header && !header.magic) ||
           (is_ours && (header.state == RV_FILE_UNREADY || lacks_clock(map, &header)));
}

static uint64_t longest_creation_ns(const struct rv_map *map)
{
    struct rv_wire_header header;
    bool is_ours = pread(map->fd, &header, sizeof header, 0) == (ssize_t)sizeof header && header.magic == RV_WIRE_MAGIC;
    return is_ours && rv_process_liveness_is_running(header.creator_pid, header.creator_start) ? STARVED_CREATION_NS
                                                                                               : CREATION_NS;
}

/* Wait: a live creator takes milliseconds. */
static void wait_until_made(const struct rv_map *map)
{
    uint64_t begin_ns = rv_clock_mono_ns();
    while (is_being_made(map) && rv_clock_mono_ns() - begin_ns < longest_creation_ns(map))
        rv_os_sleep_ns(CREATION_NS / 100);
}

static int open_descriptor(struct rv_map *map, uint64_t *n_bytes, bool is_quiet)
{
    map->fd = open(map->path, open_flags(map->mode) | O_NOFOLLOW);
    if (map->fd < 0 && errno == ELOOP)
        return refuse(-ELOOP, is_quiet, map->path, "is a symbolic link");
    if (map->fd < 0)
        return refuse_sys(is_quiet, map->path);
    struct stat status;
    if (fstat(map->fd, &status) != 0)
        return refuse_sys(is_quiet, map->path);
    if (!S_ISREG(status.st_mode))
        return refuse(-EBADMSG, is_quiet, map->path, "not a regular file");
    if (status.st_uid != geteuid())
        return refuse(-EACCES, is_quiet, map->path, "belongs to another user");
    wait_until_made(map);
    if (fstat(map->fd, &status) != 0)
        return refuse_sys(is_quiet, map->path);
    if (status.st_size < (off_t)sizeof(struct rv_wire_header))
        return refuse(-EBADMSG, is_quiet, map->path, "truncated, or not a ringviz trace file");
    map->device = status.st_dev;
    map->inode = status.st_ino;
    *n_bytes = (uint64_t)status.st_size;
    return 0;
}

static int read_geometry(struct rv_map *map, struct rv_wire_header *geometry, uint64_t n_bytes, bool is_quiet)
{
    ssize_t n_read = pread(map->fd, geometry, sizeof *geometry, 0);
    if (n_read < 0)
        return refuse_sys(is_quiet, map->path);
    const char *why = "truncated";
    int error = n_read < (ssize_t)sizeof *geometry ? -EBADMSG : rv_layout_check(geometry, n_bytes, &why);
    return error ? refuse(error, is_quiet, map->path, why) : 0;
}

/* A creator that was killed in its first milliseconds has left its clock so. */
static bool settle_for_creator(struct rv_wire_header *geometry)
{
    struct rv_clock clock = clock_of(geometry);
    if (rv_process_liveness_is_running(geometry->creator_pid, geometry->creator_start) || !rv_clock_settle_for(&clock))
        return false;
    geometry->clock_mult = clock.mult;
    return true;
}

static int attach(struct rv_map *map, bool is_quiet)
{
    uint64_t n_bytes = 0;
    struct rv_wire_header geometry;
    int error = open_descriptor(map, &n_bytes, is_quiet);
    if (!error)
        error = read_geometry(map, &geometry, n_bytes, is_quiet);
    if (error)
        return error;
    error = map_file(map, n_bytes);
    if (error)
        return refuse(error, is_quiet, map->path, strerror(-error));
    if (__atomic_load_n(&map->header->state, __ATOMIC_ACQUIRE) == RV_FILE_UNREADY) /* M2 <- M1 */
        return refuse(-EBADMSG, is_quiet, map->path, NOT_COMPLETE);
    error = read_geometry(map, &geometry, n_bytes, is_quiet);
    if (!error && lacks_clock(map, &geometry) && !settle_for_creator(&geometry))
        error = refuse(-EBADMSG, is_quiet, map->path, NOT_COMPLETE);
    if (error)
        return error;
    take_geometry(map, &geometry);
    if (map->mode == RV_MAP_PRODUCER)
        map->fd = move_up(map->fd);
    return 0;
}

int rv_map_open(struct rv_map *map, const char *path, enum rv_map_mode mode, bool is_quiet)
{
    memset(map, 0, sizeof *map);
    map->fd = -1;
    map->mode = mode;
    int error = set_path(map, path);
    if (error)
        return refuse(error, is_quiet, path, strerror(-error));
    error = attach(map, is_quiet);
    if (error)
        rv_map_close(map);
    return error;
}

struct rv_wire_header *rv_map_open_header(const char *path)
{
    struct rv_map map = {.fd = -1, .mode = RV_MAP_PRODUCER};
    struct rv_wire_header geometry;
    uint64_t n_bytes;
    void *page = MAP_FAILED;
    if (set_path(&map, path) == 0 && open_descriptor(&map, &n_bytes, true) == 0 &&
        read_geometry(&map, &geometry, n_bytes, true) == 0)
        page = mmap(NULL, sizeof geometry, PROT_READ | PROT_WRITE, MAP_SHARED, map.fd, 0);
    rv_map_close(&map);
    return page == MAP_FAILED ? NULL : page;
}

static void close_fd(struct rv_map *map)
{
    if (map->fd >= 0 && map->inode && is_our_file(map, map->fd))
        close(map->fd);
    else if (map->fd > 0 && !map->inode)
        close(map->fd);
    map->fd = -1;
}

int rv_map_leave(struct rv_map *map)
{
    close_fd(map);
    return mmap(map->base, map->n_bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == map->base
               ? 0
               : -errno;
}

void rv_map_close(struct rv_map *map)
{
    if (map->base)
        munmap(map->base, map->n_bytes);
    close_fd(map);
    memset(map, 0, sizeof *map);
    map->fd = -1;
}

struct rv_wire_control *rv_map_control(const struct rv_map *map, uint32_t ring_idx)
{
    return (struct rv_wire_control *)(map->base + map->geometry.controls.offset +
                                      (uint64_t)ring_idx * map->geometry.control_bytes);
}

struct rv_event *rv_map_events(const struct rv_map *map, uint32_t ring_idx)
{
    uint64_t ring_bytes = (uint64_t)map->geometry.ring_events * sizeof(struct rv_event);
    return (struct rv_event *)(map->base + map->geometry.rings.offset + ring_idx * ring_bytes);
}

struct rv_wire_process *rv_map_process(const struct rv_map *map, uint32_t process_idx)
{
    return (struct rv_wire_process *)(map->base + map->geometry.processes.offset) + process_idx;
}
