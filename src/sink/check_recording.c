#include "sink/check_recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "base/vec.h"
#include "stream/stack_preamble.h"
#include "recording/codec.h"
#include "recording/index_chunk.h"
#include "recording/stream_chunks.h"
#include "recording/chunk_writer.h"
#include "sink/index_builder.h"

/* Limit of open calls: a block of a hundred bytes can start 65,536, each kept in memory until it ends. */
static const uint64_t OPEN_OF_ANY = 1 << 22;

struct stream {
    uint64_t n_ordinals;         /* next ordinal; 0: none seen */
    uint32_t place;              /* number in order of appearance, from 1; 0: not seen yet */
    bool is_known, is_closed;    /* it has a STREAM chunk or events */
    uint64_t last_ns, n_dropped; /* so far */
};

struct checker {
    struct rv_rec_reader_params params;
    struct rv_check_result *found;
    const char *path;
    struct rv_codec *codec;
    struct rv_event *events;
    struct rv_rec_strings strings;
    struct stream *streams; /* by number */
    size_t n_streams;
    uint64_t next_segment; /* its number, if none was discarded; 0: no segment yet */
    bool has_waits;        /* its INDEXes */
    bool has_gap;          /* segments before this one were discarded */
    bool has_gaps;
    struct rv_index_builder *index_builder; /* of the output file, or of the input if there is no output */
    struct rv_rec_index_table ours, theirs;
    struct rv_rec_writer writer;
    struct rv_rec_buffer buffer;
};

static void count_damage(void *context, const struct rv_rec_damage *damage)
{
    struct checker *checker = context;
    checker->found->n_damages++;
    checker->found->n_damaged += damage->n_bytes;
    if (checker->params.on_damage)
        checker->params.on_damage(checker->params.context, damage);
}

static struct stream *meet(struct checker *checker, uint32_t number)
{
    if (number >= checker->n_streams)
        checker->streams =
            rv_vec_extend(checker->streams, &checker->n_streams, (size_t)number + 1, sizeof *checker->streams);
    struct stream *stream = &checker->streams[number];
    if (stream->place == 0)
        stream->place = (uint32_t)++checker->found->n_streams;
    return stream;
}

static bool is_sound_events(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_check_result *found = checker->found;
    struct rv_rec_events head;
    if (rv_codec_decode(checker->codec, chunk, payload, chunk->payload_bytes, checker->events) != 0)
        return false;
    struct stream *stream = meet(checker, chunk->stream);
    if (chunk->flags & RV_REC_OPEN)
        return rv_stack_preamble_is_all(checker->events, chunk->n_events);
    memcpy(&head, payload, sizeof head);
    if (head.first_ordinal < stream->n_ordinals)
        return false;
    found->n_missing += head.first_ordinal - stream->n_ordinals;
    stream->n_ordinals = head.first_ordinal + chunk->n_events;
    stream->is_known = true;
    stream->last_ns = chunk->last_ns > stream->last_ns ? chunk->last_ns : stream->last_ns;
    if (found->n_blocks == 0 || chunk->first_ns < found->first_ns)
        found->first_ns = chunk->first_ns;
    if (chunk->last_ns > found->last_ns)
        found->last_ns = chunk->last_ns;
    found->n_blocks++;
    found->n_events += chunk->n_events;
    return true;
}

static bool is_sound_strings(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    if (rv_rec_strings_open(&checker->strings, rv_codec_compressor(checker->codec), chunk, payload) != 0)
        return false;
    struct rv_rec_definition definition;
    uint64_t n_strings = 0;
    int result;
    while ((result = rv_rec_strings_next(&checker->strings, &definition)) > 0)
        n_strings++;
    if (result == 0)
        checker->found->n_strings += n_strings;
    return result == 0;
}

static bool is_sound_stream(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_stream_chunk who;
    if (rv_stream_chunk_read(&who, chunk, payload) != 0)
        return false;
    meet(checker, chunk->stream)->is_known = true;
    return true;
}

static bool is_sound_account(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_rec_account account;
    if (chunk->payload_bytes < sizeof account)
        return false;
    memcpy(&account, payload, sizeof account);
    struct stream *stream = meet(checker, chunk->stream);
    stream->n_dropped = account.n_dropped;
    stream->is_closed |= account.is_closed != 0;
    if (account.is_before && (stream->n_ordinals == 0 || checker->has_gap))
        stream->n_ordinals = account.n_consumed > stream->n_ordinals ? account.n_consumed : stream->n_ordinals;
    return true;
}

/* ---- the index ---- */

/* Older recorders listed no waits, or in segments more than these told. */
static bool has_waits(const struct rv_rec_file *file)
{
    return file->feature_compat & RV_REC_HAS_WAITS &&
           (file->feature_compat & RV_REC_TELLS_WAITS || !(file->feature_incompat & RV_REC_IN_SEGMENTS));
}

static void index_chunk(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                        uint64_t offset)
{
    struct rv_indexed_chunk added = {.chunk = chunk,
                                     .offset = offset,
                                     .payload = payload,
                                     .events = checker->events,
                                     .n_bytes = rv_chunk_bytes(chunk)};
    if (chunk->type == RV_REC_EVENTS) {
        struct rv_rec_events head;
        memcpy(&head, payload, sizeof head);
        added.ordinal = head.first_ordinal;
    }
    if (!checker->writer.path && checker->found->n_damages) /* it is not compared any more */
        rv_index_builder_leave_sums(checker->index_builder);
    rv_index_builder_add(checker->index_builder, &added);
}

static bool notes_stacks(const struct rv_rec_index_table *table)
{
    size_t n;
    const struct rv_event *notes = rv_rec_index_rows(table, RV_REC_INDEX_NOTES, &n);
    for (size_t i = 0; i < n; i++)
        if (rv_event_kind(&notes[i]) == RV_EVENT_SWITCH)
            return true;
    return false;
}

/* The oldest recorders listed fewer stacks, and not always the ones listed now; where a return revealed lower frames,
 * their self times depended on batch boundaries. Older ones did not note which stack was current or not all changes of
 * states, and took what a stack without calls did for another's. */
static bool is_of_before(const struct checker *checker)
{
    const struct rv_rec_index_table *theirs = &checker->theirs;
    return (theirs->columns[RV_REC_INDEX_STACKS].n && theirs->columns[RV_REC_INDEX_DEPTHS].n == 0) ||
           (notes_stacks(&checker->ours) && !(theirs->head.flags & RV_REC_INDEX_HAS_STATES)) ||
           rv_rec_index_lacks_states(theirs);
}

/* INNERS depend on when names were known. Older recorders did not tell when the last call of a cell ended. */
static bool is_compared(const struct checker *checker, size_t column)
{
    const struct rv_rec_index_table *theirs = &checker->theirs;
    if (column == RV_REC_INDEX_INNERS)
        return false;
    if (column >= RV_REC_INDEX_FOLDS)
        return theirs->columns[RV_REC_INDEX_FOLDS].n;
    if (is_of_before(checker))
        return column == RV_REC_INDEX_CHUNKS || column == RV_REC_INDEX_BUCKETS;
    if (column >= RV_REC_INDEX_WAITERS)
        return checker->has_waits;
    return column != RV_REC_INDEX_CELLS || theirs->head.flags & RV_REC_INDEX_HAS_STATES;
}

static bool is_same(const struct checker *checker)
{
    const struct rv_rec_index_table *ours = &checker->ours, *theirs = &checker->theirs;
    bool is_same = ours->head.begin == theirs->head.begin && ours->head.previous == theirs->head.previous;
    for (size_t i = 0; i < RV_REC_INDEX_COLUMN_END && is_same; i++) {
        const struct rv_rec_buffer *a = &ours->columns[i], *b = &theirs->columns[i];
        is_same = !is_compared(checker, i) || (a->n == b->n && (a->n == 0 || memcmp(a->bytes, b->bytes, a->n) == 0));
    }
    return is_same;
}

/*
 * Does an INDEX cover what was read? In a damaged file it covers more and is only decoded. Totals may come with any
 * INDEX, with the last one at the latest.
 */
static bool is_sound_index(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                           uint64_t offset)
{
    struct rv_compressor *compressor = rv_codec_compressor(checker->codec);
    if (rv_rec_index_decode(compressor, chunk, payload, offset, &checker->theirs) != 0)
        return false;
    checker->found->n_indexes++;
    if (checker->writer.path || checker->found->n_damages)
        return true;
    struct rv_rec_chunk ours = {.type = RV_REC_INDEX};
    checker->buffer.n = 0;
    bool has_totals = checker->theirs.columns[RV_REC_INDEX_TOTALS].n > 0;
    rv_index_builder_choose_folds(checker->index_builder, &checker->theirs);
    if (!rv_index_builder_put(checker->index_builder, compressor, offset, has_totals, &checker->buffer))
        return false;
    ours.payload_bytes = checker->buffer.n;
    return rv_rec_index_decode(compressor, &ours, checker->buffer.bytes, offset, &checker->ours) == 0 &&
           is_same(checker);
}

/* Does the index cover all calls? */
static bool has_all_totals(const struct checker *checker)
{
    bool is_compared = !checker->writer.path && checker->found->n_damages == 0 && checker->found->n_indexes > 0;
    return !is_compared || !rv_index_builder_has_totals(checker->index_builder);
}

/* If END refers to no index, indexes need not be complete. */
static bool is_sound_end(const struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_rec_end end;
    if (chunk->payload_bytes < sizeof end)
        return false;
    memcpy(&end, payload, sizeof end);
    return end.last_index == 0 || has_all_totals(checker);
}

/* Discarded events: the stream's counts minus the events present; missing ones are reported separately. */
static bool is_sound_segment(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_rec_segment segment;
    struct rv_check_result *found = checker->found;
    if (chunk->payload_bytes < sizeof segment || !has_all_totals(checker))
        return false;
    memcpy(&segment, payload, sizeof segment);
    checker->has_gap = checker->next_segment && segment.number != checker->next_segment;
    checker->has_gaps |= checker->has_gap;
    checker->next_segment = segment.number + 1;
    const uint64_t n_seen = found->n_events + found->n_missing;
    if (checker->has_gap && segment.n_events > n_seen)
        found->n_gone = segment.n_events - n_seen;
    return true;
}

static bool is_sound_silent(const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_rec_silent head;
    size_t n;
    return rv_rec_silent_read(&head, &n, chunk, payload) == 0;
}

static bool is_sound(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload, uint64_t offset)
{
    if (!rv_chunk_has_stream_within(chunk, checker->found->n_bytes))
        return false;
    switch (chunk->type) {
    case RV_REC_EVENTS:
        return is_sound_events(checker, chunk, payload);
    case RV_REC_STRINGS:
        return is_sound_strings(checker, chunk, payload);
    case RV_REC_STREAM:
        return is_sound_stream(checker, chunk, payload);
    case RV_REC_ACCOUNT:
        return is_sound_account(checker, chunk, payload);
    case RV_REC_SEGMENT:
        return is_sound_segment(checker, chunk, payload);
    case RV_REC_INDEX:
        return is_sound_index(checker, chunk, payload, offset);
    case RV_REC_SILENT:
        return is_sound_silent(chunk, payload);
    case RV_REC_OUTSIDE:
        return chunk->payload_bytes % sizeof(struct rv_rec_outside_thread) == 0;
    case RV_REC_END:
        return is_sound_end(checker, chunk, payload);
    default:
        return true;
    }
}

/* ---- the file that is written ---- */

static int put(struct checker *checker, const struct rv_rec_chunk *chunk, const void *payload, size_t n)
{
    rv_chunk_begin(&checker->buffer);
    rv_rec_buffer_add(&checker->buffer, payload, n);
    rv_chunk_end(&checker->buffer, chunk);
    return rv_rec_writer_put(&checker->writer, &checker->buffer);
}

static int put_index(struct checker *checker, bool is_last)
{
    bool has_totals = is_last || rv_index_builder_has_many_totals(checker->index_builder);
    rv_chunk_begin(&checker->buffer);
    if (!rv_index_builder_put(checker->index_builder, rv_codec_compressor(checker->codec), checker->writer.n_bytes,
                              has_totals, &checker->buffer))
        return 0;
    rv_chunk_end(&checker->buffer, &(struct rv_rec_chunk){.type = RV_REC_INDEX});
    return rv_rec_writer_put(&checker->writer, &checker->buffer);
}

/* A stream number must be possible for the file's size, with discarded parts. Other chunks have none. */
static uint32_t number_of(struct checker *checker, const struct rv_rec_chunk *chunk)
{
    bool has_stream = chunk->type == RV_REC_STREAM || chunk->type == RV_REC_EVENTS || chunk->type == RV_REC_ACCOUNT;
    return has_stream ? meet(checker, chunk->stream)->place - 1 : 0;
}

/* A segment's indexes cover only that segment. */
static void begin_segment(struct checker *checker, uint64_t last_index)
{
    rv_index_builder_destroy(checker->index_builder);
    checker->index_builder = rv_index_builder_create();
    rv_index_builder_set_last(checker->index_builder, last_index);
}

static int copy_segment(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_rec_segment segment;
    int error = put_index(checker, true);
    if (error)
        return error;
    memcpy(&segment, payload, sizeof segment);
    segment.last_index = rv_index_builder_last(checker->index_builder);
    begin_segment(checker, segment.last_index);
    return put(checker, chunk, &segment, sizeof segment);
}

static int append(struct checker *checker, const struct rv_rec_chunk *chunk, const void *payload)
{
    int error = rv_index_builder_is_due(checker->index_builder) ? put_index(checker, false) : 0;
    uint64_t offset = checker->writer.n_bytes;
    if (!error)
        error = put(checker, chunk, payload, chunk->payload_bytes);
    if (!error)
        index_chunk(checker, chunk, payload, offset);
    return error;
}

/* Indexes are rebuilt. */
static int copy(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    if (chunk->type == RV_REC_INDEX || chunk->type == RV_REC_END)
        return 0;
    if (chunk->type == RV_REC_SEGMENT)
        return copy_segment(checker, chunk, payload);
    struct rv_rec_chunk copied = *chunk;
    copied.stream = number_of(checker, chunk);
    return append(checker, &copied, payload);
}

/* A killed recorder closed no stream: open calls are in no index. */
static int close_streams(struct checker *checker)
{
    int error = 0;
    for (size_t i = 0; i < checker->n_streams && !error; i++) {
        const struct stream *stream = &checker->streams[i];
        struct rv_rec_account account = {.n_produced = stream->n_ordinals + stream->n_dropped,
                                         .n_consumed = stream->n_ordinals,
                                         .n_dropped = stream->n_dropped,
                                         .end_ns = stream->last_ns,
                                         .is_closed = true};
        struct rv_rec_chunk chunk = {
            .type = RV_REC_ACCOUNT, .stream = stream->place - 1, .payload_bytes = sizeof account};
        if (stream->is_known && !stream->is_closed)
            error = append(checker, &chunk, &account);
    }
    return error;
}

static int finish(struct checker *checker)
{
    int error = close_streams(checker);
    if (!error)
        error = put_index(checker, true);
    if (error)
        return error;
    const uint64_t last_index = checker->has_gaps ? 0 : rv_index_builder_last(checker->index_builder);
    struct rv_rec_end end = {checker->found->n_events, checker->found->n_streams, last_index};
    return put(checker, &(struct rv_rec_chunk){.type = RV_REC_END}, &end, sizeof end);
}

static void look_at(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload, uint64_t offset)
{
    struct rv_rec_segment segment;
    if (chunk->type != RV_REC_SEGMENT) {
        index_chunk(checker, chunk, payload, offset);
        return;
    }
    memcpy(&segment, payload, sizeof segment);
    begin_segment(checker, segment.last_index);
}

/* Are more calls open than a recording of this size can have? */
static bool is_too_deep(const struct checker *checker, const struct rv_rec_reader_state *state)
{
    return rv_index_builder_n_open(checker->index_builder) > OPEN_OF_ANY + state->n_stored;
}

static const char *what_is_wrong(const struct rv_rec_chunk *chunk)
{
    return chunk->type == RV_REC_INDEX ? "an index that does not fit what it covers" : "invalid content";
}

static int read_all(struct checker *checker, struct rv_rec_reader *reader)
{
    struct rv_rec_chunk chunk;
    const uint8_t *payload;
    int result;
    while ((result = rv_rec_reader_next(reader, &chunk, &payload)) > 0) {
        struct rv_rec_reader_state state = rv_rec_reader_state(reader);
        uint64_t n_bytes = rv_chunk_bytes(&chunk), offset = state.offset - n_bytes;
        if (!is_sound(checker, &chunk, payload, offset)) {
            count_damage(checker, &(struct rv_rec_damage){offset, n_bytes, what_is_wrong(&chunk)});
            continue;
        }
        if (!checker->writer.path)
            look_at(checker, &chunk, payload, offset);
        else if ((result = copy(checker, &chunk, payload)) != 0)
            return result;
        if (is_too_deep(checker, &state))
            return rv_err(EBADMSG, "%s: %llu calls are open at once: no program has so many", checker->path,
                          (unsigned long long)rv_index_builder_n_open(checker->index_builder));
    }
    if (result == 0 && checker->writer.path)
        result = finish(checker);
    return result;
}

int rv_check_read(const char *path, const struct rv_rec_reader_params *params, const char *out_path, bool is_forced,
                  struct rv_check_result *found)
{
    struct checker checker = {.params = *params, .found = found, .path = path};
    struct rv_rec_reader_params reader_params = {count_damage, &checker};
    struct rv_rec_reader *reader;
    *found = (struct rv_check_result){0};
    int error = rv_rec_reader_open(&reader, path, &reader_params);
    if (error)
        return error;
    found->n_bytes = rv_rec_reader_state(reader).n_bytes;
    checker.has_waits = has_waits(rv_rec_reader_file(reader));
    found->n_gone = rv_rec_reader_past(reader) ? rv_rec_reader_past(reader)->n_events : 0;
    if (out_path)
        error = rv_rec_writer_open(&checker.writer, out_path, rv_rec_reader_file(reader), rv_rec_reader_program(reader),
                                   is_forced);
    if (!error) {
        checker.index_builder = rv_index_builder_create();
        checker.codec = rv_codec_create();
        checker.events = rv_alloc(RV_REC_MAX_EVENTS + RV_BATCH_PADDING, sizeof *checker.events);
        error = read_all(&checker, reader);
    }
    found->n_bytes -= rv_rec_reader_state(reader).n_gone;
    found->n_chunks = rv_rec_reader_state(reader).n_chunks;
    found->is_finished = rv_rec_reader_state(reader).is_finished;
    int close_error = rv_rec_writer_close(&checker.writer);
    rv_rec_reader_close(reader);
    rv_index_builder_destroy(checker.index_builder);
    rv_rec_index_fini(&checker.ours);
    rv_rec_index_fini(&checker.theirs);
    rv_codec_destroy(checker.codec);
    rv_rec_strings_close(&checker.strings);
    rv_rec_buffer_fini(&checker.buffer);
    free(checker.events);
    free(checker.streams);
    return error ? error : close_error;
}

bool rv_check_is_whole(const struct rv_check_result *found)
{
    return found->is_finished && found->n_damages == 0;
}

/* ---- findings as text ---- */

typedef unsigned long long wide;

static void write_damage(void *context, const struct rv_rec_damage *damage)
{
    FILE *out = context;
    if (damage->n_bytes)
        fprintf(out, "at byte %llu: %llu byte%s: %s\n", (wide)damage->offset, (wide)damage->n_bytes,
                rv_units_word(damage->n_bytes, "", "s"), damage->what);
    else
        fprintf(out, "at byte %llu: %s\n", (wide)damage->offset, damage->what);
}

static void write_summary(const char *path, const struct rv_check_result *found, FILE *out)
{
    double seconds = found->n_events ? (double)(found->last_ns - found->first_ns) / 1e9 : 0;
    double each = found->n_events ? (double)found->n_bytes / (double)found->n_events : 0;
    fprintf(out, "%s: %llu event%s of %llu thread%s in %llu block%s, %llu name%s; %.3f s; %llu bytes, %.3f an event\n",
            path, (wide)found->n_events, rv_units_word(found->n_events, "", "s"), (wide)found->n_streams,
            rv_units_word(found->n_streams, "", "s"), (wide)found->n_blocks, rv_units_word(found->n_blocks, "", "s"),
            (wide)found->n_strings, rv_units_word(found->n_strings, "", "s"), seconds, (wide)found->n_bytes, each);
    if (found->n_gone)
        fprintf(out, "%s: %llu other event%s discarded\n", path, (wide)found->n_gone,
                rv_units_word(found->n_gone, " was", "s were"));
    if (found->n_missing)
        fprintf(out, "%s: %llu more event%s missing\n", path, (wide)found->n_missing,
                rv_units_word(found->n_missing, " is", "s are"));
    if (rv_check_is_whole(found))
        fprintf(out, "%s: whole\n", path);
}

int rv_check_write(const struct rv_check *check, FILE *out)
{
    struct rv_rec_reader_params params = {write_damage, out};
    struct rv_check_result found;
    int error = rv_check_read(check->path, &params, check->out_path, check->is_forced, &found);
    if (error)
        return error;
    write_summary(check->path, &found, out);
    if (rv_check_is_whole(&found) || check->out_path)
        return 0;
    if (found.n_damages == 0)
        return rv_err(EBADMSG, "%s: ends early: its recorder was killed, or is still running", check->path);
    return rv_err(EBADMSG, "%s: damaged in %llu place%s, %llu bytes; --repair=OUT.rvz keeps the rest", check->path,
                  (wide)found.n_damages, rv_units_word(found.n_damages, "", "s"), (wide)found.n_damaged);
}
