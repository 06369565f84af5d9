/*
 * The trace file as a mapping: create, open, validate. All other functions of this room take a map.
 *
 * Creation is O_EXCL | O_NOFOLLOW, mode 0600; opening is O_NOFOLLOW and checks owner, size, magic, version, endianness
 * and that every section lies in the file. After that, offsets and counts come from the private copy in struct rv_map,
 * never from shared memory: a process that overwrites page 0 cannot move our pointers.
 */
#ifndef RV_RING_MAP_H
#define RV_RING_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "ringviz/wire.h"

struct rv_map_params {             /* zero = default */
    uint32_t n_rings;              /* 256: a ring uses memory only once claimed */
    uint32_t ring_events;          /* 2^17, rounded up to a power of two, 64 to 2^20 */
    uint32_t n_slots;              /* 64 */
    uint32_t slot_bytes;           /* 200 */
    uint32_t message_bytes;        /* 4096 */
    uint32_t global_bytes;         /* 16 KiB */
    uint32_t n_processes;          /* 16384 */
    uint32_t n_modules;            /* 65536 */
    uint32_t n_names;              /* 2^18 ids, of which 0 is none */
    uint64_t name_heap_bytes;      /* 32 MiB */
    uint32_t max_depth;            /* of calls that producers need not write; 0 = all */
    bool is_filtered;              /* only calls that a verdict keeps count for max_depth */
    const char *include, *exclude; /* patterns of the capture filter; NULL: none */
    const void *captures;          /* prototypes/capture.h makes it; NULL: arguments are not captured */
    size_t n_capture_bytes;
    uint32_t text_bytes; /* for what is captured, of each ring: 1 MiB, rounded up to a power of two */
    bool has_call_sites; /* producers tell where calls are made, too */
    bool is_private;     /* no monitor will open it */
    enum rv_policy policy;
    enum rv_clock_kind clock_kind;
    bool stop_on_create, trace_on_create;
    bool settles_clock_later; /* the creator calls rv_map_settle_clock() */
    bool is_quiet;            /* errors are returned, not printed */
};

enum rv_map_mode {
    RV_MAP_PRODUCER, /* read-write */
    RV_MAP_CONSUMER, /* read-write; the caller then takes the consumer lock */
    RV_MAP_OBSERVER  /* read-only mapping */
};

#define RV_MAP_PATH_BYTES 4096
#define RV_MAP_MAX_RINGS 16384u

struct rv_map {
    struct rv_wire_header *header; /* the shared page 0 */
    uint8_t *base;
    size_t n_bytes;
    int fd;       /* CLOEXEC; carries our OFD locks. Programs may close it: see rv_map_own_fd() */
    dev_t device; /* which device and inode fd must have */
    ino_t inode;
    enum rv_map_mode mode;
    struct rv_wire_header geometry; /* validated private copy: offsets and counts come from here */
    struct rv_clock clock;          /* a producer's may not be settled: it needs the kind only, or rv_map_clock() */
    uint64_t held_rings[RV_MAP_MAX_RINGS / 64]; /* [atomic] one bit per ring that our threads hold or are claiming */
    uint32_t n_rings_gone; /* [atomic] the header's n_rings_left + n_rings_freed when none of them was left or free */
    char path[RV_MAP_PATH_BYTES]; /* absolute */
};

/* Path of a private file for ringviz: in /dev/shm, XDG_RUNTIME_DIR or the temporary directory, the first with room for
 * `n_bytes_wanted` of claimed rings. Fills path. 0 or negative errno. */
int rv_map_default_path(char *path, size_t path_bytes, uint64_t n_bytes_wanted);

/* Let this user's processes open a private file: where root has created it, it is that user's from now on. Once for a
 * file: a user whose it was could still change it. What fails is said when a process opens it. */
void rv_map_give(const struct rv_map *map, uid_t user);

/* Unlink private files whose viewer is dead (their consumer lock is free, nobody holds a ring lock, creator gone). */
void rv_map_remove_stale(void);

/* Create the file and open it in CONSUMER mode. 0; -EEXIST, -ELOOP, -ENOSPC, ... with one line printed unless
 * is_quiet. */
int rv_map_create(struct rv_map *map, const char *path, const struct rv_map_params *params);

/*
 * Calibrate the clock of a file that was created with settles_clock_later: up to 2 ms. Producers may open the file
 * before, so that the creator starts them first; others wait for it.
 *   thread   the creator's, before any other uses the map
 */
void rv_map_settle_clock(struct rv_map *map);

/* The clock as it is settled by now. Any thread. */
struct rv_clock rv_map_clock(const struct rv_map *map);

/*
 * 0; -EBADMSG (foreign, truncated, inconsistent), -EPROTONOSUPPORT (other version or endianness), -EACCES (other
 * user's), -ELOOP (symlink), or the error of open(). One line is printed unless is_quiet (producers never print).
 */
int rv_map_open(struct rv_map *map, const char *path, enum rv_map_mode mode, bool is_quiet);

/* Page 0 alone, for counting in a file that a process may not come to later: mapped for ever, without a descriptor.
 * NULL where rv_map_open() would fail; prints nothing. */
struct rv_wire_header *rv_map_open_header(const char *path);

/* The check of rv_map_open() alone: does this page 0 describe a file of n_bytes? 0, -EBADMSG, -EPROTONOSUPPORT. Pure:
 * fuzzed. */
int rv_map_validate(const struct rv_wire_header *header, uint64_t n_bytes);

/* Close the file, with zeroes in its place for those who still use its addresses. 0; a negative errno: it stays
 * mapped. */
int rv_map_leave(struct rv_map *map);

/* NULL-safe on a zeroed map. Locks go with the fd. */
void rv_map_close(struct rv_map *map);

/* Where an address in the mapping lies in the file. Any thread. */
static inline uint64_t rv_map_offset(const struct rv_map *map, const void *address)
{
    return (uint64_t)((const uint8_t *)address - map->base);
}

/*
 * Allocate the pages of a range of the file, so that no store to it can fail. Idempotent; keeps the contents.
 *   returns  0 or -ENOSPC, -EBADF, ...
 *   thread   any; async-signal-safe, keeps errno
 */
int rv_map_allocate(struct rv_map *map, uint64_t offset, uint64_t n_bytes);

/*
 * Fault the pages of a range in for writing; keeps the contents.
 *   returns  0, -ENOSPC where a store would raise SIGBUS, -ENOSYS before Linux 5.14, ...
 *   thread   any; async-signal-safe, keeps errno
 */
int rv_map_populate(const struct rv_map *map, uint64_t offset, uint64_t n_bytes);

/* False once the file has been truncated. Any thread; async-signal-safe, keeps errno. */
bool rv_map_is_whole(const struct rv_map *map);

/*
 * Make map->fd refer to our file again if the program has closed or replaced our descriptor.
 *   returns  0, or -EBADF when the file cannot be reached any more
 *   thread   any; async-signal-safe, keeps errno
 */
int rv_map_own_fd(struct rv_map *map);

/*
 * Replace map->fd by a new open file description of the same file, which has locks of its own; same descriptor number.
 *   returns  0; -EBADF when the file cannot be opened: then there is no descriptor, and no ring can be claimed
 *   thread   one; async-signal-safe, keeps errno
 */
int rv_map_reopen(struct rv_map *map);

/*
 * In the child of fork, while a push that began in the parent is under way: map the file at another address. The old
 * addresses of the header, the ring's control and its events become private copies that nobody reads and where tracing
 * is off, so that the push ends harmlessly.
 *   returns  0; else mmap's error or -EBADF, and the map is unusable
 *   thread   the process's only thread; async-signal-safe
 */
int rv_map_leave_ring(struct rv_map *map, uint32_t ring_idx);

struct rv_wire_control *rv_map_control(const struct rv_map *map, uint32_t ring_idx); /* ring_idx < geometry.n_rings */
struct rv_event *rv_map_events(const struct rv_map *map, uint32_t ring_idx);
struct rv_wire_process *rv_map_process(const struct rv_map *map, uint32_t process_idx);

#endif
