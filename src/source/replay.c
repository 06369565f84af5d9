/*
 * One turn reads one chunk. Streams of the file are streams of the pipeline; ids are given out anew in order of first
 * sight, so that what the ids in a file may cost is bounded by how many there are.
 */
#include "source/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "recording/codec.h"
#include "recording/payload.h"
#include "recording/reader.h"
#include "ring/text.h"

#define MAX_ID (1u << 22)

enum { SHOWN_NAME_BYTES = 256 };
/* Names as they are unpacked: many times the file's size is no program's, and would all be held. */
static const uint64_t NAME_BYTES_PER_BYTE = 64, NAME_BYTES_OF_ANY = 64 << 20;

struct replay_stream {
    void *stream; /* the pipeline's; NULL while none is open */
    bool is_known, is_closed;
    struct rv_stream_account account;
    uint64_t last_ns;
    uint64_t n_events;  /* its next ordinal */
    uint64_t n_missing; /* ordinals that no block had */
};

struct replay {
    struct rv_source source; /* first: a replay is its source */
    char *path;
    struct rv_rec_reader *reader;
    struct rv_codec *codec;
    struct rv_event *events; /* of one block */
    struct replay_stream *streams;
    size_t n_streams, streams_capacity;
    uint32_t *ids; /* of the file to ours; 0 = not seen yet */
    size_t n_ids, ids_capacity;
    uint32_t n_given; /* ids of ours so far */
    struct rv_rec_strings strings;
    uint64_t n_name_bytes; /* so far */
    struct rv_rec_buffer shown[3];
    struct rv_compressor *compressor;
    uint64_t n_broken; /* chunks that were whole and made no sense */
};

static uint32_t map_id(struct replay *replay, uint32_t id)
{
    if (id == 0 || id >= MAX_ID)
        return 0;
    if (id >= replay->n_ids) {
        replay->ids = rv_vec_reserve(replay->ids, &replay->ids_capacity, id + 1u, sizeof *replay->ids);
        memset(replay->ids + replay->n_ids, 0, (replay->ids_capacity - replay->n_ids) * sizeof *replay->ids);
        replay->n_ids = replay->ids_capacity;
    }
    if (replay->ids[id] == 0)
        replay->ids[id] = ++replay->n_given;
    return replay->ids[id];
}

/* ---- streams ---- */

static struct replay_stream *stream_at(struct replay *replay, uint32_t number)
{
    if (number >= replay->n_streams) {
        replay->streams =
            rv_vec_reserve(replay->streams, &replay->streams_capacity, number + 1u, sizeof *replay->streams);
        memset(replay->streams + replay->n_streams, 0,
               (replay->streams_capacity - replay->n_streams) * sizeof *replay->streams);
        replay->n_streams = replay->streams_capacity;
    }
    return &replay->streams[number];
}

static void open_stream(struct replay_stream *stream, const struct rv_intake *intake, const struct rv_stream_info *info)
{
    stream->stream = intake->open_stream(intake->context, info);
    stream->is_known = true;
    stream->last_ns = info->born_ticks;
}

/* A stream whose STREAM chunk is damaged. */
static void open_unknown(struct replay_stream *stream, uint32_t number, uint64_t first_ns,
                         const struct rv_intake *intake)
{
    open_stream(stream, intake,
                &(struct rv_stream_info){.tid = number,
                                         .process_name = "?",
                                         .thread_name = "?",
                                         .tag_mode = RV_TAG_DEPTH,
                                         .born_ticks = first_ns & RV_EVENT_TICKS_MASK,
                                         .ring = number});
}

static bool take_stream(struct replay *replay, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                        const struct rv_intake *intake)
{
    struct rv_rec_who who;
    char process_name[SHOWN_NAME_BYTES], thread_name[SHOWN_NAME_BYTES];
    if (rv_rec_who_read(&who, chunk, payload) != 0)
        return false;
    rv_text_escape(process_name, sizeof process_name, who.process_name, strlen(who.process_name));
    rv_text_escape(thread_name, sizeof thread_name, who.thread_name, strlen(who.thread_name));
    struct replay_stream *stream = stream_at(replay, chunk->stream);
    if (stream->stream)
        intake->rename_stream(intake->context, stream->stream, thread_name);
    if (stream->is_known)
        return true;
    open_stream(stream, intake,
                &(struct rv_stream_info){.pid = who.stream.pid,
                                         .parent_pid = who.stream.parent_pid,
                                         .tid = who.stream.tid,
                                         .process_key = who.stream.process_key,
                                         .process_name = process_name,
                                         .thread_name = thread_name,
                                         .tag_mode = (enum rv_tag_mode)who.stream.tag_mode,
                                         .born_ticks = who.stream.born_ns & RV_EVENT_TICKS_MASK,
                                         .ring = who.stream.ring});
    return true;
}

/* What the recorder was told, less what of it the file no longer holds. */
static void tell_account(struct replay_stream *stream, const struct rv_intake *intake)
{
    struct rv_stream_account account = stream->account;
    if (!stream->is_closed) {
        account.n_consumed = stream->n_events;
        account.n_produced = stream->n_events + account.n_dropped;
    }
    uint64_t n_missing = stream->n_missing < account.n_consumed ? stream->n_missing : account.n_consumed;
    account.n_consumed -= n_missing;
    account.n_dropped += n_missing;
    intake->account_stream(intake->context, stream->stream, &account);
}

static void close_stream(struct replay_stream *stream, uint64_t end_ns, const struct rv_intake *intake)
{
    if (!stream->stream)
        return;
    tell_account(stream, intake);
    end_ns &= RV_EVENT_TICKS_MASK;
    intake->close_stream(intake->context, stream->stream, end_ns > stream->last_ns ? end_ns : stream->last_ns);
    stream->stream = NULL;
}

static bool take_account(struct replay *replay, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                         const struct rv_intake *intake)
{
    struct rv_rec_account account;
    if (chunk->payload_bytes < sizeof account || !stream_at(replay, chunk->stream)->is_known)
        return false;
    memcpy(&account, payload, sizeof account);
    struct replay_stream *stream = stream_at(replay, chunk->stream);
    stream->account = (struct rv_stream_account){account.n_produced, account.n_consumed, account.n_dropped};
    stream->is_closed = account.is_closed;
    if (account.is_closed)
        close_stream(stream, account.end_ns, intake);
    return true;
}

/* ---- names ---- */

/* Escaped text in the replay's own memory, until the next call for the same slot. */
static const char *shown(struct replay *replay, unsigned slot, const char *text)
{
    size_t n = strlen(text);
    struct rv_rec_buffer *buffer = &replay->shown[slot];
    buffer->n = 0;
    char *out = (char *)rv_rec_buffer_reserve(buffer, 4 * n + 1);
    rv_text_escape(out, 4 * n + 1, text, n);
    return out;
}

static bool has_room_for_names(struct replay *replay)
{
    replay->n_name_bytes += (uint64_t)(replay->strings.end - replay->strings.bytes);
    return replay->n_name_bytes <=
           NAME_BYTES_OF_ANY + NAME_BYTES_PER_BYTE * rv_rec_reader_state(replay->reader).n_bytes;
}

static bool take_strings(struct replay *replay, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                         const struct rv_intake *intake)
{
    struct rv_rec_definition found;
    int result = rv_rec_strings_open(&replay->strings, replay->compressor, chunk, payload);
    if (result != 0 || !has_room_for_names(replay))
        return false;
    while ((result = rv_rec_strings_next(&replay->strings, &found)) > 0) {
        uint32_t id = map_id(replay, found.id);
        struct rv_definition definition = {id, shown(replay, 0, found.package), shown(replay, 1, found.name),
                                           shown(replay, 2, found.file), found.line};
        if (id)
            intake->define(intake->context, &definition, 1);
    }
    return result == 0;
}

/* ---- events ---- */

static bool has_name(unsigned kind)
{
    return kind <= RV_EVENT_RETURN || kind == RV_EVENT_MARK || kind == RV_EVENT_VALUE || kind == RV_EVENT_SYNC;
}

static struct rv_batch *wait_for_batch(const struct rv_intake *intake)
{
    struct rv_batch *batch;
    while (!(batch = intake->acquire_batch(intake->context)))
        ;
    return batch;
}

static void map_ids(struct replay *replay, struct rv_batch *batch)
{
    for (uint32_t i = 0; i < batch->n; i++)
        if (has_name(rv_event_kind(&batch->events[i])))
            batch->events[i].id = map_id(replay, batch->events[i].id);
}

static void submit(struct replay *replay, struct replay_stream *stream, const struct rv_event *events, uint32_t n,
                   const struct rv_intake *intake)
{
    while (n > 0) {
        struct rv_batch *batch = wait_for_batch(intake);
        uint32_t n_done = rv_batch_fill(batch, events, n, &stream->last_ns);
        map_ids(replay, batch);
        batch->stream = stream->stream;
        intake->submit_batch(intake->context, batch);
        events += n_done;
        n -= n_done;
    }
}

/* Between the blocks before and this one there was another. */
static void submit_loss(struct replay *replay, struct replay_stream *stream, uint64_t n_lost,
                        const struct rv_intake *intake)
{
    struct rv_event lost = {.when = (uint64_t)RV_EVENT_LOST << RV_EVENT_KIND_SHIFT | stream->last_ns,
                            .id = n_lost > UINT32_MAX ? UINT32_MAX : (uint32_t)n_lost};
    submit(replay, stream, &lost, 1, intake);
}

static bool take_events(struct replay *replay, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                        const struct rv_intake *intake)
{
    struct rv_rec_events head;
    if (rv_codec_decode(replay->codec, chunk, payload, chunk->payload_bytes, replay->events) != 0)
        return false;
    memcpy(&head, payload, sizeof head);
    struct replay_stream *stream = stream_at(replay, chunk->stream);
    if (!stream->is_known)
        open_unknown(stream, chunk->stream, chunk->first_ns, intake);
    if (!stream->stream)
        return false; /* it has been closed */
    if (head.first_ordinal > stream->n_events) {
        uint64_t n_lost = head.first_ordinal - stream->n_events;
        stream->n_missing += n_lost;
        submit_loss(replay, stream, n_lost, intake);
    }
    submit(replay, stream, replay->events, chunk->n_events, intake);
    stream->n_events = head.first_ordinal + chunk->n_events;
    return true;
}

/* ---- the source ---- */

static bool take_chunk(struct replay *replay, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                       const struct rv_intake *intake)
{
    if (!rv_chunk_has_stream_within(chunk, rv_rec_reader_state(replay->reader).n_bytes))
        return false;
    switch (chunk->type) {
    case RV_REC_STREAM:
        return take_stream(replay, chunk, payload, intake);
    case RV_REC_STRINGS:
        return take_strings(replay, chunk, payload, intake);
    case RV_REC_EVENTS:
        return take_events(replay, chunk, payload, intake);
    case RV_REC_ACCOUNT:
        return take_account(replay, chunk, payload, intake);
    default:
        return true;
    }
}

static void say_damage(const struct replay *replay)
{
    struct rv_rec_reader_state state = rv_rec_reader_state(replay->reader);
    unsigned long long n_damaged = state.n_damaged;
    if (!state.is_finished && state.n_damaged)
        rv_warn("%s: cut or damaged: %llu of %llu bytes are not whole, what is whole is shown; see --check",
                replay->path, n_damaged, (unsigned long long)state.n_bytes);
    else if (!state.is_finished)
        rv_warn("%s: ends early: its recorder was stopped, or still runs", replay->path);
    else if (state.n_damaged)
        rv_warn("%s: damaged: %llu of %llu bytes are passed over; see --check", replay->path, n_damaged,
                (unsigned long long)state.n_bytes);
    if (replay->n_broken)
        rv_warn("%s: %llu chunks make no sense and are passed over; see --check", replay->path,
                (unsigned long long)replay->n_broken);
}

static enum rv_source_status end(struct replay *replay, const struct rv_intake *intake)
{
    for (size_t i = 0; i < replay->n_streams; i++)
        close_stream(&replay->streams[i], 0, intake);
    return RV_SOURCE_ENDED;
}

static enum rv_source_status poll_replay(struct rv_source *source, const struct rv_intake *intake)
{
    struct replay *replay = (struct replay *)source;
    struct rv_rec_chunk chunk;
    const uint8_t *payload;
    if (intake->is_stopping(intake->context))
        return end(replay, intake);
    int result = rv_rec_reader_next(replay->reader, &chunk, &payload);
    if (result <= 0) {
        say_damage(replay);
        return end(replay, intake);
    }
    replay->n_broken += !take_chunk(replay, &chunk, payload, intake);
    return RV_SOURCE_MOVED;
}

static void nap_replay(struct rv_source *source)
{
    (void)source; /* there is always more, and waiting for batches is waiting enough */
}

static void resolve_replay(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    (void)source; /* names are in the file, and told as they are met */
    (void)intake;
    (void)is_final;
}

static void close_replay(struct rv_source *source)
{
    struct replay *replay = (struct replay *)source;
    rv_rec_reader_close(replay->reader);
    rv_codec_destroy(replay->codec);
    rv_compressor_destroy(replay->compressor);
    free(replay->events);
    free(replay->streams);
    free(replay->ids);
    rv_rec_strings_close(&replay->strings);
    for (size_t i = 0; i < sizeof replay->shown / sizeof *replay->shown; i++)
        rv_rec_buffer_fini(&replay->shown[i]);
    free(replay->path);
    free(replay);
}

struct rv_source *rv_replay_open(const char *path)
{
    struct rv_rec_reader *reader;
    if (rv_rec_reader_open(&reader, path, NULL) != 0)
        return NULL;
    struct replay *replay = rv_alloc(1, sizeof *replay);
    const struct rv_rec_file *file = rv_rec_reader_file(reader);
    replay->source = (struct rv_source){.poll = poll_replay,
                                        .nap = nap_replay,
                                        .resolve = resolve_replay,
                                        .close = close_replay,
                                        .clock = {.kind = RV_CLOCK_MONOTONIC,
                                                  .mult = 1, /* ticks are ns of CLOCK_MONOTONIC */
                                                  .real0_ns = file->real_ns - file->mono_ns}};
    replay->path = rv_strdup(path);
    replay->reader = reader;
    replay->codec = rv_codec_create();
    replay->compressor = rv_compressor_create();
    replay->events = rv_alloc(RV_REC_MAX_EVENTS, sizeof *replay->events);
    return &replay->source;
}
