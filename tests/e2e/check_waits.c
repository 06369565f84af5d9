/*
 *     check_waits RECORDING
 *
 * Compares who ended each wait for a lock, as the recording has it, with the value that the program wrote right after
 * (programs/contention.c, truth): none may be wrong, and of at most one in twenty is nothing known.
 */
#include <stdio.h>
#include <stdlib.h>

#include "pipeline/session.h"
#include "source/replay.h"

enum { MOST_STREAMS = 64 };

static struct {
    uint32_t woken[MOST_STREAMS]; /* id of the WOKEN event right before; 0: none */
    unsigned long n_waits, n_unknown, n_wrong;
} check;

static void compare(uint32_t woken, const struct rv_event *value)
{
    union {
        uint32_t bits;
        float number;
    } before = {.bits = value->frame | (uint32_t)value->aux << 16};
    const uint32_t tid = woken & ((1u << RV_EVENT_WAKE_SHIFT) - 1);
    check.n_waits++;
    check.n_unknown += tid == 0;
    if (tid && tid != (uint32_t)before.number && check.n_wrong++ < 10)
        fprintf(stderr, "ended by %u (wake %u), but %u had the lock\n", tid, woken >> RV_EVENT_WAKE_SHIFT,
                (uint32_t)before.number);
}

static void take_events(void *context, uint32_t stream, const struct rv_event *events, size_t n)
{
    (void)context;
    for (size_t i = 0; i < n && stream < MOST_STREAMS; i++) {
        const unsigned kind = rv_event_kind(&events[i]);
        if (kind == RV_EVENT_WOKEN)
            check.woken[stream] = events[i].id ? events[i].id : 1u << 31;
        else if (kind == RV_EVENT_VALUE && check.woken[stream])
            compare(check.woken[stream] & ~(1u << 31), &events[i]);
        if (kind != RV_EVENT_WOKEN && kind != RV_EVENT_THREAD)
            check.woken[stream] = 0;
    }
}

int main(int argc, char **argv)
{
    struct rv_source *source = argc == 2 ? rv_replay_open(argv[1]) : NULL;
    if (!source)
        return 1;
    const struct rv_sink sink = {.events = take_events};
    struct rv_session *session = rv_session_start(
        &(struct rv_session_params){.n_workers = 1, .sinks = &sink, .n_sinks = 1, .leaves_calls = true}, source);
    while (!rv_session_wait(session, 1000000000))
        continue;
    const int error = rv_session_error(session);
    rv_session_destroy(session);
    printf("%lu waits, %lu of unknown waker, %lu wrong\n", check.n_waits, check.n_unknown, check.n_wrong);
    return error || check.n_waits == 0 || check.n_wrong || check.n_unknown * 20 > check.n_waits;
}
