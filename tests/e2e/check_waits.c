/*
 *     check_waits RECORDING [WAITS]
 *
 * Compares the waker of each wait for a lock in the recording with the value that the program wrote right after the wait
 * (programs/contention.c, truth): none may be wrong, and at most one in twenty may be unknown. A line of the file WAITS is
 * the begin of a wait, its end, and the thread that had the lock before, as the program wrote it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "../full_ring_wait.h"
#include "read_events.h"
#include "ringviz/wire.h"

enum { MOST_STREAMS = 64 };

static struct {
    uint32_t woken[MOST_STREAMS];      /* id of the WOKEN event right before; 0: none */
    uint64_t wait_ns[MOST_STREAMS][2]; /* begin and end of that wait */
    FILE *waits;
    unsigned n_wait_left[MOST_STREAMS];
    unsigned long n_waits, n_unknown, n_wrong;
} check;

static void compare(uint32_t woken, const struct rv_event *value, const uint64_t wait_ns[2])
{
    union {
        uint32_t bits;
        float number;
    } before = {.bits = value->frame | (uint32_t)value->aux << 16};
    const uint32_t tid = woken & ((1u << RV_EVENT_WAKE_SHIFT) - 1);
    if (check.waits)
        fprintf(check.waits, "%lu %lu %u\n", wait_ns[0], wait_ns[1], (uint32_t)before.number);
    check.n_waits++;
    check.n_unknown += tid == 0;
    if (tid && tid != (uint32_t)before.number && check.n_wrong++ < 10)
        fprintf(stderr, "ended by %u (wake %u), but %u had the lock\n", tid, woken >> RV_EVENT_WAKE_SHIFT,
                (uint32_t)before.number);
}

/* The waiter has the lock now, and others wait for it. */
static bool is_taken(const struct rv_event *event)
{
    return rv_event_kind(event) == RV_EVENT_WAIT && event->frame & RV_WAIT_TAKEN;
}

static void take_events(void *context, uint32_t stream, const struct rv_event *events, size_t n)
{
    (void)context;
    for (size_t i = 0; i < n && stream < MOST_STREAMS; i++) {
        const unsigned kind = rv_event_kind(&events[i]);
        if (full_ring_wait_has(&check.n_wait_left[stream], &events[i])) /* not for what the program locks */
            continue;
        if (kind == RV_EVENT_WAIT && !(events[i].frame & RV_WAIT_RELEASE))
            check.wait_ns[stream][0] = rv_event_ticks(&events[i]);
        if (kind == RV_EVENT_WOKEN) {
            check.woken[stream] = events[i].id ? events[i].id : 1u << 31;
            check.wait_ns[stream][1] = rv_event_ticks(&events[i]);
        } else if (kind == RV_EVENT_VALUE && check.woken[stream]) {
            compare(check.woken[stream] & ~(1u << 31), &events[i], check.wait_ns[stream]);
        }
        if (kind != RV_EVENT_WOKEN && kind != RV_EVENT_THREAD && !is_taken(&events[i]))
            check.woken[stream] = 0;
    }
}

int main(int argc, char **argv)
{
    check.waits = argc == 3 ? fopen(argv[2], "w") : NULL;
    if (argc < 2 || (argc == 3 && !check.waits) || read_events(argv[1], take_events) != 0)
        return 1;
    if (check.waits)
        fclose(check.waits);
    printf("%lu waits, %lu of unknown waker, %lu wrong\n", check.n_waits, check.n_unknown, check.n_wrong);
    return check.n_waits == 0 || check.n_wrong || check.n_unknown * 20 > check.n_waits;
}
