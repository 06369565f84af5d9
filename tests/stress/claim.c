/*
 * Many processes claim and release few rings as fast as they can, some are killed meanwhile, one consumer reclaims: no
 * ring ever has two live owners, and no event is lost.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "ring/ownership.h"
#include "ring/process_liveness.h"
#include "ring/ring.h"

static const uint64_t LEAK_NS = 60000000000; /* without a claim */

enum {
    N_RINGS = 16,
    N_WORKERS = 64,
    N_CLAIMS = 1000,
    N_VICTIMS = 4,
    KILL_INTERVAL_NS = 5000000,
    BACK_OFF_NS = 1000000,
    MAX_PID = 1 << 22
};

/* Kept apart from the trace file: what the test knows. */
struct truth {
    int owner[N_RINGS];
    uint8_t was_killed[MAX_PID];
    uint64_t n_pushed;
    uint32_t n_claims, n_done;
    bool has_failed;
};
static struct truth *truth;

static void fail(const char *what, int ring, int value)
{
    fprintf(stderr, "ring %d: %s (%d)\n", ring, what, value);
    __atomic_store_n(&truth->has_failed, true, __ATOMIC_SEQ_CST);
    _exit(1);
}

static void check_in(int ring)
{
    int before = __atomic_exchange_n(&truth->owner[ring], (int)getpid(), __ATOMIC_SEQ_CST);
    if (before && !__atomic_load_n(&truth->was_killed[before], __ATOMIC_SEQ_CST))
        fail("claimed while owned", ring, before);
}

static void check_out(int ring)
{
    int before = __atomic_exchange_n(&truth->owner[ring], 0, __ATOMIC_SEQ_CST);
    if (before != getpid())
        fail("taken while owned", ring, before);
}

static void push_one(const struct rv_map *map, int ring)
{
    struct rv_wire_control *control = rv_map_control(map, (uint32_t)ring);
    uint64_t head = control->head;
    if (head != control->claim_head || head != __atomic_load_n(&control->tail, __ATOMIC_ACQUIRE))
        fail("given away undrained", ring, (int)head);
    rv_map_events(map, (uint32_t)ring)[head % map->geometry.ring_events] = (struct rv_event){.id = (uint32_t)getpid()};
    __atomic_store_n(&control->head, head + 1, __ATOMIC_RELEASE);
}

static void work(const char *path, unsigned n_claims)
{
    struct rv_map map;
    if (rv_map_open(&map, path, RV_MAP_PRODUCER, false))
        fail("open", -1, 0);
    int process = rv_ownership_enter_process(&map);
    for (unsigned i = 0; i < n_claims;) {
        int ring = rv_ownership_claim(&map, process < 0 ? 0 : (uint32_t)process);
        if (ring < 0) {
            rv_os_sleep_ns(BACK_OFF_NS); /* leave the processor to the consumer, which frees them */
            continue;
        }
        check_in(ring);
        push_one(&map, ring);
        __atomic_fetch_add(&truth->n_claims, 1, __ATOMIC_RELAXED);
        check_out(ring);
        rv_ownership_release(&map, (uint32_t)ring);
        i++;
    }
    __atomic_fetch_add(&truth->n_done, 1, __ATOMIC_SEQ_CST);
    for (;;)
        pause(); /* alive: a lock that was left behind stays */
}

static pid_t start(const char *path, unsigned n_claims)
{
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        work(path, n_claims);
    }
    return pid;
}

static void turn(struct rv_map *map)
{
    for (uint32_t i = 0; i < rv_ownership_n_rings_used(map); i++) {
        struct rv_ring ring;
        struct rv_event events[4];
        rv_ring_view(&ring, map, i);
        uint32_t state = __atomic_load_n(&ring.control->state, __ATOMIC_ACQUIRE);
        if (state == RV_RING_FREE || (state == RV_RING_LIVE && rv_ownership_has_live_owner(map, i)))
            continue;
        rv_ring_pop(&ring, events, 4);
        rv_ownership_reclaim(map, i);
    }
}

/* Read the rings while one worker is stopped anywhere, perhaps in the middle of a claim. */
static void turn_while_asleep(struct rv_map *map, pid_t worker)
{
    siginfo_t info;
    bool is_stopped =
        worker && kill(worker, SIGSTOP) == 0 && waitid(P_PID, (id_t)worker, &info, WSTOPPED | WEXITED | WNOWAIT) == 0;
    turn(map);
    turn(map);
    if (is_stopped)
        kill(worker, SIGCONT);
}

int main(void)
{
    char path[] = "/tmp/ringviz-stress-claim-XXXXXX";
    close(mkstemp(path));
    unlink(path);
    truth = mmap(NULL, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct rv_map map;
    struct rv_map_params params = {
        .n_rings = N_RINGS, .ring_events = 64, .n_slots = 1, .n_names = 1000, .clock_kind = RV_CLOCK_MONOTONIC};
    if (truth == MAP_FAILED || rv_map_create(&map, path, &params))
        return 1;

    pid_t victims[N_VICTIMS], workers[N_WORKERS];
    for (int i = 0; i < N_WORKERS; i++)
        workers[i] = start(path, N_CLAIMS);
    for (int i = 0; i < N_VICTIMS; i++)
        victims[i] = start(path, UINT32_MAX);
    uint64_t last_kill_ns = rv_clock_mono_ns(), last_claim_ns = last_kill_ns;
    unsigned n_kills = 0, n_claims = 0;
    for (unsigned n_turns = 0; __atomic_load_n(&truth->n_done, __ATOMIC_SEQ_CST) < N_WORKERS; n_turns++) {
        turn_while_asleep(&map, workers[n_turns % N_WORKERS]);
        if (__atomic_load_n(&truth->n_claims, __ATOMIC_RELAXED) > n_claims) {
            n_claims = __atomic_load_n(&truth->n_claims, __ATOMIC_RELAXED);
            last_claim_ns = rv_clock_mono_ns();
        }
        const bool is_leaking = rv_clock_mono_ns() - last_claim_ns > LEAK_NS;
        if (is_leaking || __atomic_load_n(&truth->has_failed, __ATOMIC_SEQ_CST)) {
            fprintf(stderr, "%u of %d workers are done%s\n", truth->n_done, N_WORKERS,
                    is_leaking ? ": do rings leak?" : "");
            unlink(path);
            return 1;
        }
        if (rv_clock_mono_ns() - last_kill_ns > KILL_INTERVAL_NS) {
            pid_t *victim = &victims[n_kills++ % N_VICTIMS];
            __atomic_store_n(&truth->was_killed[*victim], 1, __ATOMIC_SEQ_CST);
            kill(*victim, SIGKILL);
            waitpid(*victim, NULL, 0);
            *victim = start(path, UINT32_MAX);
            last_kill_ns = rv_clock_mono_ns();
        }
    }
    for (int i = 0; i < N_VICTIMS; i++) {
        kill(victims[i], SIGKILL);
        waitpid(victims[i], NULL, 0);
    }
    turn(&map);
    bool is_left_locked = rv_process_liveness_is_locked(map.fd, 1, N_RINGS);
    uint64_t n_free = 0;
    for (uint32_t i = 0; i < N_RINGS; i++)
        n_free += rv_map_control(&map, i)->state == RV_RING_FREE;
    printf("%u claims, %u kills, %lu of %d rings free at the end, %lu events\n", truth->n_claims, n_kills,
           (unsigned long)n_free, N_RINGS, (unsigned long)map.header->total_produced);
    unlink(path);
    bool is_fine = n_free == N_RINGS && !is_left_locked && map.header->total_produced == map.header->total_consumed &&
                   map.header->total_produced >= truth->n_claims && truth->n_claims >= N_WORKERS * N_CLAIMS;
    return is_fine ? 0 : 1;
}
