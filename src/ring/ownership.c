/*
 * The state and generation of a ring are one 64-bit word. A claim has two steps: FREE -> CLAIMED by compare-and-swap,
 * then the lock byte. Taking a ring from its owner requires that lock byte too. So a claimer that dies or is preempted
 * between the two steps can only lose this ring: after locking it checks that the word is still its own.
 */
#include "ring/ownership.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "ring/file_pages.h"
#include "base/text.h"
#include "ring/process_liveness.h"
#include "ring/ring.h"
#include "ring/full_ring_policy.h"
#include "ring/live_stack.h"
#include "ring/program_name.h"

enum {
    CONSUMER_BYTE = 0,
    FIRST_RING_BYTE = 1,
    N_NAME_TRIES = 64,
};
#define COMING_NS 10000000000u /* wait for rings still to be drained: a starved consumer may pause for seconds */
#define WAIT_NS 100000000u
#define SOON_NS 200000u /* a free ring is held for a moment, by whom freed it or left it */

/* ---- processes ---- */

/* Entries are only appended, so an index identifies a process for the whole life of the file. */
static int append_process(struct rv_map *map)
{
    uint32_t *used = &map->header->n_processes_used;
    uint32_t idx = __atomic_load_n(used, __ATOMIC_RELAXED);
    do {
        if (idx >= map->geometry.n_processes)
            return -ENOSPC;
        int error = rv_map_allocate(map, map->geometry.processes.offset + idx * sizeof(struct rv_wire_process),
                                    sizeof(struct rv_wire_process));
        if (error)
            return error == -EBADF ? error : -ENOSPC;
    } while (!__atomic_compare_exchange_n(used, &idx, idx + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return (int)idx;
}

int rv_ownership_enter_process(struct rv_map *map)
{
    int saved = errno;
    int idx = append_process(map);
    if (idx >= 0) {
        struct rv_wire_process *process = rv_map_process(map, (uint32_t)idx);
        __atomic_store_n(&process->state, RV_PROCESS_CLAIMED, __ATOMIC_RELAXED);
        process->pid = (uint32_t)rv_os_proc_pid();
        process->parent_pid = (uint32_t)getppid();
        process->start = rv_os_process_start((pid_t)process->pid);
        process->born_ticks = rv_clock_ticks(map->clock.kind);
        rv_program_name(process->name, sizeof process->name);
        __atomic_store_n(&process->state, RV_PROCESS_LIVE, __ATOMIC_RELEASE); /* D1 -> D2 */
    }
    errno = saved;
    return idx;
}

void rv_ownership_leave_process(struct rv_map *map, uint32_t process_idx)
{
    struct rv_wire_process *process = rv_map_process(map, process_idx);
    __atomic_store_n(&process->ended_ticks, rv_clock_ticks(map->clock.kind), __ATOMIC_RELAXED);
    __atomic_store_n(&process->state, RV_PROCESS_ENDED, __ATOMIC_RELEASE); /* D1 -> D2 */
}

int rv_ownership_after_fork(struct rv_map *map)
{
    memset(map->held_rings, 0, sizeof map->held_rings);
    return rv_map_reopen(map);
}

/* ---- the state word ---- */

static uint64_t *state_word(struct rv_wire_control *control)
{
    return (uint64_t *)(void *)&control->state;
}

static uint64_t make_word(uint32_t state, uint32_t generation)
{
    return (uint64_t)generation << 32 | state;
}

static uint32_t state_of(uint64_t word)
{
    return (uint32_t)word;
}

static uint32_t generation_of(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

static bool swap_word(struct rv_wire_control *control, uint64_t from, uint64_t to)
{
    return __atomic_compare_exchange_n(state_word(control), &from, to, false, __ATOMIC_ACQ_REL, /* D3 -> D4, D4 <- D3 */
                                       __ATOMIC_RELAXED);
}

/* ---- which are free ---- */

static uint64_t *free_word(const struct rv_map *map)
{
    return (uint64_t *)(void *)&map->header->first_free_ring;
}

static uint64_t load_free(const struct rv_map *map)
{
    return __atomic_load_n(free_word(map), __ATOMIC_ACQUIRE); /* F2 <- F1 */
}

static uint32_t first_free(uint64_t seen)
{
    return (uint32_t)seen;
}

/* No ring below `first` was free when `seen` was read: later claims start there, unless a ring was freed meanwhile. */
static void pass_over(const struct rv_map *map, uint64_t seen, uint32_t first)
{
    uint64_t next = (seen & ~(uint64_t)UINT32_MAX) | first;
    __atomic_compare_exchange_n(free_word(map), &seen, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Claims start their search at this ring, or below it. */
static void point_at(const struct rv_map *map, uint32_t ring_idx)
{
    uint64_t seen = __atomic_load_n(free_word(map), __ATOMIC_RELAXED), next;
    do
        next = ((seen >> 32) + 1) << 32 | (first_free(seen) < ring_idx ? first_free(seen) : ring_idx);
    while (!__atomic_compare_exchange_n(free_word(map), &seen, next, false, __ATOMIC_RELEASE, /* F1 -> F2 */
                                        __ATOMIC_RELAXED));
}

static bool set_free(const struct rv_map *map, uint32_t ring_idx, uint64_t word)
{
    if (!swap_word(rv_map_control(map, ring_idx), word, make_word(RV_RING_FREE, generation_of(word))))
        return false;
    point_at(map, ring_idx);
    return true;
}

/* Give back its lock byte, too, and wake one thread that waits for a ring. */
static void unlock_free(const struct rv_map *map, uint32_t ring_idx)
{
    rv_process_liveness_unlock(map->fd, FIRST_RING_BYTE + ring_idx);
    rv_os_futex_wake_one(&map->header->n_rings_freed);
}

bool rv_ownership_has_free_ring(const struct rv_map *map)
{
    return first_free(load_free(map)) < map->geometry.n_rings;
}

/* ---- claim ---- */

/*
 * Threads of a process share its locks, so a bit per ring excludes them from each other: only the thread that set the
 * bit may lock and unlock the byte. Nobody waits for a bit; a signal handler that interrupts a claim tries the next
 * ring.
 */
static bool hold_ring(struct rv_map *map, uint32_t ring_idx)
{
    uint64_t bit = 1ull << ring_idx % 64;
    return !(__atomic_fetch_or(&map->held_rings[ring_idx / 64], bit, __ATOMIC_ACQUIRE) & bit); /* R2 <- R1 */
}

static void let_go_of_ring(struct rv_map *map, uint32_t ring_idx)
{
    __atomic_fetch_and(&map->held_rings[ring_idx / 64], ~(1ull << ring_idx % 64), __ATOMIC_RELEASE); /* R1 -> R2 */
}

bool rv_ownership_holds(const struct rv_map *map, uint32_t ring_idx)
{
    return __atomic_load_n(&map->held_rings[ring_idx / 64], __ATOMIC_RELAXED) >> ring_idx % 64 & 1;
}

static bool take_held_ring(struct rv_map *map, uint32_t ring_idx, uint64_t *word)
{
    struct rv_wire_control *control = rv_map_control(map, ring_idx);
    uint64_t seen = __atomic_load_n(state_word(control), __ATOMIC_RELAXED);
    if (state_of(seen) != RV_RING_FREE)
        return false;
    *word = make_word(RV_RING_CLAIMED, generation_of(seen) + 1);
    if (!swap_word(control, seen, *word))
        return false;
    if (!rv_process_liveness_lock(map->fd, FIRST_RING_BYTE + ring_idx)) {
        if (set_free(map, ring_idx, *word))
            rv_os_futex_wake_one(&map->header->n_rings_freed);
        return false;
    }
    if (__atomic_load_n(state_word(control), __ATOMIC_RELAXED) == *word)
        return true;
    /* Before we held the lock the consumer took us for dead: the ring is free again, or another thread's. */
    rv_process_liveness_unlock(map->fd, FIRST_RING_BYTE + ring_idx);
    return false;
}

/* The consumer then visits the ring, so also one whose claimer died halfway. */
static void raise_mark(struct rv_wire_header *header, uint32_t n_rings)
{
    uint32_t seen = __atomic_load_n(&header->n_rings_used, __ATOMIC_RELAXED);
    while (seen < n_rings && !__atomic_compare_exchange_n(&header->n_rings_used, &seen, n_rings, false,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* A ring is not read before its state has a page. */
static bool reach_ring(struct rv_map *map, uint32_t ring_idx)
{
    if (rv_file_pages_give_state(map, ring_idx))
        return false;
    raise_mark(map->header, ring_idx + 1);
    return true;
}

/* Also when another thread of this process still holds it: its previous owner, between release and the next claim. */
static bool is_free(const struct rv_map *map, uint32_t ring_idx)
{
    return __atomic_load_n(&rv_map_control(map, ring_idx)->state, __ATOMIC_RELAXED) == RV_RING_FREE;
}

/* Of a ring that was reached: true with *word = {CLAIMED, new generation}, and the lock byte held. */
static bool take_ring(struct rv_map *map, uint32_t ring_idx, uint64_t *word)
{
    if (!is_free(map, ring_idx) || !hold_ring(map, ring_idx))
        return false;
    bool is_taken = take_held_ring(map, ring_idx, word);
    if (!is_taken)
        let_go_of_ring(map, ring_idx);
    return is_taken;
}

static void give_up_ring(struct rv_map *map, uint32_t ring_idx, uint64_t word)
{
    set_free(map, ring_idx, word);
    unlock_free(map, ring_idx);
    let_go_of_ring(map, ring_idx);
}

static int give_pages(struct rv_map *map, uint32_t ring_idx)
{
    struct rv_wire_control *control = rv_map_control(map, ring_idx);
    uint64_t tail = __atomic_load_n(&control->tail, __ATOMIC_RELAXED); /* head will start here */
    int error = rv_file_pages_give_events(map, ring_idx, tail, RV_BACKING_FIRST_EVENTS);
    if (!error)
        __atomic_store_n(&control->has_pages, 1, __ATOMIC_RELAXED);
    return error;
}

static void reset_protocols(struct rv_map *map, struct rv_wire_control *control)
{
    struct rv_wire_header *header = map->header;
    __atomic_store_n(&control->trace, __atomic_load_n(&header->trace_on_create, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    __atomic_store_n(&control->signal, __atomic_load_n(&header->stop_on_create, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    __atomic_store_n(&control->command_ready, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&control->attention, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&control->is_muted, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&control->run_state, RV_RUN_UNSTEERED, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < RV_WIRE_WATCHES; i++) {
        __atomic_store_n(&control->watches[i].is_result_ready, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&control->watches[i].in_use, 0, __ATOMIC_RELAXED);
    }
}

static void reset_ring(struct rv_map *map, struct rv_wire_control *control, uint32_t process_idx,
                       const struct rv_ring_claim *as)
{
    uint64_t tail = __atomic_load_n(&control->tail, __ATOMIC_RELAXED);
    control->owner_pid = (uint32_t)getpid();
    control->owner_tid = as->tid ? as->tid : (uint32_t)rv_os_tid();
    control->process = process_idx;
    control->born_ticks = as->born_ticks ? as->born_ticks : rv_clock_ticks(map->clock.kind);
    __atomic_store_n(&control->exited_ticks, 0, __ATOMIC_RELAXED);
    control->claim_head = tail;
    __atomic_store_n(&control->head, tail, __ATOMIC_RELAXED);
    __atomic_store_n(&control->n_refused, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&control->n_lost_marks, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&control->n_stashed, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&control->blocking, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&control->creating, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&control->closing_ticks, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&control->is_waiting, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&control->is_overwriting, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&control->n_overwritten, 0, __ATOMIC_RELAXED);
    reset_protocols(map, control);
}

uint32_t rv_ownership_n_rings_used(const struct rv_map *map)
{
    uint32_t n = __atomic_load_n(&map->header->n_rings_used, __ATOMIC_RELAXED);
    return n < map->geometry.n_rings ? n : map->geometry.n_rings;
}

uint32_t rv_ownership_n_processes(const struct rv_map *map)
{
    const uint32_t n = __atomic_load_n(&map->header->n_processes_used, __ATOMIC_RELAXED);
    return n < map->geometry.n_processes ? n : map->geometry.n_processes;
}

/* -EAGAIN: none can be taken at this moment; -ENOSPC: there is no room for what a ring holds. */
static int claim(struct rv_map *map, uint32_t process_idx, const struct rv_ring_claim *as)
{
    if (rv_map_own_fd(map))
        return -ENOSPC;
    const uint64_t seen = load_free(map);
    uint32_t n_passed = first_free(seen);
    /* Those below the mark all have a page: none is left out. */
    for (uint32_t i = first_free(seen); i < map->geometry.n_rings && reach_ring(map, i); i++) {
        uint64_t word;
        bool is_taken = take_ring(map, i, &word);
        n_passed += n_passed == i && (is_taken || !is_free(map, i));
        if (!is_taken)
            continue;
        pass_over(map, seen, n_passed);
        if (give_pages(map, i)) {
            give_up_ring(map, i, word);
            return -ENOSPC;
        }
        struct rv_wire_control *control = rv_map_control(map, i);
        reset_ring(map, control, process_idx, as);
        struct rv_live_stack slots;
        rv_live_stack_view(&slots, map, i);
        rv_live_stack_clear(&slots);
        char name[sizeof control->thread_name];
        rv_program_name_of_thread(rv_map_process(map, process_idx)->name, name, sizeof name);
        rv_ownership_set_thread_name(map, i, name);
        __atomic_store_n(state_word(control), make_word(RV_RING_LIVE, generation_of(word)),
                         __ATOMIC_RELEASE); /* D1 -> D2 */
        return (int)i;
    }
    pass_over(map, seen, n_passed);
    return -EAGAIN;
}

/* Where the claim failed by -EAGAIN: it was freed since, or was held for a moment. */
static bool is_free_by_now(const struct rv_map *map, uint32_t ring_idx)
{
    if (!is_free(map, ring_idx))
        return false;
    if (first_free(load_free(map)) > ring_idx) /* the consumer may have been killed between the two */
        point_at(map, ring_idx);
    return true;
}

/*
 * `block` must not lose events, so a claim that failed waits for a ring that its owner has left: the consumer will free
 * it soon.
 */
static bool is_ring_coming(struct rv_map *map, int error)
{
    const uint32_t n_left = __atomic_load_n(&map->header->n_rings_left, __ATOMIC_ACQUIRE); /* X2 <- X1 */
    const uint32_t n_left_or_freed = n_left + (uint32_t)(load_free(map) >> 32);
    if (n_left_or_freed == __atomic_load_n(&map->n_rings_gone, __ATOMIC_RELAXED) ||
        map->geometry.policy != RV_POLICY_BLOCK || !rv_full_ring_has_consumer(map->header))
        return false;
    for (uint32_t i = 0; i < rv_ownership_n_rings_used(map); i++)
        if (__atomic_load_n(&rv_map_control(map, i)->state, __ATOMIC_RELAXED) == RV_RING_EXITED ||
            (error == -EAGAIN && is_free_by_now(map, i)))
            return true;
    if (error == -EAGAIN)
        __atomic_store_n(&map->n_rings_gone, n_left_or_freed, __ATOMIC_RELAXED);
    return false;
}

static int wait_for_ring(struct rv_map *map, uint32_t process_idx, const struct rv_ring_claim *as, int error)
{
    uint64_t begin_ns = rv_clock_mono_ns();
    while (is_ring_coming(map, error) && rv_clock_mono_ns() - begin_ns < COMING_NS) {
        uint32_t n_freed = (uint32_t)(load_free(map) >> 32);
        error = claim(map, process_idx, as);
        if (error >= 0)
            break;
        rv_ring_wake_consumer(map->header);
        bool is_soon = error == -EAGAIN && rv_ownership_has_free_ring(map);
        rv_os_futex_wait(&map->header->n_rings_freed, n_freed, is_soon ? SOON_NS : WAIT_NS);
    }
    return error;
}

static uint32_t recycle(struct rv_map *map);

bool rv_ownership_awaits_ring(struct rv_map *map)
{
    int saved = errno;
    const bool awaits = rv_ownership_has_free_ring(map) || recycle(map) || is_ring_coming(map, -EAGAIN);
    errno = saved;
    return awaits;
}

void rv_ownership_count_without_ring(struct rv_map *map)
{
    __atomic_fetch_add(&map->header->n_threads_without_ring, 1, __ATOMIC_RELAXED);
}

int rv_ownership_claim_as(struct rv_map *map, uint32_t process_idx, const struct rv_ring_claim *as)
{
    int saved = errno;
    int ring_idx = claim(map, process_idx, as);
    if (ring_idx < 0 && recycle(map))
        ring_idx = claim(map, process_idx, as);
    if (ring_idx < 0)
        ring_idx = wait_for_ring(map, process_idx, as, ring_idx);
    if (ring_idx < 0)
        rv_ownership_count_without_ring(map);
    else
        rv_ring_announce(map->header);
    errno = saved;
    return ring_idx < 0 ? -ENOSPC : ring_idx;
}

int rv_ownership_claim(struct rv_map *map, uint32_t process_idx)
{
    return rv_ownership_claim_as(map, process_idx, &(struct rv_ring_claim){0});
}

void rv_ownership_release(struct rv_map *map, uint32_t ring_idx)
{
    struct rv_wire_control *control = rv_map_control(map, ring_idx);
    uint32_t generation = generation_of(__atomic_load_n(state_word(control), __ATOMIC_RELAXED));
    __atomic_store_n(&control->exited_ticks, rv_clock_ticks(map->clock.kind), __ATOMIC_RELAXED);
    __atomic_store_n(state_word(control), make_word(RV_RING_EXITED, generation), __ATOMIC_RELEASE); /* D1 -> D2 */
    __atomic_fetch_add(&map->header->n_rings_left, 1, __ATOMIC_RELEASE);                            /* X1 -> X2 */
    if (rv_map_own_fd(map) == 0)
        rv_process_liveness_unlock(map->fd, FIRST_RING_BYTE + ring_idx);
    let_go_of_ring(map, ring_idx);
}

/* ---- liveness and reclaim ---- */

/* exec keeps pid and start time but registers a new process entry: then the image that owned the ring is gone. */
static bool has_later_image(const struct rv_map *map, uint32_t process_idx)
{
    const uint32_t n_used = rv_ownership_n_processes(map);
    const struct rv_wire_process *process = rv_map_process(map, process_idx);
    for (uint32_t i = process_idx + 1; i < n_used; i++) {
        const struct rv_wire_process *other = rv_map_process(map, i);
        if (__atomic_load_n(&other->state, __ATOMIC_ACQUIRE) >= RV_PROCESS_LIVE && /* D2 <- D1 */
            other->pid == process->pid && other->start == process->start)
            return true;
    }
    return false;
}

/* The lock is free: either the owner died, or it is alive but closed all its descriptors, ours included. */
static bool owner_only_lost_its_lock(const struct rv_map *map, const struct rv_wire_control *control)
{
    uint32_t process_idx = control->process;
    if (process_idx >= rv_ownership_n_processes(map))
        return false;
    const struct rv_wire_process *process = rv_map_process(map, process_idx);
    return rv_process_liveness_is_running(process->pid, process->start) && !has_later_image(map, process_idx) &&
           rv_process_liveness_maps_file(process->pid, map->inode);
}

bool rv_ownership_has_live_owner(const struct rv_map *map, uint32_t ring_idx)
{
    if (rv_process_liveness_is_locked(map->fd, FIRST_RING_BYTE + ring_idx, 1))
        return true;
    const struct rv_wire_control *control = rv_map_control(map, ring_idx);
    uint32_t state = __atomic_load_n(&control->state, __ATOMIC_ACQUIRE); /* D2 <- D1 */
    return state == RV_RING_LIVE && owner_only_lost_its_lock(map, control);
}

void rv_ownership_find_live_owners(const struct rv_map *map, uint64_t *has_live_owner)
{
    rv_process_liveness_find_locked(map->fd, FIRST_RING_BYTE, rv_ownership_n_rings_used(map), has_live_owner);
}

bool rv_ownership_revive(struct rv_map *map, uint32_t ring_idx, uint32_t generation)
{
    struct rv_wire_control *control = rv_map_control(map, ring_idx);
    uint64_t word = __atomic_load_n(state_word(control), __ATOMIC_ACQUIRE); /* D2 <- D1 */
    return (rv_process_liveness_is_locked(map->fd, FIRST_RING_BYTE + ring_idx, 1) ||
            owner_only_lost_its_lock(map, control)) &&
           swap_word(control, word, make_word(RV_RING_LIVE, generation));
}

/* Counted again by the next consumer if this one is killed before set_free(): more than there was, never less, and
 * only --info shows these totals. */
static void add_to_totals(struct rv_map *map, uint32_t ring_idx)
{
    struct rv_ring ring;
    rv_ring_view(&ring, map, ring_idx);
    struct rv_ring_account account = rv_ring_last_account(&ring);
    __atomic_fetch_add(&map->header->total_produced, account.n_produced, __ATOMIC_RELAXED);
    __atomic_fetch_add(&map->header->total_consumed, account.n_consumed, __ATOMIC_RELAXED);
    __atomic_fetch_add(&map->header->total_dropped, account.n_dropped, __ATOMIC_RELAXED);
    __atomic_fetch_add(&map->header->total_claims, 1, __ATOMIC_RELAXED);
}

static bool is_drained(const struct rv_wire_control *control)
{
    uint64_t head = __atomic_load_n(&control->head, __ATOMIC_ACQUIRE); /* C1 <- P1 */
    return (int64_t)(head - __atomic_load_n(&control->tail, __ATOMIC_RELAXED)) <= 0;
}

/* The next owner begins where this one did: those slots have pages, which its process has touched. */
static void rewind_ring(const struct rv_map *map, struct rv_wire_control *control)
{
    const uint64_t in_lap = map->geometry.ring_events - 1, tail = __atomic_load_n(&control->tail, __ATOMIC_RELAXED);
    __atomic_store_n(&control->tail, (tail + in_lap) & ~in_lap, __ATOMIC_RELAXED);
}

void rv_ownership_reclaim(struct rv_map *map, uint32_t ring_idx)
{
    struct rv_wire_control *control = rv_map_control(map, ring_idx);
    if (!rv_process_liveness_lock(map->fd, FIRST_RING_BYTE + ring_idx))
        return;
    uint64_t word = __atomic_load_n(state_word(control), __ATOMIC_ACQUIRE); /* D2 <- D1 */
    uint32_t state = state_of(word);
    bool is_dead_claim = state == RV_RING_CLAIMED;
    bool is_done = state == RV_RING_EXITED || (state == RV_RING_LIVE && !owner_only_lost_its_lock(map, control));
    is_done = is_done && is_drained(control);
    if (is_done) {
        add_to_totals(map, ring_idx);
        rewind_ring(map, control);
    }
    if ((is_dead_claim || is_done || state >= RV_RING_STATE_COUNT) && set_free(map, ring_idx, word))
        unlock_free(map, ring_idx);
    else
        rv_process_liveness_unlock(map->fd, FIRST_RING_BYTE + ring_idx);
}

static bool has_events(const struct rv_wire_control *control)
{
    return __atomic_load_n(&control->head, __ATOMIC_RELAXED) != control->claim_head;
}

/* Drop the unread events and count them as overwritten. False when a consumer has read some meanwhile. */
static bool discard_events(struct rv_map *map, uint32_t ring_idx)
{
    struct rv_wire_control *control = rv_map_control(map, ring_idx);
    uint64_t tail = __atomic_load_n(&control->tail, __ATOMIC_RELAXED);
    uint64_t head = __atomic_load_n(&control->head, __ATOMIC_ACQUIRE); /* C1 <- P1 */
    if (!is_drained(control)) {
        if (!__atomic_compare_exchange_n(&control->tail, &tail, head, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return false;
        __atomic_fetch_add(&control->n_overwritten, head - tail, __ATOMIC_RELAXED);
    }
    add_to_totals(map, ring_idx);
    return true;
}

static bool recycle_held_ring(struct rv_map *map, uint32_t ring_idx, bool may_discard)
{
    struct rv_wire_control *control = rv_map_control(map, ring_idx);
    if (!rv_process_liveness_lock(map->fd, FIRST_RING_BYTE + ring_idx))
        return false;
    uint64_t word = __atomic_load_n(state_word(control), __ATOMIC_ACQUIRE); /* D2 <- D1 */
    uint32_t state = state_of(word);
    bool is_done = state == RV_RING_EXITED || (state == RV_RING_LIVE && !owner_only_lost_its_lock(map, control));
    if (is_done && has_events(control))
        is_done = may_discard && discard_events(map, ring_idx);
    bool is_free = (state == RV_RING_CLAIMED || is_done) && set_free(map, ring_idx, word);
    if (is_free)
        unlock_free(map, ring_idx);
    else
        rv_process_liveness_unlock(map->fd, FIRST_RING_BYTE + ring_idx);
    return is_free;
}

static bool recycle_ring(struct rv_map *map, uint32_t ring_idx, bool may_discard)
{
    const struct rv_wire_control *control = rv_map_control(map, ring_idx);
    uint32_t state = __atomic_load_n(&control->state, __ATOMIC_RELAXED);
    if (state == RV_RING_FREE || (state == RV_RING_EXITED && !may_discard && has_events(control)))
        return false;
    if (!hold_ring(map, ring_idx))
        return false; /* held by another thread of this process */
    bool is_free = recycle_held_ring(map, ring_idx, may_discard);
    let_go_of_ring(map, ring_idx);
    return is_free;
}

static bool is_drained_by_another(struct rv_map *map)
{
    return rv_map_own_fd(map) || rv_process_liveness_is_locked(map->fd, CONSUMER_BYTE, 1);
}

bool rv_ownership_recycle_ring(struct rv_map *map, uint32_t ring_idx)
{
    return !is_drained_by_another(map) && recycle_ring(map, ring_idx, false);
}

/* The same of all rings. Those with events are kept for a later consumer; under policy `ring`, at most one of them is
 * discarded and freed. Returns the rings freed. */
static uint32_t recycle(struct rv_map *map)
{
    uint32_t n_freed = 0, n_used = is_drained_by_another(map) ? 0 : rv_ownership_n_rings_used(map);
    for (uint32_t i = 0; i < n_used; i++)
        n_freed += recycle_ring(map, i, n_freed == 0 && map->geometry.policy == RV_POLICY_RING);
    return n_freed;
}

/* ---- thread names ---- */

void rv_ownership_set_thread_name(struct rv_map *map, uint32_t ring_idx, const char *name)
{
    struct rv_wire_control *control = rv_map_control(map, ring_idx);
    uint64_t words[sizeof control->thread_name / sizeof(uint64_t)] = {0};
    memcpy(words, name, strnlen(name, sizeof control->thread_name - 1));
    uint32_t sequence = __atomic_load_n(&control->name_is_set, __ATOMIC_RELAXED) | 1;
    __atomic_store_n(&control->name_is_set, sequence, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE); /* T1 -> T2 */
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        __atomic_store_n((uint64_t *)(void *)control->thread_name + i, words[i], __ATOMIC_RELAXED);
    __atomic_store_n(&control->name_is_set, sequence + 1, __ATOMIC_RELEASE); /* T3 -> T4 */
}

void rv_ownership_thread_name(const struct rv_map *map, uint32_t ring_idx, char out[64])
{
    const struct rv_wire_control *control = rv_map_control(map, ring_idx);
    uint64_t words[sizeof control->thread_name / sizeof(uint64_t)];
    for (unsigned n_tries = 0; n_tries < N_NAME_TRIES; n_tries++) {
        uint32_t sequence = __atomic_load_n(&control->name_is_set, __ATOMIC_ACQUIRE); /* T4 <- T3 */
        for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
            words[i] = __atomic_load_n((const uint64_t *)(const void *)control->thread_name + i, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_ACQUIRE); /* T2 <- T1 */
        if (!(sequence & 1) && __atomic_load_n(&control->name_is_set, __ATOMIC_RELAXED) == sequence)
            break;
    }
    (void)rv_text_escape(out, 64, (const char *)words, strnlen((const char *)words, sizeof words));
}

/* ---- the consumer ---- */

int rv_ownership_attach_consumer(struct rv_map *map)
{
    if (map->mode == RV_MAP_OBSERVER)
        return -EINVAL;
    if (rv_map_own_fd(map) || !rv_process_liveness_lock(map->fd, CONSUMER_BYTE))
        return -EBUSY;
    __atomic_store_n(&map->header->heartbeat_ns, rv_clock_mono_ns(), __ATOMIC_RELAXED);
    __atomic_store_n(&map->header->consumer_pid, (uint32_t)getpid(), __ATOMIC_RELEASE); /* H1 -> H2 */
    return 0;
}

void rv_ownership_detach_consumer(struct rv_map *map)
{
    __atomic_store_n(&map->header->consumer_pid, 0, __ATOMIC_RELEASE); /* H1 -> H2 */
    __atomic_store_n(&map->header->heartbeat_ns, 0, __ATOMIC_RELAXED);
    __atomic_fetch_add(&map->header->drain_turns, 1, __ATOMIC_RELEASE); /* C2 -> P2 */
    rv_os_futex_wake(&map->header->drain_turns);
    if (rv_map_own_fd(map) == 0)
        rv_process_liveness_unlock(map->fd, CONSUMER_BYTE);
}
