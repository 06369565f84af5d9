#include "segments_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "recording/codec.h"
#include "recording/stream_chunks.h"
#include "scan/serial.h"

enum { PORTION = 3000 };

char all[80], newest[80], mended[80];
uint32_t n_names = N_IDS;
uint64_t slowness = 1;
static char folder[] = "/tmp/ringviz-segments-XXXXXX";
static uint64_t seed;
struct rv_codec *codec;

void enter(void)
{
    codec = rv_codec_create();
    cr_assert_not_null(mkdtemp(folder));
    snprintf(all, sizeof all, "%s/all.rvz", folder);
    snprintf(newest, sizeof newest, "%s/newest.rvz", folder);
    snprintf(mended, sizeof mended, "%s/mended.rvz", folder);
}

void leave(void)
{
    rv_codec_destroy(codec);
    unlink(all);
    unlink(newest);
    unlink(mended);
    rmdir(folder);
}

uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

/* ---- the events ---- */

struct rv_event next_event(struct thread *thread)
{
    thread->now_ns += 1 + draw(2 * thread->step_ns * slowness);
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

void define_names(const struct rv_sink *sink)
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

struct rv_recording_writer_totals record(const char *path, size_t n_events, struct rv_record_limit limit)
{
    static struct thread threads[N_STREAMS];
    struct rv_recording_writer *recorder = rv_recording_writer_create(1);
    struct rv_recording_writer_params params = {.path = path, .program = "p", .is_forced = true, .limit = limit};
    struct rv_sink sink = rv_recording_writer_sink(recorder);
    struct rv_recording_writer_totals totals;
    seed = 3;
    cr_assert_eq(rv_recording_writer_start(recorder, &params), 0);
    sink.begin(sink.context, 0);
    define_names(&sink);
    define_names(&sink); /* as a source does that begins anew */
    give(&sink, n_events, threads);
    sink.end(sink.context, NULL);
    cr_assert_eq(rv_recording_writer_stop(recorder, &totals), 0);
    rv_recording_writer_destroy(recorder);
    return totals;
}

/* ---- what is in a file ---- */

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

static void count_wanted(struct content *content, const struct rv_event *events, uint32_t n)
{
    const struct range *wanted = &content->wanted;
    content->n_all += n;
    for (uint32_t i = 0; i < n; i++)
        content->n_wanted +=
            rv_event_ticks(&events[i]) >= wanted->from_ns && rv_event_ticks(&events[i]) <= wanted->to_ns;
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
    if (content->whole)
        count_wanted(content, events, chunk->n_events);
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
    struct rv_stream_chunk who;
    cr_assert_eq(rv_stream_chunk_read(&who, chunk, payload), 0);
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

/* At the end stacks are closed in the order of their first events, which may differ between the two recordings. */
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
    if (of_part.n < of_whole.n) /* what ends before was discarded */
        cr_assert_leq(of_whole.list[of_whole.n - n - 1].end, part->n ? rv_event_ticks(&part->events[0]) : end_ns);
    free(of_whole.list);
    free(of_part.list);
    return n;
}

void compare(const struct content *whole, const struct content *part, bool is_whole)
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

/* ---- reading ---- */

void free_streams(struct content *content)
{
    for (unsigned i = 0; i < N_STREAMS; i++) {
        free(content->streams[i].open);
        free(content->streams[i].events);
    }
    memset(content->streams, 0, sizeof content->streams);
}

/* At a gap: the events before it must be those of the whole recording; after it counting starts anew. */
static void take_segment(struct content *content, const uint8_t *payload)
{
    struct rv_rec_segment segment;
    memcpy(&segment, payload, sizeof segment);
    if (content->n_segments++ && segment.number != content->next_segment) {
        cr_assert_not_null(content->whole);
        compare(content->whole, content, false);
        free_streams(content);
        content->n_gaps++;
    }
    content->next_segment = segment.number + 1;
}

void read_against(const char *path, struct content *content, const struct content *whole, struct range wanted)
{
    static struct rv_event events[RV_REC_MAX_EVENTS];
    struct rv_rec_reader *reader;
    struct rv_rec_chunk chunk;
    const uint8_t *payload;
    *content = (struct content){.whole = whole, .wanted = wanted};
    cr_assert_eq(rv_rec_reader_open(&reader, path, &(struct rv_rec_reader_params){count_damage, &content->n_damages}),
                 0);
    if (rv_rec_reader_past(reader))
        content->past = *rv_rec_reader_past(reader);
    uint64_t first_ns = rv_rec_reader_first_ns(reader);
    while (rv_rec_reader_next(reader, &chunk, &payload) > 0) {
        struct stream *stream = &content->streams[chunk.stream];
        cr_assert_lt(chunk.stream, N_STREAMS);
        if (chunk.type == RV_REC_SEGMENT)
            take_segment(content, payload);
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
    if (content->past.n_events && content->is_finished && !content->n_gaps)
        cr_assert_eq(first_ns, content->first_ns);
    rv_rec_reader_close(reader);
}

void read_content(const char *path, struct content *content)
{
    read_against(path, content, NULL, (struct range){0});
}

uint64_t count_events(const struct content *content)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < N_STREAMS; i++)
        n += content->streams[i].n;
    return n;
}

uint64_t bytes_on_disk(const char *path)
{
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    return (uint64_t)status.st_blocks * 512;
}
