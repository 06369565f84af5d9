/*
 * The totals of a whole session in its recording: random streams go through real workers into the recorder, and a check
 * counts anew from the file's blocks, which end elsewhere than the session's batches, and compares.
 *
 *     totals [ROUNDS [SEED]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../unit/scan/streams.h"
#include "pipeline/session.h"
#include "sink/check_recording.h"
#include "sink/recording_writer.h"

#include "sender.h"

static void record(const char *path, struct sender *sender, uint64_t *random)
{
    struct rv_recording_writer *record = rv_recording_writer_create(1 + random_below(random, 3));
    const struct rv_recording_writer_params params = {
        .path = path, .program = "totals", .is_forced = true, .is_all = true};
    if (rv_recording_writer_start(record, &params) != 0)
        exit(2);
    struct rv_sink sink = rv_recording_writer_sink(record);
    struct rv_session *session = rv_session_start(
        &(struct rv_session_params){.n_workers = 1 + random_below(random, 3), .sinks = &sink, .n_sinks = 1},
        &sender->source);
    while (!rv_session_wait(session, 20000000))
        ;
    struct rv_recording_writer_totals totals;
    if (rv_recording_writer_stop(record, &totals) != 0)
        exit(2);
    rv_session_destroy(session);
    rv_recording_writer_destroy(record);
}

static bool run(const char *path, uint64_t seed)
{
    uint64_t random = seed;
    struct stream streams[SENDER_MOST_STREAMS];
    struct sender sender;
    sender_init(&sender, random_next(&random));
    sender.n_streams = 1 + random_below(&random, SENDER_MOST_STREAMS);
    sender.few = sender.most = 1 + random_below(&random, random_below(&random, 2) ? 20 : RV_BATCH_EVENTS);
    for (uint32_t i = 0; i < sender.n_streams; i++) {
        struct stream_params params = stream_random_params(&random);
        if (random_below(&random, 8) == 0) /* several blocks */
            params.n = random_below(&random, 3 * RV_REC_MAX_EVENTS);
        streams[i] = stream_generate(&params, &random);
        sender.streams[i] =
            (struct sent){.events = streams[i].events, .n = streams[i].n, .rest_ns = random_below(&random, 100)};
    }
    record(path, &sender, &random);
    for (uint32_t i = 0; i < sender.n_streams; i++)
        stream_free(&streams[i]);
    struct rv_check_result found;
    if (rv_check_read(path, &(struct rv_rec_reader_params){0}, NULL, false, &found) == 0 && rv_check_is_whole(&found))
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
