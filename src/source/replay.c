/*
 * Each turn reads one chunk. Streams of the file become streams of the pipeline. Ids are renumbered in order of
 * appearance, so that tables are bounded by the number of ids in a file, not their values.
 */
#include "source/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "base/vec.h"
#include "stream/stack_preamble.h"
#include "recording/codec.h"
#include "recording/chunk_reader.h"
#include "source/recorded_names.h"

struct replay_stream {
    void *stream; /* the pipeline's handle; NULL while none is open */
    bool is_known, is_closed;
    struct rv_stream_account account;
    struct rv_rec_account before;  /* counts at its first event in the file */
    uint64_t segment;              /* segment where it was first seen, or of its last gap */
    bool has_events, is_beginning; /* submitted events describe open frames */
    bool is_retelling;             /* they describe a gap in the file */
    bool is_resumed;               /* continues after a gap */
    uint64_t last_ns;
    uint64_t n_events;  /* its next ordinal */
    uint64_t n_missing; /* ordinals missing from all blocks */
};

struct replay {
    struct rv_source source; /* first: a replay is its source */
    char *path;
    struct rv_rec_reader *reader;
    struct rv_codec *codec;
    struct rv_event *events; /* of one block */
    struct replay_stream *streams;
    size_t n_streams;
    struct rv_recorded_names names;
    struct rv_silent_threads silent;
    uint64_t n_broken;                 /* intact chunks with invalid content */
    uint64_t n_segments, next_segment; /* segments seen; the next one's number if none was discarded */
    uint64_t n_between;                /* discarded events after kept ones */
    bool has_gap;                      /* segments before this one were discarded */
    bool is_written;                   /* the file is not complete yet */
    bool lacks_end;
};

/* ---- streams ---- */

static struct replay_stream *stream_at(struct replay *replay, uint32_t number)
{
    if (number >= replay->n_streams)
        replay->streams =
            rv_vec_extend(replay->streams, &replay->n_streams, (size_t)number + 1, sizeof *replay->streams);
    return &replay->streams[number];
}

static void open_stream(struct replay_stream *stream, const struct rv_intake *intake, const struct rv_stream_info *info)
{
    stream->stream = intake->open_stream(intake->context, info);
    stream->is_known = true;
    stream->last_ns = info->born_ns;
}

/* A stream whose STREAM chunk is damaged. */
static void open_unknown(struct replay_stream *stream, uint32_t number, uint64_t first_ns,
                         const struct rv_intake *intake)
{
    open_stream(stream, intake,
                &(struct rv_stream_info){.tid = number,
                                         .process_name = "?",
                                         .thread_name = "?",
                                         .born_ns = first_ns & RV_EVENT_TICKS_MASK,
                                         .ring = number});
}

static bool take_stream(struct replay *replay, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                        const struct rv_intake *intake)
{
    struct rv_recorded_who who;
    if (rv_recorded_who_read(&who, chunk, payload) != 0)
        return false;
    struct replay_stream *stream = stream_at(replay, chunk->stream);
    if (stream->stream)
        intake->rename_stream(intake->context, stream->stream, who.thread_name);
    if (stream->is_known)
        return true;
    open_stream(stream, intake, &who.info);
    stream->segment = replay->n_segments;
    return true;
}

/* The recorder's counts minus those of discarded segments. */
static void send_account(struct replay_stream *stream, const struct rv_intake *intake)
{
    struct rv_stream_account account = stream->account;
    if (!stream->is_closed) {
        account.n_consumed = stream->n_events - stream->before.n_consumed;
        account.n_produced = account.n_consumed + account.n_dropped;
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
    send_account(stream, intake);
    end_ns &= RV_EVENT_TICKS_MASK;
    intake->close_stream(intake->context, stream->stream, end_ns > stream->last_ns ? end_ns : stream->last_ns);
    stream->stream = NULL;
}

/* A segment's repeated descriptions are used only for streams not seen before. */
static bool is_new(const struct replay *replay, const struct replay_stream *stream)
{
    return stream->segment == replay->n_segments && !stream->has_events;
}

/* ---- events ---- */

static void submit(struct replay *replay, struct replay_stream *stream, const struct rv_event *events, uint32_t n,
                   const struct rv_intake *intake)
{
    while (n > 0) {
        struct rv_batch *batch = rv_intake_wait_for_batch(intake);
        batch->is_open = stream->is_beginning;
        batch->is_retold = stream->is_retelling;
        uint32_t n_done = rv_batch_fill(batch, events, n, &stream->last_ns);
        rv_recorded_map_ids(&replay->names, batch);
        batch->stream = stream->stream;
        intake->submit_batch(intake->context, batch);
        events += n_done;
        n -= n_done;
    }
}

/* A block is missing between the previous ones and this one. */
static void submit_loss(struct replay *replay, struct replay_stream *stream, uint64_t n_lost,
                        const struct rv_intake *intake)
{
    struct rv_event lost = {.when = (uint64_t)RV_EVENT_LOST << RV_EVENT_KIND_SHIFT | stream->last_ns,
                            .id = n_lost > UINT32_MAX ? UINT32_MAX : (uint32_t)n_lost};
    stream->is_retelling = true;
    submit(replay, stream, &lost, 1, intake);
    stream->is_retelling = false;
}

/* The stream continues after discarded events, which are not counted as its losses. */
static void pass_gap(struct replay *replay, struct replay_stream *stream, uint64_t next_ordinal,
                     const struct rv_intake *intake)
{
    uint64_t n_gone = next_ordinal - stream->n_events;
    submit_loss(replay, stream, n_gone, intake);
    stream->before.n_produced += n_gone;
    stream->before.n_consumed += n_gone;
    stream->n_events = next_ordinal;
    stream->segment = replay->n_segments;
    stream->has_events = false;
    stream->is_resumed = true;
    replay->n_between += n_gone;
}

static bool take_account(struct replay *replay, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                         const struct rv_intake *intake)
{
    struct rv_rec_account account;
    if (chunk->payload_bytes < sizeof account || !stream_at(replay, chunk->stream)->is_known)
        return false;
    memcpy(&account, payload, sizeof account);
    struct replay_stream *stream = stream_at(replay, chunk->stream);
    if (account.is_before) {
        if (is_new(replay, stream)) {
            stream->before = account;
            stream->n_events = account.n_consumed;
        } else if (replay->has_gap && stream->stream && account.n_consumed > stream->n_events) {
            pass_gap(replay, stream, account.n_consumed, intake);
        }
        return true;
    }
    stream->account = rv_recorded_account(&account, &stream->before);
    stream->is_closed = account.is_closed;
    if (account.is_closed)
        close_stream(stream, account.end_ns, intake);
    return true;
}

static void begin(struct replay *replay, struct replay_stream *stream, uint32_t n, const struct rv_intake *intake)
{
    stream->is_beginning = true;
    submit(replay, stream, replay->events, n, intake);
    stream->is_beginning = false;
}

/* The frames open after a gap; those that were open before are kept. */
static void resume(struct replay *replay, struct replay_stream *stream, uint32_t n, const struct rv_intake *intake)
{
    uint32_t n_resumed = 0;
    for (uint32_t i = 0; i < n; i++)
        if (rv_event_kind(&replay->events[i]) != RV_EVENT_LINE)
            replay->events[n_resumed++] = replay->events[i];
    stream->is_retelling = true;
    submit(replay, stream, replay->events, n_resumed, intake);
    stream->is_retelling = false;
}

static bool take_events(struct replay *replay, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                        const struct rv_intake *intake)
{
    struct rv_rec_events head;
    const bool is_open = chunk->flags & RV_REC_OPEN;
    if (rv_codec_decode(replay->codec, chunk, payload, chunk->payload_bytes, replay->events) != 0 ||
        (is_open && !rv_stack_preamble_is_all(replay->events, chunk->n_events)))
        return false;
    memcpy(&head, payload, sizeof head);
    struct replay_stream *stream = stream_at(replay, chunk->stream);
    if (!stream->is_known)
        open_unknown(stream, chunk->stream, chunk->first_ns, intake);
    if (!stream->stream)
        return false; /* already closed */
    if (is_open) {
        if (is_new(replay, stream) && stream->is_resumed)
            resume(replay, stream, chunk->n_events, intake);
        else if (is_new(replay, stream))
            begin(replay, stream, chunk->n_events, intake);
        return true;
    }
    stream->has_events = true;
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

static bool take_segment(struct replay *replay, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_rec_segment segment;
    if (chunk->payload_bytes < sizeof segment)
        return false;
    memcpy(&segment, payload, sizeof segment);
    replay->has_gap = replay->n_segments++ > 0 && segment.number != replay->next_segment;
    replay->next_segment = segment.number + 1;
    return true;
}

static bool take_chunk(struct replay *replay, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                       const struct rv_intake *intake)
{
    if (!rv_chunk_has_stream_within(chunk, rv_rec_reader_state(replay->reader).n_bytes))
        return false;
    switch (chunk->type) {
    case RV_REC_STREAM:
        return take_stream(replay, chunk, payload, intake);
    case RV_REC_STRINGS:
        return rv_recorded_define(&replay->names, chunk, payload, intake);
    case RV_REC_EVENTS:
        return take_events(replay, chunk, payload, intake);
    case RV_REC_ACCOUNT:
        return take_account(replay, chunk, payload, intake);
    case RV_REC_SEGMENT:
        return take_segment(replay, chunk, payload);
    case RV_REC_SILENT:
        return rv_recorded_silent(&replay->silent, chunk, payload);
    case RV_REC_OUTSIDE:
        return rv_recorded_outside(chunk, payload, intake);
    default:
        return true;
    }
}

static void warn_of_damage(const struct replay *replay)
{
    struct rv_rec_reader_state state = rv_rec_reader_state(replay->reader);
    unsigned long long n_damaged = state.n_damaged;
    if (!state.is_finished && state.n_damaged)
        rv_warn("%s: truncated or damaged: %llu of %llu bytes are unreadable, the rest is shown; see --check",
                replay->path, n_damaged, (unsigned long long)state.n_bytes);
    else if (!state.is_finished)
        rv_warn("%s: ends early: its recorder was killed, or is still running", replay->path);
    else if (state.n_damaged)
        rv_warn("%s: damaged: %llu of %llu bytes are skipped; see --check", replay->path, n_damaged,
                (unsigned long long)state.n_bytes);
    if (replay->n_broken)
        rv_warn("%s: %llu %s invalid and skipped; see --check", replay->path, (unsigned long long)replay->n_broken,
                rv_units_word(replay->n_broken, "chunk is", "chunks are"));
    if (replay->n_between)
        rv_warn("%s: %llu event%s between the remaining ones %s discarded", replay->path,
                (unsigned long long)replay->n_between, rv_units_word(replay->n_between, "", "s"),
                rv_units_word(replay->n_between, "was", "were"));
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
        replay->lacks_end = !replay->is_written && !rv_rec_reader_state(replay->reader).is_finished;
        if (!replay->is_written)
            warn_of_damage(replay);
        return end(replay, intake);
    }
    replay->n_broken += !take_chunk(replay, &chunk, payload, intake);
    return RV_SOURCE_MOVED;
}

static void nap_replay(struct rv_source *source)
{
    (void)source; /* there is always more to read; acquiring batches waits */
}

static void resolve_replay(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    (void)source; /* names are in the file and were defined when read */
    (void)intake;
    (void)is_final;
}

static void losses_of_replay(const struct rv_source *source, struct rv_losses *losses)
{
    const struct replay *replay = (const struct replay *)source;
    rv_recorded_losses(replay->reader, losses);
    losses->n[RV_LOSS_EVENTS_LET_GO] += replay->n_between;
    losses->n[RV_LOSS_CHUNKS_DAMAGED] += replay->n_broken;
    losses->n[RV_LOSS_END_MISSING] += replay->lacks_end;
}

static void silent_of_replay(const struct rv_source *source, struct rv_silent_threads *silent)
{
    rv_silent_threads_merge(silent, &((const struct replay *)source)->silent);
}

static void close_replay(struct rv_source *source)
{
    struct replay *replay = (struct replay *)source;
    rv_silent_threads_fini(&replay->silent);
    rv_rec_reader_close(replay->reader);
    rv_codec_destroy(replay->codec);
    free(replay->events);
    free(replay->streams);
    rv_recorded_names_fini(&replay->names);
    free(replay->path);
    free(replay);
}

static struct rv_source *open_replay(const char *path, bool is_written)
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
                                        .losses = losses_of_replay,
                                        .silent = silent_of_replay,
                                        .mono_ns = file->mono_ns,
                                        .real_ns = file->real_ns,
                                        .begin_ns = is_written ? 0 : rv_recorded_begin(path, reader)};
    replay->is_written = is_written;
    replay->path = rv_strdup(path);
    replay->reader = reader;
    replay->codec = rv_codec_create();
    rv_recorded_names_init(&replay->names, rv_rec_reader_state(reader).n_bytes);
    replay->events = rv_alloc_scratch(RV_REC_MAX_EVENTS, sizeof *replay->events);
    return &replay->source;
}

struct rv_source *rv_replay_open(const char *path)
{
    return open_replay(path, false);
}

struct rv_source *rv_replay_open_written(const char *path)
{
    return open_replay(path, true);
}
