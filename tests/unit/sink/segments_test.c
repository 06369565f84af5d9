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

#include "base/vec.h"
#include "recording/codec.h"
#include "recording/payload.h"
#include "scan/serial.h"
#include "sink/record.h"
#include "sink/verify.h"

enum { N_STREAMS = 4, N_STACKS = 3, N_IDS = 40, MOST_DEPTH = 30, PORTION = 3000, SLACK_BYTES = 64 << 10 };

static char folder[] = "/tmp/ringviz-segments-XXXXXX", all[80], newest[80], mended[80];
static uint64_t seed;
static uint32_t n_names = N_IDS;
static struct rv_codec *codec;

static void enter(void)
{
    codec = rv_codec_create();
    cr_assert_not_null(mkdtemp(folder));
    snprintf(all, sizeof all, "%s/all.rvz", folder);
    snprintf(newest, sizeof newest, "%s/newest.rvz", folder);
    snprintf(mended, sizeof mended, "%s/mended.rvz", folder);
}

static void leave(void)
{
    rv_codec_destroy(codec);
    unlink(all);
    unlink(newest);
    unlink(mended);
    rmdir(folder);
}

TestSuite(segments, .init = enter, .fini = leave, .timeout = 120);

static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

/* ---- the events ---- */

struct thread { /* on its way through its calls */
    uint32_t stack, depth[N_STACKS], ids[N_STACKS][MOST_DEPTH];
    uint64_t now_ns, step_ns;
};

static struct rv_event next_event(struct thread *thread)
{
    thread->now_ns += 1 + draw(2 * thread->step_ns);
    uint32_t *depth = &thread->depth[thread->stack], *ids = thread->ids[thread->stack];
    struct rv_event event = {.when = thread->now_ns};
    if (draw(2000) == 0) {
        event.id = thread->stack = (uint32_t)draw(N_STACKS);
        event.when |= (uint64_t)RV_EVENT_SWITCH << RV_EVENT_KIND_SHIFT;
    } else if (*depth < 3 || (*depth < MOST_DEPTH && draw(2))) {
        event.id = ids[*depth] = 1 + (uint32_t)draw(N_IDS);
        event.frame = (uint16_t)(*depth)++;
    } else {
        if (*depth > 6 && draw(60) == 0)
            *depth -= 2; /* a jump */
        event.frame = (uint16_t)-- * depth;
        event.id = ids[*depth];
        event.when |= (uint64_t)RV_EVENT_RETURN << RV_EVENT_KIND_SHIFT;
    }
    return event;
}

static void define_names(const struct rv_sink *sink)
{
    for (uint32_t i = 1; i <= n_names; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        sink->define(sink->context, &(struct rv_definition){i, "p", name, "", i}, 1);
    }
}

/* Thread 0 is busy, 1 less so, 2 makes a block and then waits for the end, 3 ends early. */
static void give(const struct rv_sink *sink, size_t n_events, struct thread *threads)
{
    static struct rv_event events[RV_REC_MAX_EVENTS];
    const uint64_t step_ns[N_STREAMS] = {50, 250, 50, 50};
    uint64_t n_given[N_STREAMS] = {0};
    for (uint32_t i = 0; i < N_STREAMS; i++) {
        threads[i] = (struct thread){.now_ns = 1000000, .step_ns = step_ns[i]};
        sink->open(sink->context, i,
                   &(struct rv_stream_info){.pid = 7, .tid = 10 + i, .process_name = "p", .thread_name = "old"});
        sink->rename(sink->context, i, "new");
    }
    for (size_t at = 0; at < n_events; at += PORTION)
        for (uint32_t i = 0; i < N_STREAMS; i++) {
            size_t n = i == 0 ? PORTION : i == 1 ? PORTION / 5 : at > 0 ? 0 : i == 2 ? RV_REC_MAX_EVENTS : 100;
            for (size_t k = 0; k < n; k++)
                events[k] = next_event(&threads[i]);
            if (n)
                sink->events(sink->context, i, events, n);
            n_given[i] += n;
            if (at == 0)
                sink->account(sink->context, i, &(struct rv_stream_account){n + 5, n, 5});
            if (i == 3 && at == 0)
                sink->close(sink->context, i, threads[i].now_ns, &(struct rv_stream_account){n + 5, n, 5});
        }
    for (uint32_t i = 0; i < 3; i++)
        sink->close(sink->context, i, threads[0].now_ns, &(struct rv_stream_account){n_given[i] + 7, n_given[i], 7});
}

static struct rv_record_totals record(const char *path, size_t n_events, struct rv_record_limit limit)
{
    static struct thread threads[N_STREAMS];
    struct rv_record *recorder = rv_record_create(1);
    struct rv_record_params params = {.path = path, .program = "p", .is_forced = true, .limit = limit};
    struct rv_sink sink = rv_record_sink(recorder);
    struct rv_record_totals totals;
    seed = 3;
    cr_assert_eq(rv_record_start(recorder, &params), 0);
    sink.begin(sink.context, &(struct rv_clock){.kind = RV_CLOCK_MONOTONIC, .mult = 1});
    define_names(&sink);
    define_names(&sink); /* as a source does that begins anew */
    give(&sink, n_events, threads);
    sink.end(sink.context);
    cr_assert_eq(rv_record_stop(recorder, &totals), 0);
    rv_record_destroy(recorder);
    return totals;
}

/* ---- what is in a file ---- */

struct stream {
    bool is_known;
    struct rv_event *open, *events;
    size_t n_open, open_capacity, n, capacity;
    uint64_t first; /* ordinal of the first event */
    struct rv_rec_account before, account;
    uint64_t first_segment;
};

struct content {
    struct stream streams[N_STREAMS];
    uint64_t n_segments, n_names_at_begin;
    uint64_t first_ns, last_ns;
    bool is_finished;
    unsigned n_damages;
    struct rv_rec_segment past;
};

static void count_damage(void *context, const struct rv_rec_damage *damage)
{
    (void)damage;
    ++*(unsigned *)context;
}

static void append(struct rv_event **events, size_t *n, size_t *capacity, const struct rv_event *added, size_t n_added)
{
    *events = rv_vec_reserve(*events, capacity, *n + n_added, sizeof **events);
    memcpy(*events + *n, added, n_added * sizeof **events);
    *n += n_added;
}

static void take_events(struct content *content, struct stream *stream, const struct rv_rec_chunk *chunk,
                        const uint8_t *payload, const struct rv_event *events)
{
    struct rv_rec_events head;
    memcpy(&head, payload, sizeof head);
    if (chunk->flags & RV_REC_OPEN) {
        if (stream->first_segment == content->n_segments)
            append(&stream->open, &stream->n_open, &stream->open_capacity, events, chunk->n_events);
        cr_assert_eq(head.first_ordinal, stream->n ? stream->first + stream->n : stream->before.n_consumed);
        return;
    }
    if (stream->n == 0)
        stream->first = head.first_ordinal;
    cr_assert_eq(head.first_ordinal, stream->first + stream->n);
    append(&stream->events, &stream->n, &stream->capacity, events, chunk->n_events);
    if (content->first_ns == 0 || chunk->first_ns < content->first_ns)
        content->first_ns = chunk->first_ns;
    content->last_ns = chunk->last_ns > content->last_ns ? chunk->last_ns : content->last_ns;
}

static void take_account(struct content *content, struct stream *stream, const uint8_t *payload)
{
    struct rv_rec_account account;
    memcpy(&account, payload, sizeof account);
    if (!account.is_before)
        stream->account = account;
    else if (stream->first_segment == content->n_segments)
        stream->before = account;
}

static void take_stream(struct content *content, struct stream *stream, const struct rv_rec_chunk *chunk,
                        const uint8_t *payload)
{
    struct rv_rec_who who;
    cr_assert_eq(rv_rec_who_read(&who, chunk, payload), 0);
    if (stream->is_known)
        return;
    stream->is_known = true;
    stream->first_segment = content->n_segments;
    if (content->n_segments && content->past.n_events)
        cr_assert_str_eq(who.thread_name, "new");
}

static uint64_t count_names(const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_compressor *compressor = rv_compressor_create();
    struct rv_rec_strings strings = {0};
    struct rv_rec_definition definition;
    uint64_t n = 0;
    cr_assert_eq(rv_rec_strings_open(&strings, compressor, chunk, payload), 0);
    while (rv_rec_strings_next(&strings, &definition) > 0)
        n++;
    rv_rec_strings_close(&strings);
    rv_compressor_destroy(compressor);
    return n;
}

static void read_content(const char *path, struct content *content)
{
    static struct rv_event events[RV_REC_MAX_EVENTS];
    struct rv_rec_reader *reader;
    struct rv_rec_chunk chunk;
    const uint8_t *payload;
    *content = (struct content){0};
    cr_assert_eq(rv_rec_reader_open(&reader, path, &(struct rv_rec_reader_params){count_damage, &content->n_damages}),
                 0);
    if (rv_rec_reader_past(reader))
        content->past = *rv_rec_reader_past(reader);
    uint64_t first_ns = rv_rec_reader_first_ns(reader);
    while (rv_rec_reader_next(reader, &chunk, &payload) > 0) {
        struct stream *stream = &content->streams[chunk.stream];
        cr_assert_lt(chunk.stream, N_STREAMS);
        if (chunk.type == RV_REC_SEGMENT)
            content->n_segments++;
        else if (chunk.type == RV_REC_STREAM)
            take_stream(content, stream, &chunk, payload);
        else if (chunk.type == RV_REC_ACCOUNT)
            take_account(content, stream, payload);
        else if (chunk.type == RV_REC_STRINGS && content->n_segments == 1)
            content->n_names_at_begin += count_names(&chunk, payload);
        else if (chunk.type == RV_REC_EVENTS) {
            cr_assert_eq(rv_codec_decode(codec, &chunk, payload, chunk.payload_bytes, events), 0);
            take_events(content, stream, &chunk, payload, events);
        }
    }
    content->is_finished = rv_rec_reader_state(reader).is_finished;
    if (content->past.n_events && content->is_finished)
        cr_assert_eq(first_ns, content->first_ns);
    rv_rec_reader_close(reader);
}

static void content_fini(struct content *content)
{
    for (unsigned i = 0; i < N_STREAMS; i++) {
        free(content->streams[i].open);
        free(content->streams[i].events);
    }
}

/* ---- comparing ---- */

struct spans {
    struct rv_span *list;
    size_t n, capacity;
};

static void scan(struct spans *spans, const struct stream *stream, uint64_t end_ns)
{
    struct rv_serial *serial = rv_serial_create();
    rv_serial_feed(serial, stream->open, stream->n_open, &spans->list, &spans->n, &spans->capacity);
    cr_assert_eq(spans->n, 0);
    rv_serial_feed(serial, stream->events, stream->n, &spans->list, &spans->n, &spans->capacity);
    rv_serial_finish(serial, end_ns, &spans->list, &spans->n, &spans->capacity);
    rv_serial_destroy(serial);
}

/* Stacks are closed at the end in the order in which they were met: that may be another one. */
static int by_end(const void *a, const void *b)
{
    const struct rv_span *x = a, *y = b;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->stack != y->stack)
        return x->stack < y->stack ? -1 : 1;
    return x->depth < y->depth ? 1 : x->depth > y->depth ? -1 : 0;
}

/* The calls of the limited one are the last ones of the whole. */
static size_t compare_spans(const struct stream *whole, const struct stream *part)
{
    struct spans of_whole = {0}, of_part = {0};
    uint64_t end_ns = whole->account.end_ns;
    scan(&of_whole, whole, end_ns);
    scan(&of_part, part, end_ns);
    size_t n = of_part.n;
    cr_assert_leq(of_part.n, of_whole.n);
    qsort(of_whole.list, of_whole.n, sizeof *of_whole.list, by_end);
    qsort(of_part.list, n, sizeof *of_part.list, by_end);
    const struct rv_span *theirs = of_whole.list + (of_whole.n - n);
    for (size_t i = 0; i < n; i++) {
        const struct rv_span *a = &of_part.list[i], *b = &theirs[i];
        cr_assert(a->start == b->start && a->end == b->end && a->id == b->id && a->depth == b->depth &&
                      a->stack == b->stack && a->flags == b->flags,
                  "span %zu of %zu", i, n);
    }
    if (of_part.n < of_whole.n) /* what ends before was let go */
        cr_assert_leq(of_whole.list[of_whole.n - n - 1].end, part->n ? rv_event_ticks(&part->events[0]) : end_ns);
    free(of_whole.list);
    free(of_part.list);
    return n;
}

/* is_whole: to the end, not only some of what comes behind what was let go */
static void compare(const struct content *whole, const struct content *part, bool is_whole)
{
    for (unsigned i = 0; i < N_STREAMS; i++) {
        const struct stream *a = &whole->streams[i], *b = &part->streams[i];
        if (!b->is_known)
            continue;
        uint64_t first = b->n ? b->first : b->before.n_consumed;
        cr_assert_leq(first + b->n, a->n);
        cr_assert_eq(b->before.n_consumed, first);
        if (b->n)
            cr_assert_eq(memcmp(a->events + first, b->events, b->n * sizeof *b->events), 0, "stream %u", i);
        if (!is_whole)
            continue;
        cr_assert_eq(first + b->n, a->n, "stream %u", i);
        cr_assert_eq(b->account.n_consumed, a->account.n_consumed);
        cr_assert_eq(b->account.n_dropped, a->account.n_dropped);
        cr_assert(b->before.n_dropped == 0 || b->before.n_dropped == 5);
        cr_assert_gt(compare_spans(a, b), 0);
    }
}

static uint64_t count_events(const struct content *content)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < N_STREAMS; i++)
        n += content->streams[i].n;
    return n;
}

static uint64_t bytes_on_disk(const char *path)
{
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    return (uint64_t)status.st_blocks * 512;
}

Test(segments, have_the_newest_events_within_so_many_bytes)
{
    enum { N_EVENTS = 2000000, LIMIT = 600 << 10 };
    struct content whole, part;
    (void)record(all, N_EVENTS, (struct rv_record_limit){0});
    struct rv_record_totals totals = record(newest, N_EVENTS, (struct rv_record_limit){.n_bytes = LIMIT});
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
    content_fini(&whole);
    content_fini(&part);
}

Test(segments, have_the_newest_events_of_so_much_time)
{
    enum { N_EVENTS = 2000000, LIMIT_NS = 40000000, BLOCK_NS = RV_REC_MAX_EVENTS * 260 /* of thread 1 */ };
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
    content_fini(&whole);
    content_fini(&part);
}

/* However short the time is, and however much a segment tells again. */
Test(segments, are_mostly_events)
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
    content_fini(&part);
}

Test(segments, have_all_that_there_is_room_for)
{
    struct content whole, part;
    struct rv_record_totals totals = record(newest, 100000, (struct rv_record_limit){.n_bytes = 64 << 20});
    (void)record(all, 100000, (struct rv_record_limit){0});
    read_content(all, &whole);
    read_content(newest, &part);
    compare(&whole, &part, true);
    cr_assert(part.streams[3].is_known);
    cr_assert_eq(totals.n_events_gone, 0);
    cr_assert_eq(count_events(&part), count_events(&whole));
    content_fini(&whole);
    content_fini(&part);
}

Test(segments, are_found_whole_and_mend)
{
    enum { N_EVENTS = 1000000, LIMIT = 400 << 10 };
    struct rv_record_totals totals = record(newest, N_EVENTS, (struct rv_record_limit){.n_bytes = LIMIT});
    struct rv_rec_verify found;
    struct content part, again;
    cr_assert_eq(rv_rec_verify(newest, &(struct rv_rec_reader_params){0}, mended, true, &found), 0);
    cr_assert(rv_rec_verify_is_whole(&found));
    cr_assert_eq(found.n_events, totals.n_events);
    cr_assert_eq(found.n_gone, totals.n_events_gone);
    cr_assert_eq(found.n_missing, 0);
    cr_assert_eq(found.n_bytes, totals.n_bytes);
    cr_assert_eq(rv_rec_verify(newest, &(struct rv_rec_reader_params){0}, NULL, true, &found), 0);
    cr_assert(rv_rec_verify_is_whole(&found), "its indexes are those that are made of what it has");
    cr_assert_eq(rv_rec_verify(mended, &(struct rv_rec_reader_params){0}, NULL, true, &found), 0);
    cr_assert(rv_rec_verify_is_whole(&found));
    read_content(newest, &part);
    read_content(mended, &again);
    cr_assert_eq(again.past.n_events, part.past.n_events);
    for (unsigned i = 0; i < N_STREAMS; i++) {
        cr_assert_eq(again.streams[i].n, part.streams[i].n);
        cr_assert_eq(again.streams[i].n_open, part.streams[i].n_open);
    }
    content_fini(&part);
    content_fini(&again);
}

/* Whoever is killed, or finds no room, leaves a beginning; a hole before it, or zeros as a copy has them. */
Test(segments, cut_anywhere_have_what_was_whole)
{
    enum { N_EVENTS = 400000, LIMIT = 128 << 10, N_CUTS = 1000 };
    struct content whole, part;
    struct stat status;
    (void)record(all, N_EVENTS, (struct rv_record_limit){0});
    (void)record(newest, N_EVENTS, (struct rv_record_limit){.n_bytes = LIMIT});
    read_content(all, &whole);
    read_content(newest, &part);
    uint64_t n_events = count_events(&part), n_last = n_events, n_gone = part.past.n_events;
    content_fini(&part);
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
        content_fini(&part);
    }
    cr_assert_eq(n_last, 0);
    content_fini(&whole);
}

Test(segments, that_are_damaged_are_said_to_be)
{
    struct rv_rec_verify found;
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
    cr_assert_eq(rv_rec_verify(newest, &(struct rv_rec_reader_params){0}, NULL, true, &found), 0);
    cr_assert(!rv_rec_verify_is_whole(&found));
    cr_assert_eq(found.n_damages, 1);
    cr_assert_gt(found.n_events, 0);
}

/* Threads that ended long ago have had their numbers. */
Test(segments, mend_whatever_number_their_streams_have)
{
    enum { N_THREADS = 3000, N_EVENTS = 200 };
    static struct rv_event events[N_EVENTS];
    struct rv_record *recorder = rv_record_create(1);
    struct rv_record_params params = {.path = newest, .program = "p", .is_forced = true, .limit.ns = 1};
    struct rv_sink sink = rv_record_sink(recorder);
    struct rv_record_totals totals;
    struct rv_rec_verify found;
    struct thread thread = {.now_ns = 1000, .step_ns = 10};
    cr_assert_eq(rv_record_start(recorder, &params), 0);
    sink.begin(sink.context, &(struct rv_clock){.kind = RV_CLOCK_MONOTONIC, .mult = 1});
    define_names(&sink);
    for (uint32_t i = 0; i < N_THREADS; i++) {
        sink.open(sink.context, i,
                  &(struct rv_stream_info){.pid = 7, .tid = i, .process_name = "p", .thread_name = ""});
        for (unsigned k = 0; k < N_EVENTS; k++)
            events[k] = next_event(&thread);
        sink.events(sink.context, i, events, N_EVENTS);
        sink.close(sink.context, i, thread.now_ns, &(struct rv_stream_account){N_EVENTS, N_EVENTS, 0});
    }
    sink.end(sink.context);
    cr_assert_eq(rv_record_stop(recorder, &totals), 0);
    rv_record_destroy(recorder);
    cr_assert_eq(rv_rec_verify(newest, &(struct rv_rec_reader_params){0}, mended, true, &found), 0);
    cr_assert_eq(found.n_damages, 0);
    cr_assert_eq(found.n_streams * N_EVENTS, totals.n_events);
    cr_assert_eq(rv_rec_verify(mended, &(struct rv_rec_reader_params){0}, NULL, true, &found), 0);
    cr_assert(rv_rec_verify_is_whole(&found));
    cr_assert_eq(found.n_events, totals.n_events);
    cr_assert_lt(found.n_bytes / 64, N_THREADS);
}

TestSuite(verify, .init = enter, .fini = leave, .timeout = 60);

/* A hundred bytes may begin 65,536 calls: what that costs is bounded. */
Test(verify, ends_where_more_calls_are_open_than_in_any_program)
{
    enum { N_BLOCKS = 66 };
    static struct rv_event events[RV_REC_MAX_EVENTS];
    struct rv_rec_writer writer;
    struct rv_rec_buffer buffer = {0};
    struct rv_rec_verify found;
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
    cr_assert_eq(rv_rec_verify(all, &(struct rv_rec_reader_params){0}, NULL, false, &found), -EBADMSG);
}

Test(verify, what_is_open_tells_of_no_calls)
{
    const struct rv_event open[] = {{.when = (uint64_t)RV_EVENT_SYNC << RV_EVENT_KIND_SHIFT | 5, .id = 1},
                                    {.when = 10, .id = 2, .frame = 1}};
    struct rv_rec_writer writer;
    struct rv_rec_buffer buffer = {0};
    struct rv_rec_verify found;
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
    cr_assert_eq(rv_rec_verify(all, &(struct rv_rec_reader_params){0}, NULL, false, &found), 0);
    cr_assert_eq(found.n_damages, 1);
}
