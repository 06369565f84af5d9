/*
 *     check_coverage RECORDING PERCENT
 *
 * Threads are blocked, by the kernel's switches, for stretches of 10 us or more. Prints the share of that time that lies in a
 * wait with a waker, and in one where only the waiting call is known. Fails if both are less than PERCENT, unless the
 * kernel shows no switches.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "read_events.h"
#include "ringviz/wire.h"

enum { MOST_STREAMS = 4096, MOST_NESTED = 4 };
static const uint64_t LEAST_NS = 10000;

struct stretch {
    uint64_t start_ns, end_ns;
    bool is_blocked; /* else a wait, */
    bool has_waker;
};

static struct stream {
    struct stretch *all;
    size_t n, capacity;
    struct stretch waiting[MOST_NESTED];
    unsigned n_waiting;
    uint64_t blocked_since_ns, last_ns; /* 0: not blocked */
} streams[MOST_STREAMS];

static void add(struct stream *stream, struct stretch stretch)
{
    stream->all = rv_vec_reserve(stream->all, &stream->capacity, stream->n + 1, sizeof *stream->all);
    stream->all[stream->n++] = stretch;
}

static void end_wait(struct stream *stream, bool has_waker)
{
    if (!stream->n_waiting)
        return;
    struct stretch wait = stream->waiting[--stream->n_waiting];
    wait.end_ns = stream->last_ns;
    wait.has_waker = has_waker;
    add(stream, wait);
}

static void take_wait(struct stream *stream, const struct rv_event *event)
{
    if (event->frame & RV_WAIT_RELEASE)
        return;
    if (!(event->frame & (RV_WAIT_PAST | RV_WAIT_NESTED)))
        stream->n_waiting = 0;
    stream->n_waiting += stream->n_waiting < MOST_NESTED;
    stream->waiting[stream->n_waiting - 1] = (struct stretch){.start_ns = stream->last_ns};
}

static void take_woken(struct stream *stream, const struct rv_event *event)
{
    if (event->id >> RV_EVENT_WAKE_SHIFT < RV_WAKE_HELD)
        end_wait(stream, (event->id & ((1u << RV_EVENT_WAKE_SHIFT) - 1)) != 0);
    else if (stream->n_waiting && event->id >> RV_EVENT_WAKE_SHIFT == RV_WAKE_BEGAN)
        stream->waiting[stream->n_waiting - 1].start_ns = stream->last_ns - rv_event_since_begin(event);
}

static void end_blocked(struct stream *stream)
{
    if (stream->blocked_since_ns && stream->last_ns - stream->blocked_since_ns >= LEAST_NS)
        add(stream, (struct stretch){stream->blocked_since_ns, stream->last_ns, .is_blocked = true});
    stream->blocked_since_ns = 0;
}

static void take_state(struct stream *stream, const struct rv_event *event)
{
    if (event->aux < RV_THREAD_RUNNING)
        return;
    end_blocked(stream);
    if (event->aux == RV_THREAD_BLOCKED)
        stream->blocked_since_ns = stream->last_ns;
}

static void take_events(void *context, uint32_t number, const struct rv_event *events, size_t n)
{
    (void)context;
    for (size_t i = 0; i < n && number < MOST_STREAMS; i++) {
        struct stream *stream = &streams[number];
        stream->last_ns = rv_event_ticks(&events[i]);
        if (rv_event_kind(&events[i]) == RV_EVENT_WAIT)
            take_wait(stream, &events[i]);
        else if (rv_event_kind(&events[i]) == RV_EVENT_WOKEN)
            take_woken(stream, &events[i]);
        else if (rv_event_kind(&events[i]) == RV_EVENT_THREAD)
            take_state(stream, &events[i]);
    }
}

static struct sums {
    uint64_t n_ns, edge_ns, reason_ns;
    size_t n;
} sums;

/* Of all waits, take the one that covers most of the stretch. */
static void measure(const struct stream *stream, const struct stretch *blocked)
{
    uint64_t most_ns = 0;
    bool has_waker = false;
    for (size_t i = 0; i < stream->n; i++) {
        const struct stretch *wait = &stream->all[i];
        const uint64_t from_ns = wait->start_ns > blocked->start_ns ? wait->start_ns : blocked->start_ns;
        const uint64_t to_ns = wait->end_ns < blocked->end_ns ? wait->end_ns : blocked->end_ns;
        if (wait->is_blocked || to_ns <= from_ns || to_ns - from_ns < most_ns)
            continue;
        has_waker = wait->has_waker || (has_waker && to_ns - from_ns == most_ns);
        most_ns = to_ns - from_ns;
    }
    sums.n++;
    sums.n_ns += blocked->end_ns - blocked->start_ns;
    *(has_waker ? &sums.edge_ns : &sums.reason_ns) += most_ns;
    if (getenv("VERBOSE") && most_ns < (blocked->end_ns - blocked->start_ns) / 2)
        printf("stream %d: %lu us at %lu us\n", (int)(stream - streams),
               (unsigned long)(blocked->end_ns - blocked->start_ns) / 1000, (unsigned long)blocked->start_ns / 1000);
}

static void measure_all(struct stream *stream)
{
    end_blocked(stream);
    while (stream->n_waiting)
        end_wait(stream, false);
    for (size_t i = 0; i < stream->n; i++)
        if (stream->all[i].is_blocked)
            measure(stream, &stream->all[i]);
    free(stream->all);
}

int main(int argc, char **argv)
{
    if (argc != 3 || read_events(argv[1], take_events) != 0)
        return 1;
    for (size_t i = 0; i < MOST_STREAMS; i++)
        measure_all(&streams[i]);
    const double all = sums.n_ns ? (double)sums.n_ns : 1.0;
    const double edge = 100.0 * (double)sums.edge_ns / all, reason = 100.0 * (double)sums.reason_ns / all;
    printf("%zu stretches, %.1f ms: %.1f %% with a waker, %.1f %% with a reason\n", sums.n, (double)sums.n_ns / 1e6,
           edge, reason);
    return sums.n && edge + reason < atof(argv[2]);
}
