/*
 * A session gets orders without a pause and is ended meanwhile: two of its threads answer, one does not.
 * It always ends, no thread stays stopped, and no report mixes two threads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/debugger/tracee.h"
#include "base/clock.h"
#include "base/os.h"
#include "debugger/session.h"
#include "ring/run_state.h"

enum { N_THREADS = 3, N_ROUNDS = 8, N_ACTS = 400, N_KINDS = RV_DEBUG_SESSION_UNBREAK + 1 };
#define PAUSE_NS 300000u
#define DEADLINE_NS UINT64_C(60000000000)

static struct tracee *threads[N_THREADS];
static struct rv_debug_session_report report;
static unsigned n_failures, n_stopped, n_done;

static void expect(bool is_so, const char *what, unsigned round)
{
    if (is_so)
        return;
    n_failures++;
    fprintf(stderr, "round %u: %s\n", round, what);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static void act(struct rv_debug_session *debug_session, uint64_t *random)
{
    static const char *const texts[] = {"", "$x", "!", "12", "main::f"};
    struct rv_debug_session_order order = {.kind = (enum rv_debug_session_order_kind)(next_random(random) % N_KINDS),
                                           .idx = next_random(random) % 5};
    uint32_t which = next_random(random) % 40;
    strcpy(order.text, texts[next_random(random) % 5]);
    if (which < N_THREADS)
        rv_debug_session_choose(debug_session,
                                (struct rv_debug_session_who){(uint32_t)getpid(), tracee_tid(threads[which])});
    else if (which == N_THREADS)
        rv_debug_session_look_at(debug_session, order.idx);
    else
        (void)rv_debug_session_order(debug_session, &order);
}

static void look(struct rv_debug_session *debug_session, unsigned round)
{
    if (!rv_debug_session_report(debug_session, &report))
        return;
    bool is_deaf = report.chosen.tid == tracee_tid(threads[N_THREADS - 1]);
    n_stopped += report.state == RV_DEBUG_SESSION_STOPPED;
    expect(!is_deaf || (report.n_frames == 0 && report.state != RV_DEBUG_SESSION_STOPPED),
           "a stack or a stop of a thread that does not answer", round);
}

static void fly(struct rv_map *map, unsigned round, uint64_t *random)
{
    struct rv_debug_session *debug_session = rv_debug_session_start(map);
    memset(&report, 0, sizeof report);
    for (unsigned i = 0; i < N_ACTS; i++) {
        act(debug_session, random);
        look(debug_session, round);
        rv_os_sleep_ns(PAUSE_NS);
    }
    n_done += report.n_orders;
    rv_debug_session_stop(debug_session);
    uint64_t begin_ns = rv_clock_mono_ns();
    for (uint32_t i = 0; i < N_THREADS; i++)
        while (rv_run_state_read(rv_map_control(map, i)).state != RV_RUN_RUNNING &&
               rv_clock_mono_ns() - begin_ns < DEADLINE_NS)
            rv_os_sleep_ns(PAUSE_NS);
    expect(rv_clock_mono_ns() - begin_ns < DEADLINE_NS, "a thread stays stopped", round);
}

int main(void)
{
    char folder[] = "/tmp/ringviz-stress-XXXXXX", path[64];
    const struct rv_map_params params = {.n_rings = N_THREADS, .ring_events = 64, .message_bytes = 200};
    struct rv_map map;
    uint64_t random = 1;
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/trace", folder);
    if (rv_map_create(&map, path, &params) != 0)
        return 1;
    for (unsigned i = 0; i < N_THREADS; i++)
        threads[i] = tracee_start(path, &(struct tracee_params){.is_deaf = i == N_THREADS - 1, .is_shy = i == 1});
    for (unsigned round = 0; round < N_ROUNDS; round++)
        fly(&map, round, &random);
    expect(n_stopped > 0 && n_done > 0, "nothing was done", N_ROUNDS);
    for (unsigned i = 0; i < N_THREADS; i++)
        tracee_end(threads[i]);
    rv_map_close(&map);
    unlink(path);
    rmdir(folder);
    printf("%u orders done, %u reports of stopped threads\n", n_done, n_stopped);
    return n_failures != 0;
}
