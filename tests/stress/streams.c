/*
 * Thousands of streams begin and end while workers join blocks and other threads count: nothing is lost or counted
 * twice. A stream with more stacks than any program has: the number of lanes is limited, a SWITCH alone makes none. Calls
 * that never return: a million are shown; an endless number of them ends the session.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "pipeline/session.h"

#ifdef __SANITIZE_THREAD__ /* it checks threads; bounds are checked without it */
enum { CHECKS_BOUNDS = 0 };
#else
enum { CHECKS_BOUNDS = 1 };
#endif
enum {
    N_STREAMS = 6000,
    N_AT_ONCE = 16,
    CALLS_OF_A_STREAM = 40,
    N_STACKS = 200000,
    MOST_STACKS = 65536,
    N_UNUSED_STACKS = 100000,
    N_DEEP = 1000000,
    MOST_OPEN = 1 << 21
};

struct frame_builder {
    struct rv_source source; /* first */
    uint64_t n_opened;
    void *streams[N_AT_ONCE];
    uint32_t next_stack;
    uint64_t n_calls, most_calls; /* that do not return */
};

static struct rv_event event(unsigned kind, uint64_t ns, uint32_t id)
{
    return (struct rv_event){.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | ns, .id = id};
}

static struct rv_batch *wait_for_batch(const struct rv_intake *intake)
{
    struct rv_batch *batch;
    while (!(batch = intake->acquire_batch(intake->context)))
        ;
    batch->base_ns = 1000;
    return batch;
}

static void add(struct rv_batch *batch, struct rv_event added)
{
    if (rv_event_kind(&added) > RV_EVENT_RETURN)
        batch->specials[batch->n_specials++] = batch->n;
    batch->events[batch->n++] = added;
}

static void *open_stream(const struct rv_intake *intake, uint32_t tid)
{
    return intake->open_stream(
        intake->context, &(struct rv_stream_info){.pid = 1, .tid = tid, .process_name = "maker", .thread_name = ""});
}

static void send_calls(void *stream, const struct rv_intake *intake, unsigned n_calls, uint64_t first_ns)
{
    struct rv_batch *batch = wait_for_batch(intake);
    for (unsigned i = 0; i < n_calls; i++) {
        add(batch, event(RV_EVENT_CALL, first_ns + 2 * i, 1));
        add(batch, event(RV_EVENT_RETURN, first_ns + 2 * i + 1, 1));
    }
    batch->stream = stream;
    intake->submit_batch(intake->context, batch);
}

static enum rv_source_status poll_short(struct rv_source *source, const struct rv_intake *intake)
{
    struct frame_builder *frame_builder = (struct frame_builder *)source;
    for (unsigned i = 0; i < N_AT_ONCE; i++) {
        if (frame_builder->n_opened == N_STREAMS)
            return RV_SOURCE_ENDED;
        void *stream = open_stream(intake, (uint32_t)++frame_builder->n_opened);
        send_calls(stream, intake, CALLS_OF_A_STREAM / 2, 1000);
        intake->rename_stream(intake->context, stream, "renamed");
        send_calls(stream, intake, CALLS_OF_A_STREAM / 2, 2000);
        uint64_t n_events = 2 * CALLS_OF_A_STREAM;
        intake->account_stream(intake->context, stream, &(struct rv_stream_account){n_events + 1, n_events, 1});
        intake->close_stream(intake->context, stream, 3000);
    }
    return RV_SOURCE_MOVED;
}

static enum rv_source_status poll_stacks(struct rv_source *source, const struct rv_intake *intake)
{
    struct frame_builder *frame_builder = (struct frame_builder *)source;
    if (!frame_builder->streams[0])
        frame_builder->streams[0] = open_stream(intake, 1);
    if (frame_builder->next_stack >= N_STACKS + N_UNUSED_STACKS) {
        intake->close_stream(intake->context, frame_builder->streams[0], 3000);
        return RV_SOURCE_ENDED;
    }
    struct rv_batch *batch = wait_for_batch(intake);
    while (batch->n + 3 <= RV_BATCH_EVENTS && frame_builder->next_stack < N_STACKS + N_UNUSED_STACKS) {
        uint32_t stack = ++frame_builder->next_stack;
        add(batch, event(RV_EVENT_SWITCH, 1000, stack));
        if (stack > N_UNUSED_STACKS) {
            add(batch, event(RV_EVENT_CALL, 1000, 1));
            add(batch, event(RV_EVENT_RETURN, 1000, 1));
        }
    }
    batch->stream = frame_builder->streams[0];
    intake->submit_batch(intake->context, batch);
    return RV_SOURCE_MOVED;
}

static enum rv_source_status poll_deep(struct rv_source *source, const struct rv_intake *intake)
{
    struct frame_builder *frame_builder = (struct frame_builder *)source;
    if (!frame_builder->streams[0])
        frame_builder->streams[0] = open_stream(intake, 1);
    if (frame_builder->n_calls >= frame_builder->most_calls || intake->is_stopping(intake->context)) {
        intake->close_stream(intake->context, frame_builder->streams[0], 2000);
        return RV_SOURCE_ENDED;
    }
    struct rv_batch *batch = wait_for_batch(intake);
    while (batch->n < RV_BATCH_EVENTS && frame_builder->n_calls < frame_builder->most_calls) {
        struct rv_event call = event(RV_EVENT_CALL, 1000, 1);
        call.frame = (uint16_t)frame_builder->n_calls++;
        add(batch, call);
    }
    batch->stream = frame_builder->streams[0];
    intake->submit_batch(intake->context, batch);
    return RV_SOURCE_MOVED;
}

static void do_nothing(struct rv_source *source)
{
    (void)source;
}

static void resolve_maker(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    (void)source;
    (void)intake;
    (void)is_final;
}

static struct rv_session *run(struct frame_builder *frame_builder, unsigned n_workers, struct rv_session_counts *counts)
{
    struct rv_session *session = rv_session_start(
        &(struct rv_session_params){.n_workers = n_workers, .memory_bytes = 64 << 20}, &frame_builder->source);
    while (!rv_session_wait(session, 1000000))
        rv_session_counts(session, counts);
    rv_session_counts(session, counts);
    return session;
}

static bool is_right(const char *what, uint64_t got, uint64_t wanted)
{
    if (got != wanted)
        fprintf(stderr, "%s: %" PRIu64 " instead of %" PRIu64 "\n", what, got, wanted);
    return got == wanted;
}

static bool short_streams_are_right(unsigned n_workers)
{
    struct frame_builder frame_builder = {
        .source = {.poll = poll_short, .nap = do_nothing, .resolve = resolve_maker, .close = do_nothing}};
    struct rv_session_counts counts;
    struct rv_session *session = run(&frame_builder, n_workers, &counts);
    const uint64_t n_events = (uint64_t)N_STREAMS * 2 * CALLS_OF_A_STREAM;
    bool is_good = is_right("spans", counts.n_spans, n_events / 2) & is_right("consumed", counts.n_consumed, n_events) &
                   is_right("dropped", counts.n_dropped, N_STREAMS) &
                   is_right("produced", counts.n_produced, n_events + N_STREAMS) &
                   is_right("lanes", rv_lanes_n(rv_session_lanes(session)), N_STREAMS);
    rv_session_destroy(session);
    return is_good;
}

static bool many_stacks_are_bounded(void)
{
    struct frame_builder frame_builder = {
        .source = {.poll = poll_stacks, .nap = do_nothing, .resolve = resolve_maker, .close = do_nothing}};
    struct rv_session_counts counts;
    struct rv_session *session = run(&frame_builder, 2, &counts);
    size_t n_lanes = rv_lanes_n(rv_session_lanes(session));
    bool is_good = is_right("spans", counts.n_spans, N_STACKS);
    if (n_lanes > MOST_STACKS) {
        fprintf(stderr, "%zu lanes\n", n_lanes);
        is_good = false;
    }
    rv_session_destroy(session);
    return is_good;
}

static bool open_calls_are_bounded(uint64_t n_calls, uint64_t most)
{
    struct frame_builder frame_builder = {
        .source = {.poll = poll_deep, .nap = do_nothing, .resolve = resolve_maker, .close = do_nothing},
        .most_calls = n_calls};
    struct rv_session_counts counts;
    struct rv_session *session = run(&frame_builder, 2, &counts);
    bool is_good = is_right("an error", rv_session_error(session) != 0, n_calls > most);
    if (n_calls <= most)
        is_good &= is_right("deep spans", counts.n_spans, n_calls);
    else if (counts.n_spans > most + most / 2) {
        fprintf(stderr, "%" PRIu64 " calls were open\n", counts.n_spans);
        is_good = false;
    }
    rv_session_destroy(session);
    return is_good;
}

int main(void)
{
    int n_failures = 0;
    for (unsigned n_workers = 1; n_workers <= 4; n_workers++)
        n_failures += !short_streams_are_right(n_workers);
    if (CHECKS_BOUNDS) {
        n_failures += !many_stacks_are_bounded();
        n_failures += !open_calls_are_bounded(N_DEEP, MOST_OPEN);
        n_failures += !open_calls_are_bounded(UINT64_MAX, MOST_OPEN);
    }
    printf("%d failures\n", n_failures);
    return n_failures ? 1 : 0;
}
