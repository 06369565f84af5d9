/*
 * The live ring of the rrtrace gem: shared memory with 65,536 events and two increasing indices. All threads of the
 * program write to it; an event belongs to the running thread. Methods have numbers, no names.
 *
 * A return names its method: it ends the innermost open call of that method, with the calls inside it.
 *
 * Threads run in parallel only in different Ractors. The gem reports all threads' states, but calls and collections of
 * the main Ractor only, as of Ruby 3.3: a thread resumed in parallel to one that made calls makes none. Events from
 * such times are counted: what other versions of Ruby report cannot be seen in the ring.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash_index.h"
#include "base/os.h"
#include "base/sigbus.h"
#include "base/vec.h"
#include "import/formats.h"
#include "import/rrtrace_names.h"
#include "import/rrtrace.h"

enum { RING_EVENTS = 65536, SEARCH_FRAMES = 4096, KIND_SHIFT = 60, CACHE_BITS = 12, CACHE_SLOTS = 1 << CACHE_BITS };

enum kind { CALL, RETURN, GC_START, GC_END, THREAD_START, THREAD_READY, THREAD_SUSPENDED, THREAD_RESUME, THREAD_EXIT };

struct event {
    uint64_t when; /* kind << 60 | ns since the gem's start */
    uint64_t data; /* number of the method or thread */
};

/*
 * The events, then two aligned structs: the writer's, which begins with write_index, and the reader's, which begins
 * with read_index. The gem's ext/rrtrace/rrtrace_event_ringbuffer.h aligns them to 64 bytes in 0.1.0 and to 128 in
 * 0.2.0. The two are distinguished by the memory's size.
 */
enum { EVENTS_BYTES = RING_EVENTS * sizeof(struct event) };
static const size_t ALIGNMENTS[] = {64, 128};

struct rrtrace {
    struct rv_import import; /* first */
    int fd;                  /* of the memory; -1 = not open */
    size_t bytes;            /* mapped; 0 = not mapped */
    struct event *ring;
    uint64_t *write_index; /* [atomic] Q1 -> Q2: the gem publishes it after the event */
    uint64_t *read_index;  /* [atomic] Q4 <- Q3: the gem reads it before it overwrites */
    struct event *events;  /* copied out of the ring */
    pid_t pid;             /* of the program; 0 if not in the name */
    bool was_full;         /* the ring was full since the last forked copy ended */
    uint32_t process, thread;
    uint32_t n_running, n_threads;
    bool has_changed; /* which threads run, since the last call of the one that ran alone */
    struct {
        bool is_running;
        bool is_main; /* it made calls while it ran alone, so it is in the main Ractor */
    } threads[RV_EVENT_BUILDER_THREADS];
    struct {
        uint64_t number;
        uint32_t id;      /* 0 = free */
    } cache[CACHE_SLOTS]; /* of the methods */
    struct rv_hash_index methods;
    struct rv_rrtrace_names names;
};

static size_t bytes_with(size_t alignment)
{
    return EVENTS_BYTES + 2 * alignment;
}

/* 0 if no version of the gem has this size. */
static size_t alignment_of(off_t bytes)
{
    for (size_t i = 0; i < sizeof ALIGNMENTS / sizeof *ALIGNMENTS; i++)
        if (bytes == (off_t)bytes_with(ALIGNMENTS[i]))
            return ALIGNMENTS[i];
    return 0;
}

static struct {
    const char *name; /* NULL: none */
    int fd, names_fd; /* names_fd -1: none */
} opened_early = {.names_fd = -1};

static int open_names_file(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Never a standard stream's number, even if that is closed. -1: not opened. */
static int above_standard(int fd)
{
    if (fd < 0)
        return -1;
    const int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return above;
}

void rv_rrtrace_open_early(const char *name, const char *names)
{
    opened_early.fd = above_standard(shm_open(name, O_RDWR | O_CLOEXEC, 0));
    opened_early.name = opened_early.fd < 0 ? NULL : name;
    opened_early.names_fd = names ? above_standard(open_names_file(names)) : -1;
}

static int open_memory(const char *name)
{
    if (!opened_early.name || strcmp(opened_early.name, name) != 0)
        return shm_open(name, O_RDWR | O_CLOEXEC, 0);
    opened_early.name = NULL;
    return opened_early.fd;
}

static int map_ring(struct rrtrace *rrtrace)
{
    const char *name = rrtrace->import.path;
    struct stat status;
    rrtrace->fd = open_memory(name);
    if (rrtrace->fd < 0)
        return rv_err_sys("%s: shared memory of rrtrace", name);
    if (fstat(rrtrace->fd, &status) != 0)
        return rv_err_sys("%s", name);
    if (status.st_uid != geteuid())
        return rv_err(EPERM, "%s: the shared memory of another user", name);
    size_t alignment = alignment_of(status.st_size);
    if (!alignment)
        return rv_err(EBADMSG, "%s: %lld bytes, which is not the ring of rrtrace 0.1 (%zu) or 0.2 (%zu)", name,
                      (long long)status.st_size, bytes_with(ALIGNMENTS[0]), bytes_with(ALIGNMENTS[1]));
    char *memory = mmap(NULL, bytes_with(alignment), PROT_READ | PROT_WRITE, MAP_SHARED, rrtrace->fd, 0);
    if (memory == MAP_FAILED)
        return rv_err_sys("%s: mmap", name);
    rrtrace->bytes = bytes_with(alignment);
    rv_sigbus_catch(&(struct rv_sigbus_region){memory, rrtrace->bytes, rrtrace->fd, name});
    rrtrace->ring = (struct event *)(void *)memory;
    rrtrace->write_index = (uint64_t *)(void *)(memory + EVENTS_BYTES);
    rrtrace->read_index = (uint64_t *)(void *)(memory + EVENTS_BYTES + alignment);
    return 0;
}

/* ---- threads ---- */

static uint32_t thread_of(struct rrtrace *rrtrace, uint64_t number)
{
    return rv_event_builder_thread(rrtrace->import.builder, rrtrace->process, (uint32_t)number, 0);
}

static bool is_running(const struct rrtrace *rrtrace, uint32_t thread)
{
    return thread != RV_EVENT_BUILDER_NONE && rrtrace->threads[thread].is_running;
}

static void resume(struct rrtrace *rrtrace, uint32_t thread)
{
    rrtrace->has_changed = true;
    if (!is_running(rrtrace, rrtrace->thread) || !rrtrace->threads[rrtrace->thread].is_main)
        rrtrace->thread = thread;
    if (thread == RV_EVENT_BUILDER_NONE || is_running(rrtrace, thread))
        return;
    rrtrace->n_threads = thread < rrtrace->n_threads ? rrtrace->n_threads : thread + 1;
    rrtrace->n_running++;
    rrtrace->threads[thread].is_running = true;
}

/* The next events belong to another running thread, or still to this one if none runs. */
static void suspend(struct rrtrace *rrtrace, uint32_t thread)
{
    if (!is_running(rrtrace, thread))
        return;
    rrtrace->has_changed = true;
    rrtrace->threads[thread].is_running = false;
    rrtrace->n_running--;
    if (thread != rrtrace->thread || rrtrace->n_running == 0)
        return;
    for (uint32_t i = 0; i < rrtrace->n_threads; i++)
        if (is_running(rrtrace, i))
            resume(rrtrace, i);
}

/* ---- events ---- */

static uint32_t learn_method(struct rrtrace *rrtrace, uint64_t number)
{
    char unnamed[40];
    struct rv_event_builder_text none = {0};
    const char *name = rv_rrtrace_names_find(&rrtrace->names, number);
    snprintf(unnamed, sizeof unnamed, "#%llu", (unsigned long long)number);
    return rv_event_builder_intern(rrtrace->import.builder, none, rv_import_string(name ? name : unnamed), none, 0);
}

__attribute__((cold)) static uint32_t find_method(struct rrtrace *rrtrace, uint64_t number)
{
    uint32_t id = rv_hash_index_get(&rrtrace->methods, number);
    if (!id)
        rv_hash_index_add(&rrtrace->methods, number, id = learn_method(rrtrace, number));
    return id;
}

static uint32_t method_of(struct rrtrace *rrtrace, uint64_t number)
{
    const uint64_t slot = number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CACHE_BITS); /* 2^64 by the golden ratio */
    if (rrtrace->cache[slot].number != number || !rrtrace->cache[slot].id) {
        rrtrace->cache[slot].id = find_method(rrtrace, number);
        rrtrace->cache[slot].number = number;
    }
    return rrtrace->cache[slot].id;
}

static void emit_return(struct rrtrace *rrtrace, int64_t ns, uint32_t method)
{
    struct rv_event_builder *builder = rrtrace->import.builder;
    if (rv_event_builder_return_of(builder, rrtrace->thread, ns, method, SEARCH_FRAMES))
        return;
    /* Return of a call from before the gem's start: there are always some. */
    rv_event_builder_return_alone(builder, rrtrace->thread, ns);
    rv_import_fault(&rrtrace->import, RV_FAULT_END_ALONE);
}

static void emit_thread(struct rrtrace *rrtrace, enum kind kind, uint32_t thread, int64_t ns)
{
    static const enum rv_thread_state states[] = {[THREAD_START] = RV_THREAD_STARTED,
                                                  [THREAD_READY] = RV_THREAD_READY,
                                                  [THREAD_SUSPENDED] = RV_THREAD_SUSPENDED,
                                                  [THREAD_RESUME] = RV_THREAD_RESUMED,
                                                  [THREAD_EXIT] = RV_THREAD_EXITED};
    rv_event_builder_state(rrtrace->import.builder, thread, ns, states[kind], 0);
    if (kind == THREAD_RESUME)
        resume(rrtrace, thread);
    if (kind == THREAD_SUSPENDED || kind == THREAD_EXIT)
        suspend(rrtrace, thread);
    if (kind == THREAD_EXIT)
        rv_event_builder_end_thread(rrtrace->import.builder, thread, ns);
}

/* Whose is a call, return or collection? */
static void look_who_runs(struct rrtrace *rrtrace, enum kind kind)
{
    if (rrtrace->n_running > 1) {
        rv_import_fault(&rrtrace->import, RV_FAULT_WHOSE);
        return;
    }
    if (kind <= RETURN && is_running(rrtrace, rrtrace->thread))
        rrtrace->threads[rrtrace->thread].is_main = true;
    rrtrace->has_changed = kind > RETURN;
}

static void emit_event(struct rrtrace *rrtrace, const struct event *event)
{
    struct rv_event_builder *builder = rrtrace->import.builder;
    int64_t ns = (int64_t)(event->when & ((1ull << KIND_SHIFT) - 1));
    enum kind kind = (enum kind)(event->when >> KIND_SHIFT);
    if (kind <= GC_END && rrtrace->has_changed)
        look_who_runs(rrtrace, kind);
    switch (kind) {
    case CALL:
        rv_event_builder_call(builder, rrtrace->thread, ns, method_of(rrtrace, event->data));
        return;
    case RETURN:
        emit_return(rrtrace, ns, method_of(rrtrace, event->data));
        return;
    case GC_START:
    case GC_END:
        rv_event_builder_gc(builder, rrtrace->thread, ns, kind == GC_START);
        return;
    case THREAD_START:
    case THREAD_READY:
    case THREAD_SUSPENDED:
    case THREAD_RESUME:
    case THREAD_EXIT:
        emit_thread(rrtrace, kind, thread_of(rrtrace, event->data), ns);
        return;
    }
    rv_import_fault(&rrtrace->import, RV_FAULT_NOT_READ);
}

/* ---- the ring ---- */

/* Without them the methods keep their numbers. */
static void open_names(struct rrtrace *rrtrace)
{
    const char *path = getenv(RV_RRTRACE_NAMES);
    int fd = opened_early.names_fd;
    opened_early.names_fd = -1;
    if (!path)
        return;
    if (fd < 0)
        fd = open_names_file(path);
    if (fd < 0 || rv_rrtrace_names_open(&rrtrace->names, fd) != 0)
        rv_warn("%s: no names of rrtrace's methods, which are shown by their numbers: %s", path, strerror(errno));
}

static int begin(struct rv_import *import)
{
    struct rrtrace *rrtrace = (struct rrtrace *)import;
    int pid, error = map_ring(rrtrace);
    if (error)
        return error;
    open_names(rrtrace);
    rrtrace->events = rv_alloc_scratch(RING_EVENTS, sizeof *rrtrace->events);
    const char *name = import->path + (*import->path == '/');
    rrtrace->pid = sscanf(name, "rrtrace_shm_%d_", &pid) == 1 && pid > 0 ? pid : 0;
    rrtrace->process = rv_event_builder_process(import->builder, (uint64_t)rrtrace->pid);
    rv_event_builder_name_process(import->builder, rrtrace->process, rv_import_string("ruby"));
    rv_event_builder_see_time(import->builder, 0);
    resume(rrtrace, thread_of(rrtrace, 0)); /* the thread that started the gem */
    return 0;
}

/* A forked copy of the program has ended: set by a signal handler. */
static atomic_bool has_copy_ended;

/*
 * Where the ring is full, the gem asks waitpid() whether its visualizer runs. Of a forked copy of the program that is no
 * child, so the copy writes no more: an unknown number of events. Without that a ring can be full, too.
 */
static void note_copy(struct rrtrace *rrtrace, uint64_t n_found)
{
    rrtrace->was_full |= n_found >= RING_EVENTS;
    if (!rrtrace->was_full || !atomic_exchange_explicit(&has_copy_ended, false, memory_order_relaxed))
        return;
    rv_import_fault(&rrtrace->import, RV_FAULT_COPY);
    rrtrace->was_full = false;
}

/* After a fork two processes write, overwrite each other's events and decrease the index. */
static uint32_t drain(struct rrtrace *rrtrace)
{
    uint64_t head = __atomic_load_n(rrtrace->write_index, __ATOMIC_ACQUIRE); /* Q2 <- Q1 */
    uint64_t tail = __atomic_load_n(rrtrace->read_index, __ATOMIC_RELAXED), n = head - tail;
    if (n > RING_EVENTS) {
        rv_import_fault(&rrtrace->import, RV_FAULT_LOST);
        n = (int64_t)n < 0 ? 0 : RING_EVENTS;
    }
    note_copy(rrtrace, n);
    const uint64_t first = (head - n) % RING_EVENTS, n_first = n < RING_EVENTS - first ? n : RING_EVENTS - first;
    memcpy(rrtrace->events, rrtrace->ring + first, n_first * sizeof *rrtrace->events);
    memcpy(rrtrace->events + n_first, rrtrace->ring, (n - n_first) * sizeof *rrtrace->events);
    __atomic_store_n(rrtrace->read_index, head, __ATOMIC_RELEASE); /* Q3 -> Q4 */
    return rv_sigbus_has_come() ? 0 : (uint32_t)n;
}

static int step(struct rv_import *import)
{
    struct rrtrace *rrtrace = (struct rrtrace *)import;
    uint32_t n = drain(rrtrace);
    for (uint32_t i = 0; i < n; i++)
        emit_event(rrtrace, &rrtrace->events[i]);
    return n > 0;
}

/* A zombie no longer writes. */
static bool has_program(const struct rrtrace *rrtrace)
{
    char state = rrtrace->pid ? rv_os_process_state(rrtrace->pid) : 'R';
    return state != '\0' && state != 'Z' && state != 'X';
}

/* A forked copy that ended before the program has sent its TERM by now: what it tells is part of the import. */
static bool has_ended(struct rv_import *import)
{
    sigset_t pending;
    return !has_program((const struct rrtrace *)import) && sigpending(&pending) == 0 && !sigismember(&pending, SIGTERM);
}

/*
 * When a program ends, the gem removes the memory's name and sends its visualizer TERM. So it does when a forked copy
 * of the program ends: once the name is gone, only the program's own TERM counts.
 */
static bool heeds(const struct rv_import *import, pid_t sender)
{
    const struct rrtrace *rrtrace = (const struct rrtrace *)import;
    struct stat status;
    bool has_name = fstat(rrtrace->fd, &status) != 0 || status.st_nlink > 0;
    if (has_name || sender == rrtrace->pid || !has_program(rrtrace))
        return true;
    atomic_store_explicit(&has_copy_ended, true, memory_order_relaxed);
    return false;
}

/* Version 0.1.0 of the gem expects its visualizer to remove the name. */
static void fini(struct rv_import *import)
{
    struct rrtrace *rrtrace = (struct rrtrace *)import;
    if (rrtrace->bytes) {
        rv_sigbus_release();
        munmap(rrtrace->ring, rrtrace->bytes);
        shm_unlink(import->path);
    }
    if (rrtrace->fd >= 0)
        close(rrtrace->fd);
    free(rrtrace->events);
    rv_hash_index_fini(&rrtrace->methods);
    rv_rrtrace_names_fini(&rrtrace->names);
}

const struct rv_import_format rv_import_rrtrace = {.name = "rrtrace",
                                                   .describe = "the rrtrace gem's ring",
                                                   .bytes = sizeof(struct rrtrace),
                                                   .begin = begin,
                                                   .step = step,
                                                   .has_ended = has_ended,
                                                   .heeds = heeds,
                                                   .fini = fini};
