/*
 * The ring of the rrtrace gem, live: shared memory with 65,536 events and two indices that only rise. All threads of
 * the program write into it; an event belongs to the thread that was resumed last. Methods have numbers, no names.
 *
 * A return is told by its method: it ends the innermost open call of that, and what is open inside of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/os.h"
#include "source/import_formats.h"

enum { RING_EVENTS = 65536, SEARCH_FRAMES = 4096, KIND_SHIFT = 60, CACHE_SLOTS = 4096 };

enum kind { CALL, RETURN, GC_START, GC_END, THREAD_START, THREAD_READY, THREAD_SUSPENDED, THREAD_RESUME, THREAD_EXIT };

struct event {
    uint64_t when; /* kind << 60 | ns since the gem began */
    uint64_t data; /* number of the method or thread */
};

struct ring {
    struct event events[RING_EVENTS];
    uint64_t write_index; /* [atomic] Q1 -> Q2: the gem publishes it after the event */
    uint64_t writers[7];
    uint64_t read_index; /* [atomic] Q4 <- Q3: the gem reads it before it overwrites */
    uint64_t readers[7];
};
_Static_assert(sizeof(struct ring) == 1048704, "as the gem lays it out");

struct rrtrace {
    struct rv_import import; /* first */
    struct ring *ring;       /* NULL = not mapped */
    struct event *events;    /* copied out of it */
    pid_t pid;               /* of the program; 0 where the name does not tell */
    uint32_t process, thread;
    struct {
        uint64_t number;
        uint32_t id; /* 0 = free */
    } methods[CACHE_SLOTS];
};

static int open_object(const char *name)
{
    int fd = shm_open(name, O_RDWR | O_CLOEXEC, 0);
    struct stat status;
    if (fd < 0)
        return rv_err_sys("%s: shared memory of rrtrace", name);
    if (fstat(fd, &status) == 0 && status.st_uid == geteuid() && status.st_size >= (off_t)sizeof(struct ring))
        return fd;
    close(fd);
    return rv_err(EBADMSG, "%s: not the shared memory of an rrtrace of yours", name);
}

static int begin(struct rv_import *import)
{
    struct rrtrace *rrtrace = (struct rrtrace *)import;
    int fd = open_object(import->path), pid;
    if (fd < 0)
        return fd;
    void *memory = mmap(NULL, sizeof(struct ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory == MAP_FAILED)
        return rv_err_sys("%s: mmap", import->path);
    rrtrace->ring = memory;
    rrtrace->events = malloc(sizeof rrtrace->ring->events);
    if (!rrtrace->events)
        return rv_err(ENOMEM, "%s", import->path);
    const char *name = import->path + (*import->path == '/');
    rrtrace->pid = sscanf(name, "rrtrace_shm_%d_", &pid) == 1 && pid > 0 ? pid : 0;
    rrtrace->process = rv_emitter_process(import->emitter, (uint64_t)rrtrace->pid);
    rrtrace->thread = rv_emitter_thread(import->emitter, rrtrace->process, 0, 0);
    rv_emitter_name_process(import->emitter, rrtrace->process, rv_import_string("ruby"));
    rv_emitter_see_time(import->emitter, 0);
    return 0;
}

/* ---- events ---- */

static uint32_t thread_of(struct rrtrace *rrtrace, uint64_t number)
{
    return rv_emitter_thread(rrtrace->import.emitter, rrtrace->process, (uint32_t)number, 0);
}

static uint32_t method_of(struct rrtrace *rrtrace, uint64_t number)
{
    uint64_t slot = rv_hash_u64(number) % CACHE_SLOTS;
    if (rrtrace->methods[slot].id && rrtrace->methods[slot].number == number)
        return rrtrace->methods[slot].id;
    char name[40];
    struct rv_emitter_text none = {0};
    int n = snprintf(name, sizeof name, "method %llu", (unsigned long long)number);
    rrtrace->methods[slot].number = number;
    return rrtrace->methods[slot].id =
               rv_emitter_intern(rrtrace->import.emitter, none, rv_import_text(name, (size_t)n), none, 0);
}

static void tell_return(struct rrtrace *rrtrace, int64_t ns, uint32_t method)
{
    struct rv_emitter *emitter = rrtrace->import.emitter;
    size_t n = rv_emitter_depth(emitter, rrtrace->thread);
    const uint32_t *open = rv_emitter_stack(emitter, rrtrace->thread);
    for (size_t depth = n; depth-- > 0 && n - depth < SEARCH_FRAMES;)
        if (open[depth] == method) {
            rv_emitter_return_from(emitter, rrtrace->thread, ns, depth);
            return;
        }
    /* A call from before the gem was started: there are always some. */
}

static void tell(struct rrtrace *rrtrace, const struct event *event)
{
    struct rv_emitter *emitter = rrtrace->import.emitter;
    int64_t ns = (int64_t)(event->when & ((1ull << KIND_SHIFT) - 1));
    switch ((enum kind)(event->when >> KIND_SHIFT)) {
    case CALL:
        rv_emitter_call(emitter, rrtrace->thread, ns, method_of(rrtrace, event->data));
        return;
    case RETURN:
        tell_return(rrtrace, ns, method_of(rrtrace, event->data));
        return;
    case GC_START:
    case GC_END:
        rv_emitter_gc(emitter, rrtrace->thread, ns, event->when >> KIND_SHIFT == GC_START);
        return;
    case THREAD_START:
        rv_emitter_state(emitter, thread_of(rrtrace, event->data), ns, RV_THREAD_STARTED);
        return;
    case THREAD_READY:
        rv_emitter_state(emitter, thread_of(rrtrace, event->data), ns, RV_THREAD_READY);
        return;
    case THREAD_SUSPENDED: /* a call that comes next is still its own */
        rv_emitter_state(emitter, thread_of(rrtrace, event->data), ns, RV_THREAD_SUSPENDED);
        return;
    case THREAD_RESUME:
        rrtrace->thread = thread_of(rrtrace, event->data);
        rv_emitter_state(emitter, rrtrace->thread, ns, RV_THREAD_RESUMED);
        return;
    case THREAD_EXIT:
        rv_emitter_state(emitter, thread_of(rrtrace, event->data), ns, RV_THREAD_EXITED);
        rv_emitter_end_thread(emitter, thread_of(rrtrace, event->data), ns);
        return;
    }
    rv_import_fault(&rrtrace->import, RV_FAULT_NOT_READ);
}

/* ---- the ring ---- */

static uint32_t drain(struct rrtrace *rrtrace)
{
    struct ring *ring = rrtrace->ring;
    uint64_t head = __atomic_load_n(&ring->write_index, __ATOMIC_ACQUIRE); /* Q2 <- Q1 */
    uint64_t tail = __atomic_load_n(&ring->read_index, __ATOMIC_RELAXED), n = head - tail;
    if (n > RING_EVENTS) {
        rv_import_fault(&rrtrace->import, RV_FAULT_LOST);
        n = RING_EVENTS;
    }
    for (uint64_t i = 0; i < n; i++)
        rrtrace->events[i] = ring->events[(head - n + i) % RING_EVENTS];
    __atomic_store_n(&ring->read_index, head, __ATOMIC_RELEASE); /* Q3 -> Q4 */
    return (uint32_t)n;
}

static int step(struct rv_import *import)
{
    struct rrtrace *rrtrace = (struct rrtrace *)import;
    uint32_t n = drain(rrtrace);
    for (uint32_t i = 0; i < n; i++)
        tell(rrtrace, &rrtrace->events[i]);
    return n > 0;
}

/* A zombie writes no more. */
static bool has_ended(struct rv_import *import)
{
    const struct rrtrace *rrtrace = (const struct rrtrace *)import;
    char state = rrtrace->pid ? rv_os_process_state(rrtrace->pid) : 'R';
    return state == '\0' || state == 'Z' || state == 'X';
}

/* The gem leaves it to its visualizer to remove the name. */
static void fini(struct rv_import *import)
{
    struct rrtrace *rrtrace = (struct rrtrace *)import;
    if (!rrtrace->ring)
        return;
    munmap(rrtrace->ring, sizeof *rrtrace->ring);
    shm_unlink(import->path);
    free(rrtrace->events);
}

const struct rv_import_format rv_import_rrtrace = {.name = "rrtrace",
                                                   .describe = "the rrtrace gem's ring",
                                                   .bytes = sizeof(struct rrtrace),
                                                   .begin = begin,
                                                   .step = step,
                                                   .has_ended = has_ended,
                                                   .fini = fini};
