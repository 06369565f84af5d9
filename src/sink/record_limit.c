#include "sink/record_limit.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "recording/codec.h"

enum {
    PARTS = 8,               /* segments per limit */
    HEADS = 2,               /* a segment is at least this many times as large as its preamble */
    STRINGS_BYTES = 1 << 20, /* per chunk */
};

struct segment {
    uint64_t begin, end; /* offsets; end: set when the next one begins */
    uint64_t n_events, first_ns, last_ns;
};

struct stream { /* a stream's repeated descriptions; empty once closed */
    struct rv_rec_buffer who;
    uint64_t n_dropped;
};

struct rv_segments {
    struct rv_record_limit limit;
    struct rv_rec_writer *writer;
    struct segment *kept; /* oldest first, the last one is being written */
    size_t n_kept, kept_capacity;
    size_t n_wanted;              /* of the oldest, number that a hit wants */
    uint64_t begin;               /* offset of the first segment of all */
    uint64_t n_begun, body_begin; /* of the last segment: end of its preamble */
    uint64_t first_ns, last_ns;   /* of all events */
    uint64_t n_events;
    struct rv_segments_gone gone;
    bool is_stuck;          /* freeing has failed, which was printed */
    struct stream *streams; /* by number */
    size_t n_streams;
    struct rv_rec_buffer names; /* all definitions */
    /* scratch */
    struct rv_codec *codec;
    struct rv_rec_buffer chunk;
    struct rv_event *events;
    size_t n, capacity;
};

struct rv_segments *rv_segments_create(struct rv_rec_writer *writer, const struct rv_record_limit *limit)
{
    struct rv_segments *segments = rv_alloc(1, sizeof *segments);
    segments->limit = *limit;
    segments->writer = writer;
    segments->begin = writer->n_bytes;
    segments->codec = rv_codec_create();
    return segments;
}

void rv_segments_destroy(struct rv_segments *segments)
{
    if (!segments)
        return;
    for (size_t i = 0; i < segments->n_streams; i++)
        rv_rec_buffer_fini(&segments->streams[i].who);
    rv_codec_destroy(segments->codec);
    rv_rec_buffer_fini(&segments->names);
    rv_rec_buffer_fini(&segments->chunk);
    free(segments->streams);
    free(segments->kept);
    free(segments->events);
    free(segments);
}

/* ---- discarding ---- */

/* Size of the last segment's preamble. */
static uint64_t head_bytes(const struct rv_segments *segments)
{
    return segments->body_begin - segments->kept[segments->n_kept - 1].begin;
}

static uint64_t least_body_bytes(const struct rv_segments *segments)
{
    return head_bytes(segments) * HEADS;
}

static uint64_t body_bytes(const struct rv_segments *segments)
{
    uint64_t least = least_body_bytes(segments), part = segments->limit.n_bytes / PARTS;
    return least > part ? least : part;
}

/* Time limit of a segment; 0: none. */
static uint64_t part_ns(const struct rv_record_limit *limit)
{
    uint64_t before_ns = limit->trigger ? rv_trigger_before_ns(limit->trigger) : 0;
    bool is_shorter = before_ns && (!limit->ns || before_ns < limit->ns);
    return ((is_shorter ? before_ns : limit->ns) + PARTS - 1) / PARTS;
}

bool rv_segments_is_due(const struct rv_segments *segments, const struct rv_rec_chunk *next)
{
    if (segments->n_kept == 0)
        return true;
    const struct segment *last = &segments->kept[segments->n_kept - 1];
    if (next->type != RV_REC_EVENTS || (next->flags & RV_REC_OPEN) || last->n_events == 0)
        return false;
    const uint64_t n_bytes = segments->writer->n_bytes - segments->body_begin, ns = part_ns(&segments->limit);
    if (segments->limit.n_bytes && n_bytes >= body_bytes(segments))
        return true;
    return ns && n_bytes >= least_body_bytes(segments) && segments->last_ns - last->first_ns >= ns;
}

static bool is_too_old(const struct rv_segments *segments)
{
    const struct segment *oldest = &segments->kept[0];
    if (segments->n_kept < 2)
        return false;
    if (segments->limit.n_bytes) {
        uint64_t next = head_bytes(segments) + body_bytes(segments);
        uint64_t n_bytes = segments->writer->n_bytes - segments->begin - segments->gone.n_bytes;
        return n_bytes + next > segments->limit.n_bytes;
    }
    return segments->limit.ns && segments->last_ns - oldest->last_ns > segments->limit.ns;
}

/* Not the last segment. Free everything between its neighbours, to enlarge an existing hole: partial blocks are
 * freed only together with what is beside them. */
static void let_go(struct rv_segments *segments, size_t idx)
{
    const struct segment gone = segments->kept[idx];
    memmove(segments->kept + idx, segments->kept + idx + 1, (--segments->n_kept - idx) * sizeof *segments->kept);
    segments->n_wanted -= idx < segments->n_wanted;
    segments->gone.n_events += gone.n_events;
    segments->gone.n_bytes += gone.end - gone.begin;
    segments->gone.is_between |= idx > 0;
    uint64_t begin = idx ? segments->kept[idx - 1].end : segments->begin;
    int error = rv_rec_writer_give_back(segments->writer, begin, segments->kept[idx].begin);
    if (error && segments->writer->is_private)
        segments->writer->error = error;
    else if (error && !segments->is_stuck)
        rv_warn("%s: discarded segments still take space: %s", segments->writer->path, strerror(-error));
    segments->is_stuck |= error != 0;
}

/* Are all hits known that may want the next segment? */
static bool is_decided(const struct rv_segments *segments)
{
    return segments->n_wanted + 1 < segments->n_kept && segments->last_ns - segments->kept[segments->n_wanted].last_ns >
                                                            rv_trigger_horizon_ns(segments->limit.trigger);
}

static void let_go_of_old(struct rv_segments *segments)
{
    struct rv_trigger *trigger = segments->limit.trigger;
    while (is_too_old(segments))
        let_go(segments, 0);
    while (trigger && is_decided(segments)) {
        const struct segment *next = &segments->kept[segments->n_wanted];
        if (rv_trigger_wants(trigger, next->first_ns, next->last_ns))
            segments->n_wanted++;
        else
            let_go(segments, segments->n_wanted);
    }
}

/* ---- preamble ---- */

/* Write the chunk whose payload is in the scratch buffer, and add it to the index. */
static void put(struct rv_segments *segments, const struct rv_rec_chunk *chunk, struct rv_indexed_chunk *told,
                struct rv_index_builder *index_builder)
{
    struct rv_rec_chunk written = *chunk;
    told->chunk = &written;
    told->offset = segments->writer->n_bytes;
    rv_chunk_end(&segments->chunk, &written);
    if (rv_rec_writer_put(segments->writer, &segments->chunk) == 0)
        rv_index_builder_add(index_builder, told);
}

static void put_plain(struct rv_segments *segments, enum rv_rec_type type, uint32_t stream, const void *payload,
                      size_t n, struct rv_index_builder *index_builder)
{
    rv_chunk_begin(&segments->chunk);
    rv_rec_buffer_add(&segments->chunk, payload, n);
    put(segments, &(struct rv_rec_chunk){.type = (uint16_t)type, .stream = stream},
        &(struct rv_indexed_chunk){.payload = payload}, index_builder);
}

/* End of the definition at `at`. Our own data, not validated. */
static size_t end_of_definition(const struct rv_rec_buffer *names, size_t at)
{
    at += sizeof(struct rv_rec_string);
    for (unsigned texts = 0; texts < 3; at++)
        texts += names->bytes[at] == 0;
    return at;
}

static void put_names(struct rv_segments *segments, struct rv_index_builder *index_builder)
{
    const struct rv_rec_buffer *names = &segments->names;
    for (size_t begin = 0, end = 0; begin < names->n; begin = end) {
        while (end < names->n && end - begin < STRINGS_BYTES)
            end = end_of_definition(names, end);
        rv_chunk_begin(&segments->chunk);
        rv_compress_column(rv_codec_compressor(segments->codec), &segments->chunk, 0, names->bytes + begin,
                           end - begin);
        put(segments, &(struct rv_rec_chunk){.type = RV_REC_STRINGS}, &(struct rv_indexed_chunk){0}, index_builder);
    }
}

static void add_event(struct rv_segments *segments, struct rv_event event)
{
    segments->events = rv_vec_reserve(segments->events, &segments->capacity, segments->n + 1 + RV_BATCH_PADDING,
                                      sizeof *segments->events);
    segments->events[segments->n++] = event;
}

/* Write the frames of every stack; an empty stack is omitted. */
static void gather_open(struct rv_segments *segments, struct rv_indexed_stream *stream)
{
    segments->n = 0;
    for (size_t i = 0; i < rv_block_join_n_stacks(stream->carry); i++) {
        struct rv_open_stack open;
        rv_block_join_open_stack(stream->carry, i, &open);
        const struct rv_stats_lane *stats = rv_indexed_stream_stack(stream, open.stack)->stats;
        if (open.n_frames)
            add_event(segments, rv_stack_preamble_stack(stream->last_ns, open.stack));
        for (uint32_t k = 0; k < open.n_frames; k++) {
            uint64_t start_ns = open.start[k] & RV_EVENT_TICKS_MASK;
            uint64_t children_ns = rv_stats_lane_children(stats, (uint32_t)open.base_depth + stream->depth_shift + k);
            add_event(segments, rv_stack_preamble_frame(start_ns, open.id[k], (uint16_t)open.key[k]));
            if (children_ns)
                add_event(segments, rv_stack_preamble_children(stream->last_ns, children_ns));
        }
    }
    add_event(segments, rv_stack_preamble_stack(stream->last_ns, stream->entry_stack));
}

static void put_open(struct rv_segments *segments, uint32_t number, uint64_t ordinal,
                     struct rv_index_builder *index_builder)
{
    for (size_t at = 0; at < segments->n;) {
        size_t n = segments->n - at < RV_REC_MAX_EVENTS ? segments->n - at : RV_REC_MAX_EVENTS;
        struct rv_rec_chunk chunk = {.type = RV_REC_EVENTS, .stream = number};
        rv_chunk_begin(&segments->chunk);
        rv_codec_encode(segments->codec, segments->events + at, (uint32_t)n, ordinal, &chunk, &segments->chunk);
        chunk.flags |= RV_REC_OPEN;
        put(segments, &chunk, &(struct rv_indexed_chunk){.events = segments->events + at, .ordinal = ordinal},
            index_builder);
        at += n;
    }
}

/* before: the index builder's stream, NULL if it had no events. */
static void put_stream(struct rv_segments *segments, uint32_t number, struct rv_indexed_stream *before,
                       struct rv_index_builder *index_builder)
{
    const struct stream *stream = &segments->streams[number];
    const uint64_t n_events = before ? before->n_ordinals : 0;
    put_plain(segments, RV_REC_STREAM, number, stream->who.bytes, stream->who.n, index_builder);
    struct rv_rec_account account = {.n_produced = n_events + stream->n_dropped,
                                     .n_consumed = n_events,
                                     .n_dropped = stream->n_dropped,
                                     .is_before = true};
    put_plain(segments, RV_REC_ACCOUNT, number, &account, sizeof account, index_builder);
    if (!before)
        return;
    gather_open(segments, before);
    put_open(segments, number, n_events, index_builder);
}

void rv_segments_begin(struct rv_segments *segments, struct rv_index_builder **index_builder)
{
    struct rv_index_builder *before = *index_builder;
    const struct rv_rec_segment head = {.number = segments->n_begun++,
                                        .n_events = segments->n_events,
                                        .first_ns = segments->first_ns,
                                        .last_ns = segments->last_ns,
                                        .last_index = rv_index_builder_last(before)};
    if (segments->n_kept)
        segments->kept[segments->n_kept - 1].end = segments->writer->n_bytes;
    let_go_of_old(segments);
    segments->kept =
        rv_vec_reserve(segments->kept, &segments->kept_capacity, segments->n_kept + 1, sizeof *segments->kept);
    segments->kept[segments->n_kept++] = (struct segment){.begin = segments->writer->n_bytes};
    *index_builder = rv_index_builder_create_behind(before);
    rv_index_builder_set_last(*index_builder, head.last_index);
    put_plain(segments, RV_REC_SEGMENT, 0, &head, sizeof head, *index_builder);
    put_names(segments, *index_builder);
    for (uint32_t i = 0; i < segments->n_streams; i++)
        if (segments->streams[i].who.n)
            put_stream(segments, i, rv_index_builder_stream(before, i), *index_builder);
    segments->body_begin = segments->writer->n_bytes;
    rv_index_builder_destroy(before);
}

/* ---- what is written ---- */

static struct stream *stream_at(struct rv_segments *segments, uint32_t number)
{
    if (number >= segments->n_streams)
        segments->streams =
            rv_vec_extend(segments->streams, &segments->n_streams, (size_t)number + 1, sizeof *segments->streams);
    return &segments->streams[number];
}

static void widen(uint64_t *first_ns, uint64_t *last_ns, const struct rv_rec_chunk *chunk, bool is_first)
{
    *first_ns = is_first || chunk->first_ns < *first_ns ? chunk->first_ns : *first_ns;
    *last_ns = is_first || chunk->last_ns > *last_ns ? chunk->last_ns : *last_ns;
}

static void note_events(struct rv_segments *segments, const struct rv_rec_chunk *chunk)
{
    struct segment *last = &segments->kept[segments->n_kept - 1];
    widen(&segments->first_ns, &segments->last_ns, chunk, segments->n_events == 0);
    widen(&last->first_ns, &last->last_ns, chunk, last->n_events == 0);
    segments->n_events += chunk->n_events;
    last->n_events += chunk->n_events;
    if (part_ns(&segments->limit))
        let_go_of_old(segments);
}

void rv_segments_note(struct rv_segments *segments, const struct rv_rec_chunk *chunk, const void *payload, size_t n)
{
    struct rv_rec_account account;
    switch (chunk->type) {
    case RV_REC_EVENTS:
        if (!(chunk->flags & RV_REC_OPEN))
            note_events(segments, chunk);
        break;
    case RV_REC_STRINGS:
        rv_rec_buffer_add(&segments->names, payload, n);
        break;
    case RV_REC_STREAM:
        stream_at(segments, chunk->stream)->who.n = 0;
        rv_rec_buffer_add(&segments->streams[chunk->stream].who, payload, n);
        break;
    case RV_REC_ACCOUNT:
        memcpy(&account, payload, sizeof account);
        stream_at(segments, chunk->stream)->n_dropped = account.n_dropped;
        if (account.is_closed)
            rv_rec_buffer_fini(&segments->streams[chunk->stream].who);
        break;
    default:
        break;
    }
}

uint64_t rv_segments_first(const struct rv_segments *segments)
{
    return segments->n_kept ? segments->kept[0].begin : segments->begin;
}

struct rv_segments_gone rv_segments_gone(const struct rv_segments *segments)
{
    return segments->gone;
}
