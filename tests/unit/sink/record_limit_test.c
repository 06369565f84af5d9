/*
 * A recording with a limit beside one without, of the same events: it has the newest of every stream, and with what it
 * says was open before them the same calls end in it, at the same depths and after the same times.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/codec.h"
#include "recording/chunk_writer.h"
#include "segments_fixture.h"
#include "sink/check_recording.h"

TestSuite(record_limit, .init = enter, .fini = leave, .timeout = 120);

Test(record_limit, a_limit_of_bytes_keeps_the_newest_events)
{
    enum { N_EVENTS = 1200000, LIMIT = 600 << 10 };
    struct content whole, part;
    (void)record(all, N_EVENTS, (struct rv_record_limit){0});
    struct rv_recording_writer_totals totals = record(newest, N_EVENTS, (struct rv_record_limit){.n_bytes = LIMIT});
    read_content(all, &whole);
    read_content(newest, &part);
    cr_assert(part.is_finished && part.n_damages == 0);
    cr_assert_gt(part.n_segments, 2);
    compare(&whole, &part, true);
    cr_assert(part.streams[0].is_known && part.streams[1].is_known && part.streams[2].is_known);
    cr_assert(!part.streams[3].is_known, "it ended before");
    cr_assert_gt(part.streams[2].n_open, 3, "it waits");
    cr_assert_eq(part.n_names_at_begin, N_IDS);
    cr_assert_eq(totals.n_events, count_events(&part));
    cr_assert_eq(totals.n_events_gone, part.past.n_events);
    cr_assert_eq(totals.n_events + totals.n_events_gone, count_events(&whole));
    cr_assert_eq(part.past.first_ns, whole.first_ns);
    cr_assert_leq(totals.n_bytes, LIMIT + LIMIT / 8);
    cr_assert_leq(bytes_on_disk(newest), LIMIT + LIMIT / 8 + SLACK_BYTES);
    cr_assert_gt(totals.n_bytes, LIMIT / 2);
    free_streams(&whole);
    free_streams(&part);
}

Test(record_limit, a_limit_of_time_keeps_the_newest_events)
{
    enum { N_EVENTS = 1200000, LIMIT_NS = 24000000, BLOCK_NS = RV_REC_MAX_EVENTS * 260 /* of thread 1 */ };
    struct content whole, part;
    (void)record(all, N_EVENTS, (struct rv_record_limit){0});
    (void)record(newest, N_EVENTS, (struct rv_record_limit){.ns = LIMIT_NS});
    read_content(all, &whole);
    read_content(newest, &part);
    compare(&whole, &part, true);
    cr_assert_eq(part.last_ns, whole.last_ns);
    cr_assert_leq(part.first_ns, part.last_ns - LIMIT_NS);
    /* thread 1 hands over whole blocks */
    cr_assert_gt(rv_event_ticks(&part.streams[0].events[0]), part.last_ns - LIMIT_NS - LIMIT_NS / 8 - BLOCK_NS);
    cr_assert_gt(part.past.n_events, 0);
    free_streams(&whole);
    free_streams(&part);
}

/* Even if the limit is short and each segment repeats many names. */
Test(record_limit, segments_are_mostly_events)
{
    enum { N_EVENTS = 1000000, LIMIT_NS = 1000000 };
    struct stat status;
    struct content part;
    n_names = 40000;
    uint64_t n_bytes = record(all, N_EVENTS, (struct rv_record_limit){0}).n_bytes;
    (void)record(newest, N_EVENTS, (struct rv_record_limit){.ns = LIMIT_NS});
    cr_assert_eq(stat(newest, &status), 0);
    cr_assert_leq((uint64_t)status.st_size, 2 * n_bytes);
    read_content(newest, &part);
    cr_assert_gt(part.past.n_events, 0);
    cr_assert_eq(part.n_names_at_begin, n_names);
    free_streams(&part);
}

Test(record_limit, a_limit_keeps_all_that_fits)
{
    struct content whole, part;
    struct rv_recording_writer_totals totals = record(newest, 100000, (struct rv_record_limit){.n_bytes = 64 << 20});
    (void)record(all, 100000, (struct rv_record_limit){0});
    read_content(all, &whole);
    read_content(newest, &part);
    compare(&whole, &part, true);
    cr_assert(part.streams[3].is_known);
    cr_assert_eq(totals.n_events_gone, 0);
    cr_assert_eq(count_events(&part), count_events(&whole));
    free_streams(&whole);
    free_streams(&part);
}

Test(record_limit, segments_verify_and_a_copy_of_them_is_the_same)
{
    enum { N_EVENTS = 1000000, LIMIT = 400 << 10 };
    struct rv_recording_writer_totals totals = record(newest, N_EVENTS, (struct rv_record_limit){.n_bytes = LIMIT});
    struct rv_check_result found;
    struct content part, again;
    cr_assert_eq(rv_check_read(newest, &(struct rv_rec_reader_params){0}, mended, true, &found), 0);
    cr_assert(rv_check_is_whole(&found));
    cr_assert_eq(found.n_events, totals.n_events);
    cr_assert_eq(found.n_gone, totals.n_events_gone);
    cr_assert_eq(found.n_missing, 0);
    cr_assert_eq(found.n_bytes, totals.n_bytes);
    cr_assert_eq(rv_check_read(newest, &(struct rv_rec_reader_params){0}, NULL, true, &found), 0);
    cr_assert(rv_check_is_whole(&found), "its indexes are those that are made of what it has");
    cr_assert_eq(rv_check_read(mended, &(struct rv_rec_reader_params){0}, NULL, true, &found), 0);
    cr_assert(rv_check_is_whole(&found));
    read_content(newest, &part);
    read_content(mended, &again);
    cr_assert_eq(again.past.n_events, part.past.n_events);
    for (unsigned i = 0; i < N_STREAMS; i++) {
        cr_assert_eq(again.streams[i].n, part.streams[i].n);
        cr_assert_eq(again.streams[i].n_open, part.streams[i].n_open);
    }
    free_streams(&part);
    free_streams(&again);
}

/* A recorder that is killed, or has no room, leaves a part of a chunk; before it a hole, or zeros as in a copy. */
Test(record_limit, a_file_cut_anywhere_has_its_whole_chunks)
{
#ifdef __SANITIZE_ADDRESS__
    enum { N_CUTS = 25 };
#else
    enum { N_CUTS = 1000 };
#endif
    enum { N_EVENTS = 400000, LIMIT = 128 << 10 };
    struct content whole, part;
    struct stat status;
    (void)record(all, N_EVENTS, (struct rv_record_limit){0});
    (void)record(newest, N_EVENTS, (struct rv_record_limit){.n_bytes = LIMIT});
    read_content(all, &whole);
    read_content(newest, &part);
    uint64_t n_events = count_events(&part), n_last = n_events, n_gone = part.past.n_events;
    free_streams(&part);
    cr_assert_gt(n_gone, 0);
    cr_assert_eq(stat(newest, &status), 0);
    uint64_t at = (uint64_t)status.st_size, mean = at / N_CUTS;
    for (unsigned i = 0; i < N_CUTS && at > 2 * mean + 192; i++) {
        at -= 1 + draw(2 * mean);
        cr_assert_eq(truncate(newest, (off_t)at), 0);
        read_content(newest, &part);
        compare(&whole, &part, false);
        cr_assert_leq(count_events(&part), n_last);
        cr_assert_leq(part.n_damages, 1);
        cr_assert(!part.is_finished);
        n_last = count_events(&part);
        free_streams(&part);
    }
    cr_assert_eq(n_last, 0);
    free_streams(&whole);
}

Test(record_limit, damaged_segments_are_reported)
{
    struct rv_check_result found;
    struct rv_rec_reader *reader;
    (void)record(newest, 400000, (struct rv_record_limit){.n_bytes = 128 << 10});
    cr_assert_eq(rv_rec_reader_open(&reader, newest, NULL), 0);
    uint64_t begin = rv_rec_reader_state(reader).begin;
    rv_rec_reader_close(reader);
    FILE *file = fopen(newest, "r+");
    cr_assert_not_null(file);
    cr_assert_eq(fseek(file, (long)begin + 70, SEEK_SET), 0); /* in the first SEGMENT */
    cr_assert_eq(fputc(0x55, file), 0x55);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(rv_check_read(newest, &(struct rv_rec_reader_params){0}, NULL, true, &found), 0);
    cr_assert(!rv_check_is_whole(&found));
    cr_assert_eq(found.n_damages, 1);
    cr_assert_gt(found.n_events, 0);
}

/* Threads that ended long ago have used the low stream numbers, so those in the file are high. */
Test(record_limit, segments_are_repaired_whatever_numbers_their_streams_have)
{
    enum { N_THREADS = 300, N_EVENTS = 200 };
    static struct rv_event events[N_EVENTS];
    struct rv_recording_writer *recorder = rv_recording_writer_create(1);
    struct rv_recording_writer_params params = {.path = newest, .program = "p", .is_forced = true, .limit.ns = 1};
    struct rv_sink sink = rv_recording_writer_sink(recorder);
    struct rv_recording_writer_totals totals;
    struct rv_check_result found;
    struct thread thread = {.now_ns = 1000, .step_ns = 10};
    cr_assert_eq(rv_recording_writer_start(recorder, &params), 0);
    sink.begin(sink.context, 0);
    define_names(&sink);
    for (uint32_t i = 0; i < N_THREADS; i++) {
        sink.open(sink.context, i,
                  &(struct rv_stream_info){.pid = 7, .tid = i, .process_name = "p", .thread_name = ""});
        for (unsigned k = 0; k < N_EVENTS; k++)
            events[k] = next_event(&thread);
        sink.events(sink.context, i, events, N_EVENTS);
        sink.close(sink.context, i, thread.now_ns, &(struct rv_stream_account){N_EVENTS, N_EVENTS, 0});
    }
    sink.end(sink.context, NULL);
    cr_assert_eq(rv_recording_writer_stop(recorder, &totals), 0);
    rv_recording_writer_destroy(recorder);
    cr_assert_eq(rv_check_read(newest, &(struct rv_rec_reader_params){0}, mended, true, &found), 0);
    cr_assert_eq(found.n_damages, 0);
    cr_assert_eq(found.n_streams * N_EVENTS, totals.n_events);
    cr_assert_eq(rv_check_read(mended, &(struct rv_rec_reader_params){0}, NULL, true, &found), 0);
    cr_assert(rv_check_is_whole(&found));
    cr_assert_eq(found.n_events, totals.n_events);
    cr_assert_lt(found.n_bytes / 64, N_THREADS);
}

/* With a trigger: the events around hits, and the last ones, which a hit right after the end would keep. */
Test(record_limit, a_trigger_keeps_the_events_around_hits)
{
    enum { N_EVENTS = 1200000, KEEP_NS = 100000000, EARLY_NS = 300000000, HIT_NS = 700000000 };
    const struct range wanted = {HIT_NS - KEEP_NS, HIT_NS + KEEP_NS};
    struct content whole, counted, part;
    struct rv_check_result found, again;
    char why[128];
    struct rv_trigger *trigger = rv_trigger_create();
    slowness = 33; /* some two seconds */
    cr_assert_eq(rv_trigger_add(trigger, "depth > 100", why, sizeof why), 0);
    rv_trigger_set_keep(trigger, (struct rv_trigger_keep){KEEP_NS, KEEP_NS});
    struct rv_sink sink = rv_trigger_sink(trigger);
    sink.spans(sink.context, NULL, &(struct rv_span){.end = HIT_NS, .depth = 101}, 1);
    (void)record(all, N_EVENTS, (struct rv_record_limit){0});
    struct rv_recording_writer_totals totals = record(newest, N_EVENTS, (struct rv_record_limit){.trigger = trigger});
    read_content(all, &whole);
    read_against(all, &counted, &whole, wanted);
    read_against(newest, &part, &whole, wanted);
    cr_assert(part.is_finished && part.n_damages == 0);
    cr_assert_geq(part.n_gaps, 1, "behind the hit; late blocks of the slower thread may be kept apart");
    cr_assert_gt(part.past.n_events, 0, "nothing wants the beginning");
    cr_assert_gt(part.past.last_ns, EARLY_NS);
    cr_assert_eq(part.n_wanted, counted.n_wanted);
    cr_assert_lt(part.n_all, counted.n_all * 2 / 3);
    compare(&whole, &part, true);
    cr_assert_leq(part.first_ns, part.last_ns - KEEP_NS);
    cr_assert_eq(totals.n_events, part.n_all);
    cr_assert_eq(totals.n_events + totals.n_events_gone, counted.n_all);
    cr_assert_leq(bytes_on_disk(newest), totals.n_bytes + SLACK_BYTES);
    cr_assert_eq(rv_check_read(newest, &(struct rv_rec_reader_params){0}, mended, true, &found), 0);
    cr_assert_eq(rv_check_read(mended, &(struct rv_rec_reader_params){0}, NULL, true, &again), 0);
    cr_assert(rv_check_is_whole(&found) && rv_check_is_whole(&again));
    cr_assert(found.n_events == totals.n_events && again.n_events == totals.n_events);
    cr_assert(found.n_gone == totals.n_events_gone && again.n_gone == totals.n_events_gone);
    cr_assert(found.n_missing == 0 && again.n_missing == 0);
    free_streams(&whole);
    free_streams(&counted);
    free_streams(&part);
    rv_trigger_destroy(trigger);
}

/* The limit holds although the trigger wants more events than fit. */
Test(record_limit, a_limit_holds_for_events_of_a_trigger)
{
    enum { N_EVENTS = 1200000, LIMIT = 400 << 10, KEEP_NS = 100000000 };
    struct content whole, part;
    char why[128];
    struct rv_trigger *trigger = rv_trigger_create();
    slowness = 33;
    cr_assert_eq(rv_trigger_add(trigger, "depth > 100", why, sizeof why), 0);
    rv_trigger_set_keep(trigger, (struct rv_trigger_keep){KEEP_NS, KEEP_NS});
    struct rv_sink sink = rv_trigger_sink(trigger);
    for (uint64_t ns = 0; ns < 3000000000u; ns += KEEP_NS)
        sink.spans(sink.context, NULL, &(struct rv_span){.end = ns, .depth = 101}, 1);
    (void)record(all, N_EVENTS, (struct rv_record_limit){0});
    (void)record(newest, N_EVENTS, (struct rv_record_limit){.n_bytes = LIMIT, .trigger = trigger});
    read_content(all, &whole);
    read_content(newest, &part);
    compare(&whole, &part, true);
    cr_assert_gt(part.past.n_events, 0);
    cr_assert_leq(bytes_on_disk(newest), LIMIT + LIMIT / 8 + SLACK_BYTES);
    free_streams(&whole);
    free_streams(&part);
    rv_trigger_destroy(trigger);
}

TestSuite(check, .init = enter, .fini = leave, .timeout = 60);

/* A hundred bytes may begin 65,536 calls: what that costs is bounded. */
Test(check, a_check_ends_where_too_many_calls_are_open)
{
    enum { N_BLOCKS = 66 };
    static struct rv_event events[RV_REC_MAX_EVENTS];
    struct rv_rec_writer writer;
    struct rv_rec_buffer buffer = {0};
    struct rv_check_result found;
    cr_assert_eq(rv_rec_writer_open(&writer, all, &(struct rv_rec_file){.pid = 7}, "p", false), 0);
    for (uint32_t k = 0; k < RV_REC_MAX_EVENTS; k++)
        events[k] = (struct rv_event){.when = 1000, .frame = (uint16_t)k};
    for (uint64_t i = 0; i < N_BLOCKS; i++) {
        struct rv_rec_chunk chunk = {.type = RV_REC_EVENTS};
        rv_chunk_begin(&buffer);
        rv_codec_encode(codec, events, RV_REC_MAX_EVENTS, i * RV_REC_MAX_EVENTS, &chunk, &buffer);
        rv_chunk_end(&buffer, &chunk);
        cr_assert_eq(rv_rec_writer_put(&writer, &buffer), 0);
    }
    cr_assert_lt(writer.n_bytes, N_BLOCKS * 200);
    cr_assert_eq(rv_rec_writer_close(&writer), 0);
    rv_rec_buffer_fini(&buffer);
    freopen("/dev/null", "w", stderr);
    cr_assert_eq(rv_check_read(all, &(struct rv_rec_reader_params){0}, NULL, false, &found), -EBADMSG);
}

Test(check, open_frames_count_no_calls)
{
    const struct rv_event open[] = {{.when = (uint64_t)RV_EVENT_SYNC << RV_EVENT_KIND_SHIFT | 5, .id = 1},
                                    {.when = 10, .id = 2, .frame = 1}};
    struct rv_rec_writer writer;
    struct rv_rec_buffer buffer = {0};
    struct rv_check_result found;
    cr_assert_eq(rv_rec_writer_open(&writer, all, &(struct rv_rec_file){.pid = 7}, "p", false), 0);
    for (uint32_t n = 1; n <= 2; n++) {
        struct rv_rec_chunk chunk = {.type = RV_REC_EVENTS};
        rv_chunk_begin(&buffer);
        rv_codec_encode(codec, open, n, 0, &chunk, &buffer);
        chunk.flags |= RV_REC_OPEN;
        rv_chunk_end(&buffer, &chunk);
        cr_assert_eq(rv_rec_writer_put(&writer, &buffer), 0);
    }
    cr_assert_eq(rv_rec_writer_close(&writer), 0);
    rv_rec_buffer_fini(&buffer);
    cr_assert_eq(rv_check_read(all, &(struct rv_rec_reader_params){0}, NULL, false, &found), 0);
    cr_assert_eq(found.n_damages, 1);
}
