/* Opened by the first event of the process; what goes wrong then closes it for good, silently. */
#include "producers/native/process.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os.h"
#include "producers/native/own_lock.h"
#include "producers/native/shadow_stack.h"
#include "ring/ownership.h"
#include "ring/refused_processes.h"

enum open_state { UNTRIED, OPEN, CLOSED };

#define LOCK_WAIT_NS 100000000u

static struct {
    uint32_t lock;  /* rv_lock */
    uint32_t state; /* enum open_state */
    uint32_t idx;
    uint32_t is_shut_out;         /* by fork: the child may not open the file, and has not called anything yet */
    bool is_confined;             /* [atomic] */
    bool has_left, has_push_left; /* the file was closed while all threads stood still; a push in it continues */
    uint64_t patching_ns;         /* [atomic] */
    intptr_t gate;                /* a forked child has lost it */
    long only;                    /* pid that alone is traced, kept for children: programs clear environments; 0: all */
    struct rv_map map;
    struct rv_wire_instrumentation instrumentation; /* by word, [atomic]: as in the file, once this is open */
} process;

uint32_t rv_process_limit;

static void set_gate(intptr_t gate)
{
    process.gate = gate;
    __atomic_store_n(&rv_wiped.gate, gate, __ATOMIC_RELAXED);
}

void rv_process_set_gate(intptr_t gate)
{
    if (process.state != CLOSED)
        set_gate(gate);
}

static intptr_t gate_of_all(void)
{
#if defined(__x86_64__) && defined(__LP64__)
    intptr_t from_thread_pointer;
    __asm__("mov rv_thread@gottpoff(%%rip), %0" : "=r"(from_thread_pointer));
    return from_thread_pointer;
#else
    return INTPTR_MIN;
#endif
}

void rv_process_open_gate(void)
{
    rv_process_set_gate(gate_of_all());
}

static bool holds_rings(void)
{
    bool holds = false;
    for (uint32_t i = 0; i < sizeof process.map.held_rings / sizeof *process.map.held_rings; i++)
        holds |= __atomic_load_n(&process.map.held_rings[i], __ATOMIC_RELAXED) != 0;
    return holds;
}

void rv_process_close_gate(void)
{
    if (!rv_process_lock_within())
        return;
    if (process.state == CLOSED && !holds_rings())
        set_gate(RV_GATE_CLOSED);
    rv_process_unlock();
}

bool rv_process_is_closed(void)
{
    return __atomic_load_n(&process.state, __ATOMIC_RELAXED) == CLOSED;
}

bool rv_process_is_open(void)
{
    return __atomic_load_n(&process.state, __ATOMIC_ACQUIRE) == OPEN; /* O2 <- O1 */
}

void rv_process_confine(void)
{
    __atomic_store_n(&process.is_confined, true, __ATOMIC_RELAXED);
}

bool rv_process_is_confined(void)
{
    return __atomic_load_n(&process.is_confined, __ATOMIC_RELAXED);
}

struct rv_map *rv_process_map(void)
{
    return &process.map;
}

uint32_t rv_process_idx(void)
{
    return process.idx;
}

void rv_process_lock(void)
{
    rv_own_lock_take(&process.lock);
}

bool rv_process_lock_within(void)
{
    return rv_own_lock_take_before(&process.lock, rv_clock_mono_ns() + LOCK_WAIT_NS);
}

bool rv_process_try_lock(void)
{
    return rv_own_lock_take_before(&process.lock, 0);
}

void rv_process_unlock(void)
{
    rv_own_lock_release(&process.lock);
}

static void publish_instrumentation(void)
{
    const uint32_t *from = (const uint32_t *)&process.instrumentation;
    uint32_t *to = (uint32_t *)&rv_map_process(&process.map, process.idx)->instrumentation;
    for (size_t i = 0; i < sizeof process.instrumentation / sizeof *from; i++)
        __atomic_store_n(&to[i], __atomic_load_n(&from[i], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

void rv_process_use_instrument(enum rv_instrument instrument)
{
    uint32_t *instruments = &process.instrumentation.instruments;
    if (__atomic_load_n(instruments, __ATOMIC_RELAXED) & instrument)
        return;
    __atomic_fetch_or(instruments, instrument, __ATOMIC_RELAXED);
    if (rv_process_is_open())
        publish_instrumentation();
}

void rv_process_drop_instrument(enum rv_instrument instrument)
{
    __atomic_fetch_and(&process.instrumentation.instruments, ~(uint32_t)instrument, __ATOMIC_RELAXED);
}

void rv_process_set_runtime(const char *text)
{
    char *runtime = process.instrumentation.runtime;
    strncpy(runtime, text, sizeof process.instrumentation.runtime - 1);
    rv_process_use_instrument(RV_INSTRUMENT_RUNTIME);
}

void rv_process_set_patches(const struct rv_wire_instrumentation *patches)
{
    const uint32_t *from = (const uint32_t *)patches;
    uint32_t *to = (uint32_t *)&process.instrumentation;
    for (size_t i = offsetof(struct rv_wire_instrumentation, n_functions) / sizeof *from;
         i < offsetof(struct rv_wire_instrumentation, runtime) / sizeof *from; i++)
        __atomic_store_n(&to[i], from[i], __ATOMIC_RELAXED);
    __atomic_store_n(&process.instrumentation.n_filtered, patches->n_filtered, __ATOMIC_RELAXED);
    rv_process_use_instrument(RV_INSTRUMENT_PATCHES);
    if (rv_process_is_open())
        publish_instrumentation();
}

static void publish_patching(void)
{
    __atomic_store_n(&rv_map_process(&process.map, process.idx)->patching_ns,
                     __atomic_load_n(&process.patching_ns, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

void rv_process_count_patching(uint64_t ns)
{
    __atomic_store_n(&process.patching_ns, process.patching_ns + ns, __ATOMIC_RELAXED);
    if (rv_process_is_open())
        publish_patching();
}

static int enter(void)
{
    int idx = rv_ownership_enter_process(&process.map);
    if (idx < 0) {
        rv_ownership_count_without_ring(&process.map);
        return idx;
    }
    process.idx = (uint32_t)idx;
    publish_instrumentation();
    publish_patching();
    return 0;
}

/* As it was before any file was open. A push that goes on needs what it knows of. */
static void forget_left_file(void)
{
    if (!process.has_push_left)
        munmap(process.map.base, process.map.n_bytes);
    process.map = (struct rv_map){0};
    process.has_left = process.has_push_left = false;
}

static bool is_left_alone(void)
{
    return process.only && process.only != getpid();
}

const char *rv_process_path(void)
{
    const char *only = secure_getenv("RINGVIZ_ONLY");
    if (only)
        process.only = strtol(only, NULL, 10);
    return is_left_alone() ? NULL : secure_getenv("RINGVIZ_FILE");
}

/* With what has no allocation of its own later. */
static int open_map(const char *path)
{
    struct rv_map *map = &process.map;
    int error = rv_map_open(map, path, RV_MAP_PRODUCER, true);
    if (error)
        return error;
    error = rv_map_allocate(map, map->geometry.transfers.offset, map->geometry.transfers.n_bytes);
    if (error)
        rv_map_close(map);
    return error;
}

/* Where the address space is limited there may still be room for the header. */
static void count_without_room(const char *path)
{
    struct rv_wire_header *header = rv_map_open_header(path);
    if (!header)
        return;
    __atomic_fetch_add(&header->n_threads_without_ring, 1, __ATOMIC_RELAXED);
    munmap(header, sizeof *header);
}

static int open_locked(const char *path)
{
    if (process.has_left)
        forget_left_file();
    else if (process.map.header) /* closed once: threads may still hold pointers into this mapping */
        return path && strcmp(path, process.map.path) != 0 ? -EBUSY : enter();
    if (!path)
        path = rv_process_path();
    if (!path || !*path)
        return -ENOENT;
    int error = open_map(path);
    if (error == -EACCES)
        rv_refused_processes_add(path);
    else if (error)
        count_without_room(path);
    if (error)
        process.map.header = NULL;
    return error ? error : enter();
}

/* Where a filter decides which calls count, the first verdicts limit depth. */
static intptr_t first_gate(void)
{
    const struct rv_wire_header *geometry = &process.map.geometry;
    rv_process_limit = geometry->max_depth <= RV_SHADOW_KEPT_MAX ? geometry->max_depth : 0;
    return rv_process_limit && !geometry->is_filtered ? RV_GATE_ALL_KEPT | RV_GATE_IS_LIMITED : gate_of_all();
}

int rv_process_open(const char *path)
{
    if (rv_process_is_open())
        return 0;
    rv_process_lock();
    int error = 0;
    if (process.state == UNTRIED || (process.state == CLOSED && path)) {
        error = open_locked(path);
        set_gate(error ? 0 : first_gate());
        __atomic_store_n(&process.state, error ? CLOSED : OPEN, __ATOMIC_RELEASE); /* O1 -> O2 */
    } else if (process.state == CLOSED) {
        error = -ENOENT;
    }
    rv_process_unlock();
    return error;
}

void rv_process_end(void)
{
    if (rv_process_is_open())
        rv_ownership_leave_process(&process.map, process.idx);
}

void rv_process_miss_event(void)
{
    if (__atomic_load_n(&process.is_shut_out, __ATOMIC_RELAXED) &&
        __atomic_exchange_n(&process.is_shut_out, 0, __ATOMIC_RELAXED))
        rv_ownership_count_without_ring(&process.map);
}

void rv_process_close(void)
{
    rv_process_lock();
    rv_process_end();
    __atomic_store_n(&process.state, CLOSED, __ATOMIC_RELAXED);
    rv_process_unlock();
}

void rv_process_abandon(void)
{
    rv_process_lock();
    rv_process_end();
    if (rv_process_is_open())
        rv_ownership_count_without_ring(&process.map);
    __atomic_store_n(&process.state, CLOSED, __ATOMIC_RELAXED);
    set_gate(RV_GATE_CLOSED);
    rv_process_unlock();
}

bool rv_process_is_locked(void)
{
    return __atomic_load_n(&process.lock, __ATOMIC_RELAXED) != 0;
}

int rv_process_leave_file(bool has_push_left)
{
    if (process.state != OPEN)
        return 0;
    rv_process_end();
    process.state = CLOSED;
    process.has_left = true;
    process.has_push_left = has_push_left;
    set_gate(RV_GATE_CLOSED);
    return rv_map_leave(&process.map);
}

void rv_process_restart(int left_ring, bool has_lock)
{
    const bool is_torn = process.lock && !has_lock;
    int error = is_torn ? -EAGAIN : 0;
    process.patching_ns = 0; /* its parent's */
    if (!error && (process.state == OPEN || left_ring >= 0))
        error = rv_ownership_after_fork(&process.map);
    process.is_shut_out = process.state == OPEN && error && left_ring < 0;
    if (left_ring >= 0) {
        int leave_error = rv_map_leave_ring(&process.map, (uint32_t)left_ring);
        error = error ? error : leave_error;
    }
    const bool is_alone = is_left_alone();
    if (is_torn || (process.state == OPEN && (error || is_alone || enter() != 0)))
        process.state = CLOSED;
    set_gate(is_alone ? RV_GATE_CLOSED : process.gate);
    process.lock = 0; /* its waiters are in the parent */
}
