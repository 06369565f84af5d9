/*
 * 200 random runs over policies, clocks, ring sizes and speeds: produced == consumed + dropped on every ring, and what
 * each policy promises. Producers are forked processes, now and then threads, always threads under ThreadSanitizer,
 * which sees one mapping only. Each pushes its serial numbers 0, 1, 2...; so a gap is as long as what was lost.
 *
 *     policies [RUNS [SEED]]
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os.h"
#include "ring/push.h"
#include "stress/expect.h"
#include "stress/tracee.h"

#ifdef __SANITIZE_THREAD__
#define N_RUNS 60u
#else
#define N_RUNS 200u
#endif
#define MAX_PRODUCERS 3u
#define TIMEOUT_MS 60000u
#define ID_MASK ((1ull << 48) - 1)

struct run {
    struct tracee tracee;
    enum rv_policy policy;
    uint32_t n_events; /* per ring */
    unsigned n_producers;
    bool is_threaded, drains_late;
    uint64_t n_pushes[MAX_PRODUCERS];
    unsigned pause[MAX_PRODUCERS]; /* spins between pushes */
    unsigned burst[MAX_PRODUCERS]; /* pushes between longer pauses */
    uint64_t nap_ns;               /* of the consumer */
    unsigned n_started, n_done;    /* [atomic] threads */
};

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

/* ---- producers ---- */

static void push_all(struct run *run, unsigned serial, struct rv_map *map, uint32_t process_idx)
{
    struct rv_pusher pusher = {0};
    struct rv_pusher_state *state = calloc(1, sizeof *state);
    struct rv_ring ring;
    uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0) & ~15ull;
    int ring_idx = rv_ownership_claim(map, process_idx);
    if (ring_idx < 0 || !state)
        _exit(9);
    rv_ring_view(&ring, map, (uint32_t)ring_idx);
    rv_pusher_attach(&pusher, state, &ring, (uint32_t)ring_idx);
    for (uint64_t i = 0; i < run->n_pushes[serial]; i++) {
        rv_push(&pusher, RV_EVENT_CALL_AT, rv_event_word_at(i, 0), stack, rv_push_slow);
        for (unsigned spin = 0; spin < run->pause[serial]; spin++)
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (i % run->burst[serial] == 0)
            rv_os_sleep_ns(20000);
    }
    rv_pusher_flush(&pusher);
    rv_pusher_detach(&pusher);
    rv_ownership_release(map, (uint32_t)ring_idx);
    free(state);
}

static void *push_in_thread(void *context)
{
    struct run *run = context;
    push_all(run, __atomic_fetch_add(&run->n_started, 1, __ATOMIC_RELAXED), &run->tracee.map, 0);
    __atomic_fetch_add(&run->n_done, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void push_in_process(struct run *run, unsigned serial)
{
    if (fork() != 0)
        return;
    struct rv_map map;
    if (rv_map_open(&map, run->tracee.map.path, RV_MAP_PRODUCER, false) != 0)
        _exit(9);
    int process_idx = rv_ownership_enter_process(&map);
    if (process_idx < 0)
        _exit(9);
    push_all(run, serial, &map, (uint32_t)process_idx);
    _exit(0);
}

/* ---- the consumer ---- */

static bool are_producers_done(struct run *run, unsigned *n_reaped)
{
    int status;
    if (run->is_threaded)
        return __atomic_load_n(&run->n_done, __ATOMIC_ACQUIRE) == run->n_producers;
    while (*n_reaped < run->n_producers && waitpid(-1, &status, WNOHANG) > 0) {
        expect(status == 0, "a producer's status", (uint64_t)status, 0);
        ++*n_reaped;
    }
    return *n_reaped == run->n_producers;
}

static void consume(struct run *run)
{
    uint64_t end_ns = rv_clock_mono_ns() + TIMEOUT_MS * 1000000ull;
    unsigned n_reaped = 0;
    bool is_done = false;
    while (!is_done && rv_clock_mono_ns() < end_ns) {
        is_done = are_producers_done(run, &n_reaped);
        if (!run->drains_late)
            tracee_turn(&run->tracee);
        __atomic_fetch_add(&run->tracee.map.header->tick, 1, __ATOMIC_RELAXED);
        rv_os_sleep_ns(run->nap_ns);
    }
    expect(is_done, "producers done", is_done, 1);
    run->tracee.has_ended = true;
    expect(tracee_drain(&run->tracee, TIMEOUT_MS), "drained", 0, 1);
}

/* ---- what must hold ---- */

struct account {
    uint64_t n, n_lost_marks, n_lost_said, n_gap; /* events, LOST marks, the events lost by them, serials missing in between */
    uint64_t first, last;
    bool is_ordered, is_monotonic, is_told; /* told: each gap has a LOST before it, with its length */
};

static struct account read_stream(const struct tracee_stream *stream)
{
    struct account account = {.is_ordered = true, .is_monotonic = true, .is_told = true};
    uint64_t expected = 0, n_said = 0, last_ticks = 0;
    for (size_t i = 0; i < stream->n; i++) {
        const struct rv_event *event = &stream->events[i];
        account.is_monotonic &= rv_event_ticks(event) >= last_ticks;
        last_ticks = rv_event_ticks(event);
        if (rv_event_kind(event) == RV_EVENT_LOST) {
            account.n_lost_marks++;
            account.n_lost_said += event->id;
            n_said += event->id;
            continue;
        }
        uint64_t serial = rv_event_address(event) & ID_MASK;
        account.is_ordered &= rv_event_kind(event) == RV_EVENT_CALL_AT && serial >= expected;
        account.is_told &= serial - expected == n_said;
        account.n_gap += serial - expected;
        account.first = account.n++ ? account.first : serial;
        account.last = serial;
        expected = serial + 1;
        n_said = 0;
    }
    return account;
}

static void check_block(const struct tracee_stream *stream, const struct account *account)
{
    expect(stream->account.n_dropped == 0, "block: dropped", stream->account.n_dropped, 0);
    expect(account->n_gap == 0 && account->n_lost_marks == 0, "block: gap", account->n_gap, 0);
}

static void check_switch(const struct tracee_stream *stream, const struct account *account)
{
    expect(account->is_told, "switch: gaps told", account->n_gap, account->n_lost_said);
    expect(account->n_lost_said <= stream->account.n_dropped, "switch: lost", account->n_lost_said,
           stream->account.n_dropped);
}

static void check_ring(const struct run *run, const struct tracee_stream *stream, const struct account *account)
{
    uint64_t n_pushed = stream->account.n_produced;
    if (!run->drains_late)
        return;
    uint64_t n_kept = n_pushed < run->n_events ? n_pushed : run->n_events;
    expect(account->n == n_kept, "ring: kept", account->n, n_kept);
    expect(account->last == n_pushed - 1, "ring: newest", account->last, n_pushed - 1);
    expect(account->last - account->first + 1 == n_kept, "ring: whole", account->last - account->first + 1, n_kept);
}

static void check_fill(const struct run *run, const struct tracee_stream *stream, const struct account *account)
{
    const struct rv_wire_header *header = run->tracee.map.header;
    expect(account->n_gap == 0, "fill: gap", account->n_gap, 0);
    expect(account->n < run->n_events, "fill: kept", account->n, run->n_events - 1);
    expect(account->n_lost_marks == (stream->account.n_dropped > 0), "fill: closing events", account->n_lost_marks,
           stream->account.n_dropped > 0);
    if (!header->stop_reason)
        expect(stream->account.n_dropped == 0, "fill: dropped without a full ring", stream->account.n_dropped, 0);
}

static void check_stream(const struct run *run, const struct tracee_stream *stream)
{
    struct account account = read_stream(stream);
    const struct rv_ring_account *said = &stream->account;
    expect(said->n_produced == said->n_consumed + said->n_dropped, "produced", said->n_produced,
           said->n_consumed + said->n_dropped);
    expect(said->n_consumed == account.n, "consumed", said->n_consumed, account.n);
    expect(account.is_ordered, "ordered", account.is_ordered, 1);
    expect(account.is_monotonic, "monotonic", account.is_monotonic, 1);
    switch (run->policy) {
    case RV_POLICY_BLOCK:
        check_block(stream, &account);
        break;
    case RV_POLICY_SWITCH:
        check_switch(stream, &account);
        break;
    case RV_POLICY_RING:
        check_ring(run, stream, &account);
        break;
    case RV_POLICY_FILL:
    case RV_POLICY_COUNT:
        check_fill(run, stream, &account);
        break;
    }
}

/* A ring may have had several owners. */
static void check_full_ring(const struct run *run)
{
    uint32_t stop_reason = run->tracee.map.header->stop_reason;
    unsigned n_full = 0;
    for (size_t i = 0; i < run->tracee.n_streams; i++)
        n_full += 1 + run->tracee.streams[i].ring_idx == stop_reason && run->tracee.streams[i].n == run->n_events;
    if (stop_reason)
        expect(n_full == 1, "fill: the full ring", n_full, 1);
}

static void check_run(const struct run *run)
{
    uint64_t n_pushed = 0, n_produced = 0;
    for (unsigned i = 0; i < run->n_producers; i++)
        n_pushed += run->n_pushes[i];
    for (size_t i = 0; i < run->tracee.n_streams; i++) {
        expect(run->tracee.streams[i].is_over, "over", i, 0);
        n_produced += run->tracee.streams[i].account.n_produced;
        check_stream(run, &run->tracee.streams[i]);
    }
    check_full_ring(run);
    expect(run->tracee.n_streams == run->n_producers, "rings", run->tracee.n_streams, run->n_producers);
    expect(n_produced == n_pushed, "pushed", n_produced, n_pushed);
}

static void draw_run(struct run *run)
{
    static const uint64_t naps[] = {0, 1000, 100000, 1000000};
    *run = (struct run){.policy = (enum rv_policy)draw(RV_POLICY_COUNT),
                        .n_events = 64u << draw(7),
                        .n_producers = 1 + (unsigned)draw(MAX_PRODUCERS),
                        .is_threaded = draw(5) == 0,
                        .nap_ns = naps[draw(4)]};
#ifdef __SANITIZE_THREAD__
    run->is_threaded = true;
#endif
    run->drains_late = run->policy == RV_POLICY_RING ? draw(2) : run->policy == RV_POLICY_FILL && draw(2);
    for (unsigned i = 0; i < run->n_producers; i++) {
        run->n_pushes[i] = 1 + draw(draw(4) ? 20000 : 200);
        run->pause[i] = draw(2) ? 0 : (unsigned)draw(200);
        run->burst[i] = draw(2) ? 1u << 30 : 50 + (unsigned)draw(2000);
    }
}

static void do_run(struct run *run)
{
    pthread_t threads[MAX_PRODUCERS];
    struct rv_map_params params = {.policy = run->policy,
                                   .ring_events = run->n_events,
                                   .n_rings = 8,
                                   .clock_kind = (enum rv_clock_kind)draw(RV_CLOCK_COUNT)};
    tracee_open(&run->tracee, &params);
    if (run->is_threaded && rv_ownership_enter_process(&run->tracee.map) != 0)
        exit(1);
    for (unsigned i = 0; i < run->n_producers; i++) {
        if (!run->is_threaded)
            push_in_process(run, i);
        else if (pthread_create(&threads[i], NULL, push_in_thread, run) != 0)
            exit(1);
    }
    consume(run);
    for (unsigned i = 0; run->is_threaded && i < run->n_producers; i++)
        pthread_join(threads[i], NULL);
    check_run(run);
    tracee_close(&run->tracee);
}

int main(int argc, char **argv)
{
    unsigned n_runs = argc > 1 ? (unsigned)atoi(argv[1]) : N_RUNS;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : rv_clock_mono_ns() | 1;
    static struct run run;
    for (unsigned i = 0; i < n_runs && expect_n_failures() == 0; i++) {
        random_state = (seed + i) * 0x9e3779b97f4a7c15ull | 1;
        draw_run(&run);
        do_run(&run);
        if (expect_n_failures())
            printf("run with seed %" PRIu64 ": policy %d, %u events, %u producers, %s, %s\n", seed + i, run.policy,
                   run.n_events, run.n_producers, run.is_threaded ? "threads" : "processes",
                   run.drains_late ? "drained late" : "drained");
    }
    printf("%u runs from seed %" PRIu64 ", %u failures\n", n_runs, seed, expect_n_failures());
    return expect_n_failures() != 0;
}
