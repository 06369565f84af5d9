/*
 * The whole pipeline under many threads against the serial oracle: a source that makes random streams, real workers,
 * and at the end the same spans, counts and statistics. Runs under ThreadSanitizer.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../unit/scan/streams.h"
#include "base/vec.h"
#include "pipeline/session.h"
#include "scan/serial.h"

#include "sender.h"

enum { N_STREAMS = 5, N_SUBROUTINES = 20, STREAM_EVENTS = 60000 };
static const uint64_t ORIGIN_NS = 3ull << 59; /* of a trace whose times do not fit its events */

/* What a sink received; each stream's part is written by one worker at a time. */
struct told {
    uint64_t n_events, last_ns;
    bool is_open, is_closed;
};

struct tally {
    pthread_mutex_t lock;
    uint64_t origin_ns; /* as reported: the time that events count from */
    uint64_t n_spans, sum_ns, sum_start_ns, sum_depth, n_calls;
    struct told streams[N_STREAMS];
    _Atomic unsigned n_misplaced, n_begins, n_ends, n_definitions;
};

/* A walk with an escape now and then, in depth tags. */
static void make_events(struct rv_event *events, uint64_t *state)
{
    uint32_t ids[64];
    uint64_t ns = 1000;
    unsigned depth = 0;
    for (uint32_t i = 0; i < STREAM_EVENTS; i++) {
        uint64_t random = random_next(state);
        ns += random % 300;
        bool is_call = depth == 0 || (depth < 60 && (random >> 16) % 2);
        if (!is_call && depth > 4 && (random >> 20) % 50 == 0)
            depth -= 3;
        if (is_call)
            ids[depth++] = 1 + (uint32_t)((random >> 24) % N_SUBROUTINES);
        else
            depth--;
        events[i] = (struct rv_event){.when = (uint64_t)!is_call << RV_EVENT_KIND_SHIFT | ns,
                                      .id = ids[is_call ? depth - 1 : depth],
                                      .frame = (uint16_t)(is_call ? depth - 1 : depth)};
    }
}

static void define_all(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    (void)source;
    for (uint32_t id = 1; id <= N_SUBROUTINES && is_final; id++)
        intake->define(intake->context, &(struct rv_definition){id, "sender", "sub", "", id}, 1);
}

static void tally_spans(void *context, const struct rv_lane *lane, const struct rv_span *spans, size_t n)
{
    (void)lane;
    struct tally *tally = context;
    pthread_mutex_lock(&tally->lock);
    for (size_t i = 0; i < n; i++) {
        tally->sum_ns += spans[i].end - spans[i].start;
        tally->sum_start_ns += spans[i].start - tally->origin_ns;
        tally->sum_depth += spans[i].depth;
    }
    tally->n_spans += n;
    pthread_mutex_unlock(&tally->lock);
}

static void tally_begin(void *context, uint64_t origin_ns)
{
    struct tally *tally = context;
    tally->n_begins++;
    tally->origin_ns = origin_ns;
    tally->n_misplaced += origin_ns != ORIGIN_NS;
}

static void tally_open(void *context, uint32_t stream, const struct rv_stream_info *info)
{
    struct tally *tally = context;
    struct told *told = &tally->streams[stream];
    tally->n_misplaced += told->is_open || info->tid != stream + 1 || tally->n_begins != 1;
    told->is_open = true;
}

static void tally_events(void *context, uint32_t stream, const struct rv_event *events, size_t n)
{
    struct tally *tally = context;
    struct told *told = &tally->streams[stream];
    tally->n_misplaced += !told->is_open || told->is_closed || rv_event_ticks(events) < told->last_ns;
    told->n_events += n;
    told->last_ns = rv_event_ticks(&events[n - 1]);
}

static void tally_close(void *context, uint32_t stream, uint64_t end_ns, const struct rv_stream_account *account)
{
    struct tally *tally = context;
    struct told *told = &tally->streams[stream];
    tally->n_misplaced += !told->is_open || told->is_closed || end_ns != told->last_ns ||
                          told->n_events != STREAM_EVENTS || account->n_produced != STREAM_EVENTS;
    told->is_closed = true;
}

static void tally_definitions(void *context, const struct rv_definition *definitions, size_t n)
{
    struct tally *tally = context;
    (void)definitions;
    tally->n_definitions += (unsigned)n;
}

static void tally_end(void *context, const struct rv_stats *totals)
{
    struct tally *tally = context;
    struct rv_stats_row rows[N_SUBROUTINES + 1];
    size_t n_rows = rv_stats_rows(totals, rows, N_SUBROUTINES + 1);
    for (size_t i = 0; i < n_rows; i++)
        tally->n_calls += rows[i].n_calls;
    tally->n_ends++;
    for (unsigned i = 0; i < N_STREAMS; i++)
        tally->n_misplaced += !tally->streams[i].is_closed;
}

static void tally_oracle(struct rv_event *const events[N_STREAMS], struct tally *tally)
{
    for (unsigned i = 0; i < N_STREAMS; i++) {
        struct rv_serial *serial = rv_serial_create();
        struct rv_span *spans = NULL;
        size_t n = 0, capacity = 0;
        rv_serial_feed(serial, events[i], STREAM_EVENTS, &spans, &n, &capacity);
        rv_serial_finish(serial, rv_event_ticks(&events[i][STREAM_EVENTS - 1]), &spans, &n, &capacity);
        tally_spans(tally, NULL, spans, n);
        rv_serial_destroy(serial);
        free(spans);
    }
}

static int run(uint64_t seed, unsigned n_workers)
{
    uint64_t random = seed;
    struct rv_event *events[N_STREAMS];
    struct sender sender;
    sender_init(&sender, random_next(&random));
    sender.source.origin_ns = ORIGIN_NS;
    sender.source.resolve = define_all;
    sender.n_streams = N_STREAMS;
    sender.few = 300;
    sender.most = RV_BATCH_EVENTS;
    for (unsigned i = 0; i < N_STREAMS; i++) {
        events[i] = rv_alloc(STREAM_EVENTS, sizeof *events[i]);
        make_events(events[i], &random);
        sender.streams[i] = (struct sent){.events = events[i], .n = STREAM_EVENTS};
    }
    struct tally got = {.lock = PTHREAD_MUTEX_INITIALIZER}, wanted = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct rv_sink sink = {.context = &got,
                           .begin = tally_begin,
                           .open = tally_open,
                           .events = tally_events,
                           .spans = tally_spans,
                           .close = tally_close,
                           .define = tally_definitions,
                           .end = tally_end};
    struct rv_session *session = rv_session_start(
        &(struct rv_session_params){.n_workers = n_workers, .sinks = &sink, .n_sinks = 1}, &sender.source);
    while (!rv_session_wait(session, 20000000))
        rv_stats_destroy(rv_session_stats(session));
    rv_session_destroy(session);
    tally_oracle(events, &wanted);
    uint64_t n_call_events = 0;
    for (unsigned i = 0; i < N_STREAMS; i++) {
        for (uint32_t k = 0; k < STREAM_EVENTS; k++)
            n_call_events += rv_event_kind(&events[i][k]) == RV_EVENT_CALL;
        free(events[i]);
    }
    if (got.n_misplaced || got.n_begins != 1 || got.n_ends != 1 || got.n_definitions != N_SUBROUTINES) {
        fprintf(stderr, "seed %" PRIu64 ": a sink received spans out of order\n", seed);
        return 1;
    }
    bool is_equal = got.n_spans == wanted.n_spans && got.sum_ns == wanted.sum_ns && got.sum_depth == wanted.sum_depth &&
                    got.sum_start_ns == wanted.sum_start_ns && got.n_calls == n_call_events;
    if (!is_equal)
        fprintf(stderr,
                "seed %" PRIu64 ", %u workers: spans %" PRIu64 "/%" PRIu64 ", ns %" PRIu64 "/%" PRIu64
                ", depth %" PRIu64 "/%" PRIu64 ", calls %" PRIu64 "/%" PRIu64 "\n",
                seed, n_workers, got.n_spans, wanted.n_spans, got.sum_ns, wanted.sum_ns, got.sum_depth,
                wanted.sum_depth, got.n_calls, n_call_events);
    return is_equal ? 0 : 1;
}

int main(void)
{
    int n_failures = 0;
    for (unsigned i = 0; i < 12; i++)
        n_failures += run(0x9e3779b97f4a7c15ull * (i + 1), 1 + i % 4);
    printf("12 runs, %d failures\n", n_failures);
    return n_failures ? 1 : 0;
}
