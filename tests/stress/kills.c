/*
 * 200 producers of two threads each, killed with SIGKILL at random moments: everything that was committed is read, in
 * order and whole, and all rings become free. All share one file, so that a lock that one leaves would stop the next.
 *
 *     kills [KILLS [SEED]]
 */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os.h"
#include "ring/push.h"
#include "stress/expect.h"
#include "stress/tracee.h"

#define N_THREADS 2u
#define TIMEOUT_MS 60000u
#define MARK 0xabcu /* in the upper bits of each event's location */

static struct rv_map child_map;
static uint32_t child_idx;

/* Until killed. */
static void *push_for_ever(void *unused)
{
    static _Thread_local struct rv_pusher pusher;
    struct rv_pusher_state *state = calloc(1, sizeof *state);
    uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0) & ~15ull;
    struct rv_ring ring;
    (void)unused;
    for (uint64_t i = 0;; i++) {
        if (!pusher.state) {
            int ring_idx = rv_ownership_claim(&child_map, child_idx);
            if (ring_idx < 0)
                _exit(9);
            rv_ring_view(&ring, &child_map, (uint32_t)ring_idx);
            rv_pusher_attach(&pusher, state, &ring, (uint32_t)ring_idx);
        }
        rv_push(&pusher, RV_EVENT_CALL_AT, rv_event_word_at((uint64_t)MARK << 36 | i, 0), stack, rv_push_slow);
    }
    return NULL;
}

static pid_t start_producer(const struct tracee *tracee)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    pthread_t thread;
    if (rv_map_open(&child_map, tracee->map.path, RV_MAP_PRODUCER, false) != 0)
        _exit(9);
    int idx = rv_ownership_enter_process(&child_map);
    child_idx = (uint32_t)idx;
    if (idx < 0 || pthread_create(&thread, NULL, push_for_ever, NULL) != 0)
        _exit(9);
    push_for_ever(NULL);
    return 0;
}

static void check_stream(const struct tracee_stream *stream)
{
    const struct rv_ring_account *account = &stream->account;
    size_t n_wrong = 0;
    expect(stream->is_over, "over", stream->is_over, 1);
    for (size_t i = 0; i < stream->n; i++) {
        const struct rv_event *event = &stream->events[i];
        n_wrong += rv_event_kind(event) != RV_EVENT_CALL_AT || rv_event_address(event) != ((uint64_t)MARK << 36 | i);
    }
    expect(n_wrong == 0, "events that are not what was pushed", n_wrong, 0);
    expect(account->n_dropped == 0, "dropped", account->n_dropped, 0);
    expect(account->n_consumed == stream->n && account->n_produced == stream->n, "consumed", account->n_consumed,
           stream->n);
}

static uint64_t kill_one(struct tracee *tracee, uint64_t delay_ns)
{
    uint64_t n_read = 0, start_ns = rv_clock_mono_ns();
    tracee->has_ended = false;
    tracee->pid = start_producer(tracee);
    while (rv_clock_mono_ns() - start_ns < delay_ns)
        tracee_turn(tracee);
    kill(tracee->pid, SIGKILL);
    expect(tracee_drain(tracee, TIMEOUT_MS), "drained", 0, 1);
    expect(WIFSIGNALED(tracee->status), "killed", (uint64_t)tracee->status, SIGKILL);
    for (size_t i = 0; i < tracee->n_streams; i++) {
        check_stream(&tracee->streams[i]);
        n_read += tracee->streams[i].n + tracee->streams[i].n_of_waits;
        free(tracee->streams[i].events);
    }
    tracee->n_streams = 0;
    return n_read;
}

int main(int argc, char **argv)
{
    unsigned n_kills = argc > 1 ? (unsigned)atoi(argv[1]) : 200;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : rv_clock_mono_ns() | 1, random = seed, n_read = 0;
    struct rv_map_params params = {.policy = RV_POLICY_BLOCK, .ring_events = 1024, .n_rings = 4};
    struct tracee tracee;
    tracee_open(&tracee, &params);
    for (unsigned i = 0; i < n_kills && expect_n_failures() == 0; i++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        n_read += kill_one(&tracee, (random >> 33) % 20000000u);
    }
    const struct rv_wire_header *header = tracee.map.header;
    expect(header->total_produced == n_read && header->total_consumed == n_read, "totals", header->total_produced,
           n_read);
    for (uint32_t i = 0; i < params.n_rings; i++)
        expect(rv_map_control(&tracee.map, i)->state == RV_RING_FREE, "rings left behind", i, 0);
    printf("%u kills from seed %" PRIu64 ", %" PRIu64 " events, %" PRIu64 " claims, %u failures\n", n_kills, seed,
           n_read, header->total_claims, expect_n_failures());
    tracee_close(&tracee);
    return expect_n_failures() != 0;
}
