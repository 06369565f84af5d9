/*
 * The totals of a whole session in its recording: random streams go through real workers into the recorder, and a check
 * counts anew from the file's blocks, which end elsewhere than the session's batches, and compares.
 *
 *     totals [ROUNDS [SEED]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/scan/streams.h"
#include "base/vec.h"
#include "pipeline/session.h"
#include "sink/record.h"
#include "sink/verify.h"

enum { MOST_STREAMS = 4 };

struct thread {
    struct stream events;
    void *stream;
    uint32_t n_sent;
    uint64_t last_ns;
};

struct maker {
    struct rv_source source; /* first */
    uint64_t random;
    struct thread threads[MOST_STREAMS];
    uint32_t n_threads, most; /* events in a batch */
};

static void close_thread(struct maker *maker, struct thread *thread, const struct rv_intake *intake)
{
    const uint64_t n = thread->events.n;
    intake->account_stream(intake->context, thread->stream, &(struct rv_stream_account){n, n, 0});
    intake->close_stream(intake->context, thread->stream, thread->last_ns + random_below(&maker->random, 100));
}

static bool send_some(struct maker *maker, struct thread *thread, const struct rv_intake *intake)
{
    uint32_t n_left = thread->events.n - thread->n_sent, n = 1 + random_below(&maker->random, maker->most);
    if (n_left == 0)
        return false;
    struct rv_batch *batch = intake->acquire_batch(intake->context);
    if (!batch)
        return true;
    batch->stream = thread->stream;
    thread->n_sent +=
        rv_batch_fill(batch, thread->events.events + thread->n_sent, n < n_left ? n : n_left, &thread->last_ns);
    intake->submit_batch(intake->context, batch);
    if (thread->n_sent == thread->events.n)
        close_thread(maker, thread, intake);
    return true;
}

static enum rv_source_status poll_maker(struct rv_source *source, const struct rv_intake *intake)
{
    struct maker *maker = (struct maker *)source;
    bool has_sent = false;
    for (uint32_t i = 0; i < maker->n_threads; i++) {
        struct thread *thread = &maker->threads[i];
        if (!thread->stream)
            thread->stream = intake->open_stream(
                intake->context, &(struct rv_stream_info){
                                     .pid = 1, .tid = i + 1, .process_name = "maker", .thread_name = "", .ring = i});
        has_sent |= send_some(maker, thread, intake);
    }
    return has_sent ? RV_SOURCE_MOVED : RV_SOURCE_ENDED;
}

static void nap_maker(struct rv_source *source)
{
    (void)source;
}

static void resolve_maker(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    (void)source;
    (void)intake;
    (void)is_final;
}

static void record(const char *path, struct maker *maker)
{
    struct rv_record *record = rv_record_create(1 + random_below(&maker->random, 3));
    const struct rv_record_params params = {.path = path, .program = "totals", .is_forced = true, .is_all = true};
    if (rv_record_start(record, &params) != 0)
        exit(2);
    struct rv_sink sink = rv_record_sink(record);
    struct rv_session *session = rv_session_start(
        &(struct rv_session_params){.n_workers = 1 + random_below(&maker->random, 3), .sinks = &sink, .n_sinks = 1},
        &maker->source);
    while (!rv_session_wait(session, 20000000))
        ;
    struct rv_record_totals totals;
    if (rv_record_stop(record, &totals) != 0)
        exit(2);
    rv_session_destroy(session);
    rv_record_destroy(record);
}

static bool run(const char *path, uint64_t seed)
{
    struct maker maker = {
        .source = {.poll = poll_maker, .nap = nap_maker, .resolve = resolve_maker, .close = nap_maker}, .random = seed};
    maker.n_threads = 1 + random_below(&maker.random, MOST_STREAMS);
    maker.most = 1 + random_below(&maker.random, random_below(&maker.random, 2) ? 20 : RV_BATCH_EVENTS);
    for (uint32_t i = 0; i < maker.n_threads; i++) {
        struct stream_params params = stream_random_params(&maker.random);
        if (random_below(&maker.random, 8) == 0) /* several blocks */
            params.n = random_below(&maker.random, 3 * RV_REC_MAX_EVENTS);
        maker.threads[i].events = stream_generate(&params, &maker.random);
    }
    record(path, &maker);
    for (uint32_t i = 0; i < maker.n_threads; i++)
        stream_free(&maker.threads[i].events);
    struct rv_rec_verify found;
    if (rv_rec_verify(path, &(struct rv_rec_reader_params){0}, NULL, false, &found) == 0 &&
        rv_rec_verify_is_whole(&found))
        return true;
    fprintf(stderr, "seed %" PRIu64 ": %" PRIu64 " damages, %" PRIu64 " events missing\n", seed, found.n_damages,
            found.n_missing);
    return false;
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 60;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    char path[64];
    unsigned n_failures = 0;
    snprintf(path, sizeof path, "/tmp/ringviz-totals-%d.rvz", (int)getpid());
    for (unsigned long i = 0; i < n; i++)
        n_failures += !run(path, seed + i);
    unlink(path);
    printf("%u of %lu rounds failed\n", n_failures, n);
    return n_failures != 0;
}
