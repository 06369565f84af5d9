/*
 * A viewer that stops, dies, hangs or leaves does not hold up the program it watches: under `block` no push takes 100
 * ms, and once the viewer is gone the rest is overwritten without waiting. One that was only stopped gets every event
 * again after it goes on.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "own_time.h"
#include "ring/push.h"
#include "stress/expect.h"
#include "stress/tracee.h"

#define N_EVENTS 1024u
#define LIMIT_NS 100000000u
#define N_TRIES 4u

enum fate { STOPPED, KILLED, KILLED_AND_REAPED, LEFT, FATE_COUNT };

static const char *const fate_names[] = {"stopped", "killed", "killed and reaped", "left"};
static struct rv_pusher pusher;
static struct rv_pusher_state state;
static uint64_t serial;

/* The time of our own that this took, in ns. */
static uint64_t push_some(uint64_t n)
{
    uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0) & ~15ull, start_ns = own_time_ns();
    for (uint64_t i = 0; i < n; i++)
        rv_push(&pusher, RV_EVENT_CALL_AT, rv_event_word_at(serial++, 0), stack, rv_push_slow);
    return own_time_ns() - start_ns;
}

/* How often this process has given up its core by itself so far. */
static uint64_t n_waits(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_nvcsw;
}

static pid_t start_viewer(const char *path)
{
    struct rv_map map;
    struct rv_ring ring;
    static struct rv_event events[N_EVENTS];
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    if (rv_map_open(&map, path, RV_MAP_CONSUMER, false) || rv_ownership_attach_consumer(&map))
        _exit(9);
    rv_ring_view(&ring, &map, 0);
    for (;;) {
        rv_ring_pop(&ring, events, N_EVENTS);
        rv_ring_turn_done(map.header);
        rv_os_sleep_ns(1000000);
        if (__atomic_load_n(&map.header->single, __ATOMIC_RELAXED)) {
            rv_ownership_detach_consumer(&map);
            _exit(0);
        }
    }
}

static void wait_for_viewer(const struct rv_map *map)
{
    while (!__atomic_load_n(&map->header->consumer_pid, __ATOMIC_RELAXED))
        rv_os_sleep_ns(100000);
}

static void end_viewer(struct rv_map *map, pid_t pid, enum fate fate)
{
    siginfo_t info;
    switch (fate) {
    case STOPPED:
        kill(pid, SIGSTOP);
        waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT);
        break;
    case KILLED:
    case KILLED_AND_REAPED:
        kill(pid, SIGKILL);
        waitid(P_PID, (id_t)pid, &info, fate == KILLED ? WEXITED | WNOWAIT : WEXITED);
        break;
    case LEFT:
    case FATE_COUNT:
        __atomic_store_n(&map->header->single, 1, __ATOMIC_RELAXED);
        waitid(P_PID, (id_t)pid, &info, WEXITED);
        break;
    }
}

/* The pid of one that was reaped may be another's by now. */
static void reap_viewer(pid_t pid, enum fate fate)
{
    if (fate == STOPPED)
        kill(pid, SIGKILL);
    if (fate == STOPPED || fate == KILLED)
        waitpid(pid, NULL, 0);
}

static void check_return(struct rv_map *map, const struct rv_ring *ring, pid_t pid)
{
    uint32_t n_turns = __atomic_load_n(&map->header->drain_turns, __ATOMIC_RELAXED);
    kill(pid, SIGCONT);
    while (__atomic_load_n(&map->header->drain_turns, __ATOMIC_RELAXED) - n_turns < 3)
        rv_os_sleep_ns(100000);
    push_some(2 * N_EVENTS); /* notices that it is back */
    uint64_t n_before = rv_ring_account(ring).n_dropped;
    push_some(200 * N_EVENTS);
    uint64_t n_lost = rv_ring_account(ring).n_dropped - n_before;
    expect(n_lost <= N_EVENTS, "events lost after the viewer went on", n_lost, 0);
    expect(!__atomic_load_n(&ring->control->is_overwriting, __ATOMIC_RELAXED), "still overwriting", 1, 0);
}

struct hold_up {
    uint64_t first_ns;     /* until the viewer counted as gone */
    uint64_t n_waits_then; /* after that */
};

static struct hold_up check_fate(enum fate fate)
{
    struct rv_map_params params = {.policy = RV_POLICY_BLOCK, .ring_events = N_EVENTS, .n_rings = 1};
    struct rv_map map;
    struct rv_ring ring;
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/ringviz-viewer-%d", (int)getpid());
    unlink(path);
    if (rv_map_create(&map, path, &params) || rv_ownership_enter_process(&map) != 0 || rv_ownership_claim(&map, 0) != 0)
        exit(1);
    __atomic_store_n(&map.header->is_recording, 1, __ATOMIC_RELAXED);
    rv_ring_view(&ring, &map, 0);
    rv_pusher_attach(&pusher, &state, &ring, 0);

    pid_t pid = start_viewer(path);
    wait_for_viewer(&map);
    push_some(50 * N_EVENTS);
    expect(rv_ring_account(&ring).n_dropped == 0, "dropped while it watched", rv_ring_account(&ring).n_dropped, 0);
    end_viewer(&map, pid, fate);
    struct hold_up hold_up = {.first_ns = push_some(20 * N_EVENTS)};
    uint64_t n_waits_before = n_waits();
    push_some(20 * N_EVENTS);
    hold_up.n_waits_then = n_waits() - n_waits_before;
    if (fate == STOPPED)
        check_return(&map, &ring, pid);

    reap_viewer(pid, fate);
    rv_pusher_detach(&pusher);
    unlink(path);
    rv_map_close(&map);
    return hold_up;
}

/* Takes the least time and the fewest waits of several runs: the kernel may delay any of them. */
int main(void)
{
    for (enum fate fate = STOPPED; fate < FATE_COUNT; fate++) {
        uint64_t first_ns = UINT64_MAX, n_waits_then = UINT64_MAX;
        for (unsigned i = 0; i < N_TRIES; i++) {
            struct hold_up hold_up = check_fate(fate);
            first_ns = hold_up.first_ns < first_ns ? hold_up.first_ns : first_ns;
            n_waits_then = hold_up.n_waits_then < n_waits_then ? hold_up.n_waits_then : n_waits_then;
        }
        printf("%s: held up for %" PRIu64 " us\n", fate_names[fate], first_ns / 1000);
        expect(n_waits_then == 0, "waits after that", n_waits_then, 0);
        expect(first_ns < LIMIT_NS, "ns until it counted as gone", first_ns, LIMIT_NS);
    }
    return expect_n_failures() != 0;
}
