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

struct rv_record_limiter {
    struct rv_record_limit limit;
    struct rv_rec_writer *writer;
    struct segment *kept; /* oldest first, the last one is being written */
    size_t n_kept, kept_capacity;
    size_t n_wanted;              /* number of the oldest segments that a hit wants */
    uint64_t begin;               /* offset of the first segment of all */
    uint64_t n_begun, body_begin; /* segments begun so far; end of the last one's preamble */
    uint64_t first_ns, last_ns;   /* of all events */
    uint64_t n_events;
    struct rv_record_limiter_gone gone;
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

struct rv_record_limiter *rv_record_limiter_create(struct rv_rec_writer *writer, const struct rv_record_limit *limit)
{
    struct rv_record_limiter *limiter = rv_alloc(1, sizeof *limiter);
    limiter->limit = *limit;
    limiter->writer = writer;
    limiter->begin = writer->n_bytes;
    limiter->codec = rv_codec_create();
    return limiter;
}

void rv_record_limiter_destroy(struct rv_record_limiter *limiter)
{
    if (!limiter)
        return;
    for (size_t i = 0; i < limiter->n_streams; i++)
        rv_rec_buffer_fini(&limiter->streams[i].who);
    rv_codec_destroy(limiter->codec);
    rv_rec_buffer_fini(&limiter->names);
    rv_rec_buffer_fini(&limiter->chunk);
    free(limiter->streams);
    free(limiter->kept);
    free(limiter->events);
    free(limiter);
}

/* ---- discarding ---- */

/* Size of the last segment's preamble. */
static uint64_t head_bytes(const struct rv_record_limiter *limiter)
{
    return limiter->body_begin - limiter->kept[limiter->n_kept - 1].begin;
}

static uint64_t least_body_bytes(const struct rv_record_limiter *limiter)
{
    return head_bytes(limiter) * HEADS;
}

static uint64_t body_bytes(const struct rv_record_limiter *limiter)
{
    uint64_t least = least_body_bytes(limiter), part = limiter->limit.n_bytes / PARTS;
    return least > part ? least : part;
}

/* Time limit of a segment; 0: none. */
static uint64_t part_ns(const struct rv_record_limit *limit)
{
    uint64_t before_ns = limit->trigger ? rv_trigger_before_ns(limit->trigger) : 0;
    bool is_shorter = before_ns && (!limit->ns || before_ns < limit->ns);
    return ((is_shorter ? before_ns : limit->ns) + PARTS - 1) / PARTS;
}

bool rv_record_limiter_is_due(const struct rv_record_limiter *limiter, const struct rv_rec_chunk *next)
{
    if (limiter->n_kept == 0)
        return true;
    const struct segment *last = &limiter->kept[limiter->n_kept - 1];
    if (next->type != RV_REC_EVENTS || (next->flags & RV_REC_OPEN) || last->n_events == 0)
        return false;
    const uint64_t n_bytes = limiter->writer->n_bytes - limiter->body_begin, ns = part_ns(&limiter->limit);
    if (limiter->limit.n_bytes && n_bytes >= body_bytes(limiter))
        return true;
    return ns && n_bytes >= least_body_bytes(limiter) && limiter->last_ns - last->first_ns >= ns;
}

static bool is_too_old(const struct rv_record_limiter *limiter)
{
    const struct segment *oldest = &limiter->kept[0];
    if (limiter->n_kept < 2)
        return false;
    if (limiter->limit.n_bytes) {
        uint64_t next = head_bytes(limiter) + body_bytes(limiter);
        uint64_t n_bytes = limiter->writer->n_bytes - limiter->begin - limiter->gone.n_bytes;
        return n_bytes + next > limiter->limit.n_bytes;
    }
    return limiter->limit.ns && limiter->last_ns - oldest->last_ns > limiter->limit.ns;
}

/* Not the last segment. Free everything between its neighbours, to enlarge an existing hole: partial blocks are
 * freed only together with what is beside them. */
static void let_go(struct rv_record_limiter *limiter, size_t idx)
{
    const struct segment gone = limiter->kept[idx];
    memmove(limiter->kept + idx, limiter->kept + idx + 1, (--limiter->n_kept - idx) * sizeof *limiter->kept);
    limiter->n_wanted -= idx < limiter->n_wanted;
    limiter->gone.n_events += gone.n_events;
    limiter->gone.n_bytes += gone.end - gone.begin;
    limiter->gone.is_between |= idx > 0;
    uint64_t begin = idx ? limiter->kept[idx - 1].end : limiter->begin;
    int error = rv_rec_writer_give_back(limiter->writer, begin, limiter->kept[idx].begin);
    if (error && limiter->writer->is_private)
        limiter->writer->error = error;
    else if (error && !limiter->is_stuck)
        rv_warn("%s: discarded segments still take space: %s", limiter->writer->path, strerror(-error));
    limiter->is_stuck |= error != 0;
}

/* Are all hits known that may want the next segment? */
static bool is_decided(const struct rv_record_limiter *limiter)
{
    return limiter->n_wanted + 1 < limiter->n_kept &&
           limiter->last_ns - limiter->kept[limiter->n_wanted].last_ns > rv_trigger_horizon_ns(limiter->limit.trigger);
}

static void let_go_of_old(struct rv_record_limiter *limiter)
{
    struct rv_trigger *trigger = limiter->limit.trigger;
    while (is_too_old(limiter))
        let_go(limiter, 0);
    while (trigger && is_decided(limiter)) {
        const struct segment *next = &limiter->kept[limiter->n_wanted];
        if (rv_trigger_wants(trigger, next->first_ns, next->last_ns))
            limiter->n_wanted++;
        else
            let_go(limiter, limiter->n_wanted);
    }
}

/* ---- preamble ---- */

/* Write the chunk whose payload is in the scratch buffer, and add it to the index. */
static void put(struct rv_record_limiter *limiter, const struct rv_rec_chunk *chunk, struct rv_indexed_chunk *told,
                struct rv_index_builder *index_builder)
{
    struct rv_rec_chunk written = *chunk;
    told->chunk = &written;
    told->offset = limiter->writer->n_bytes;
    rv_chunk_end(&limiter->chunk, &written);
    if (rv_rec_writer_put(limiter->writer, &limiter->chunk) == 0)
        rv_index_builder_add(index_builder, told);
}

static void put_plain(struct rv_record_limiter *limiter, enum rv_rec_type type, uint32_t stream, const void *payload,
                      size_t n, struct rv_index_builder *index_builder)
{
    rv_chunk_begin(&limiter->chunk);
    rv_rec_buffer_add(&limiter->chunk, payload, n);
    put(limiter, &(struct rv_rec_chunk){.type = (uint16_t)type, .stream = stream},
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

static void put_names(struct rv_record_limiter *limiter, struct rv_index_builder *index_builder)
{
    const struct rv_rec_buffer *names = &limiter->names;
    for (size_t begin = 0, end = 0; begin < names->n; begin = end) {
        while (end < names->n && end - begin < STRINGS_BYTES)
            end = end_of_definition(names, end);
        rv_chunk_begin(&limiter->chunk);
        rv_compress_column(rv_codec_compressor(limiter->codec), &limiter->chunk, 0, names->bytes + begin, end - begin);
        put(limiter, &(struct rv_rec_chunk){.type = RV_REC_STRINGS}, &(struct rv_indexed_chunk){0}, index_builder);
    }
}

static void add_event(struct rv_record_limiter *limiter, struct rv_event event)
{
    limiter->events =
        rv_vec_reserve(limiter->events, &limiter->capacity, limiter->n + 1 + RV_BATCH_PADDING, sizeof *limiter->events);
    limiter->events[limiter->n++] = event;
}

static void gather_waits(struct rv_record_limiter *limiter, const struct rv_indexed_stream *stream)
{
    struct rv_event events[RV_WAIT_FOLLOWER_MOST_TOLD];
    for (size_t i = 0; i < stream->n_lanes; i++) {
        const size_t n = rv_open_waits_tell(&stream->lanes[i].waits.follower, stream->last_ns, events);
        if (n)
            add_event(limiter, rv_stack_preamble_stack(stream->last_ns, stream->lanes[i].stack));
        for (size_t k = 0; k < n; k++)
            add_event(limiter, events[k]);
    }
}

/* Write the frames of every stack, and its waits; an empty stack is omitted. */
static void gather_open(struct rv_record_limiter *limiter, struct rv_indexed_stream *stream)
{
    limiter->n = 0;
    for (size_t i = 0; i < rv_block_join_n_stacks(stream->carry); i++) {
        struct rv_open_stack open;
        rv_block_join_open_stack(stream->carry, i, &open);
        const struct rv_stats_lane *stats = rv_indexed_stream_stack(stream, open.stack)->stats;
        if (open.n_frames)
            add_event(limiter, rv_stack_preamble_stack(stream->last_ns, open.stack));
        for (uint32_t k = 0; k < open.n_frames; k++) {
            uint64_t start_ns = open.start[k] & RV_EVENT_TICKS_MASK;
            uint64_t children_ns = rv_stats_lane_children(stats, (uint32_t)open.base_depth + stream->depth_shift + k);
            add_event(limiter, rv_stack_preamble_frame(start_ns, open.id[k], (uint16_t)open.key[k]));
            if (children_ns)
                add_event(limiter, rv_stack_preamble_children(stream->last_ns, children_ns));
        }
    }
    gather_waits(limiter, stream);
    add_event(limiter, rv_stack_preamble_stack(stream->last_ns, stream->entry_stack));
}

static void put_open(struct rv_record_limiter *limiter, uint32_t number, uint64_t ordinal,
                     struct rv_index_builder *index_builder)
{
    for (size_t at = 0; at < limiter->n;) {
        size_t n = limiter->n - at < RV_REC_MAX_EVENTS ? limiter->n - at : RV_REC_MAX_EVENTS;
        struct rv_rec_chunk chunk = {.type = RV_REC_EVENTS, .stream = number};
        rv_chunk_begin(&limiter->chunk);
        rv_codec_encode(limiter->codec, limiter->events + at, (uint32_t)n, ordinal, &chunk, &limiter->chunk);
        chunk.flags |= RV_REC_OPEN;
        put(limiter, &chunk, &(struct rv_indexed_chunk){.events = limiter->events + at, .ordinal = ordinal},
            index_builder);
        at += n;
    }
}

/* before: the index builder's stream, NULL if it had no events. */
static void put_stream(struct rv_record_limiter *limiter, uint32_t number, struct rv_indexed_stream *before,
                       struct rv_index_builder *index_builder)
{
    const struct stream *stream = &limiter->streams[number];
    const uint64_t n_events = before ? before->n_ordinals : 0;
    put_plain(limiter, RV_REC_STREAM, number, stream->who.bytes, stream->who.n, index_builder);
    struct rv_rec_account account = {.n_produced = n_events + stream->n_dropped,
                                     .n_consumed = n_events,
                                     .n_dropped = stream->n_dropped,
                                     .is_before = true};
    put_plain(limiter, RV_REC_ACCOUNT, number, &account, sizeof account, index_builder);
    if (!before)
        return;
    gather_open(limiter, before);
    put_open(limiter, number, n_events, index_builder);
}

void rv_record_limiter_begin_segment(struct rv_record_limiter *limiter, struct rv_index_builder **index_builder)
{
    struct rv_index_builder *before = *index_builder;
    const struct rv_rec_segment head = {.number = limiter->n_begun++,
                                        .n_events = limiter->n_events,
                                        .first_ns = limiter->first_ns,
                                        .last_ns = limiter->last_ns,
                                        .last_index = rv_index_builder_last(before)};
    if (limiter->n_kept)
        limiter->kept[limiter->n_kept - 1].end = limiter->writer->n_bytes;
    let_go_of_old(limiter);
    limiter->kept = rv_vec_reserve(limiter->kept, &limiter->kept_capacity, limiter->n_kept + 1, sizeof *limiter->kept);
    limiter->kept[limiter->n_kept++] = (struct segment){.begin = limiter->writer->n_bytes};
    *index_builder = rv_index_builder_create();
    rv_index_builder_set_last(*index_builder, head.last_index);
    put_plain(limiter, RV_REC_SEGMENT, 0, &head, sizeof head, *index_builder);
    put_names(limiter, *index_builder);
    for (uint32_t i = 0; i < limiter->n_streams; i++)
        if (limiter->streams[i].who.n)
            put_stream(limiter, i, rv_index_builder_stream(before, i), *index_builder);
    limiter->body_begin = limiter->writer->n_bytes;
    rv_index_builder_destroy(before);
}

/* ---- what is written ---- */

static struct stream *stream_at(struct rv_record_limiter *limiter, uint32_t number)
{
    if (number >= limiter->n_streams)
        limiter->streams =
            rv_vec_extend(limiter->streams, &limiter->n_streams, (size_t)number + 1, sizeof *limiter->streams);
    return &limiter->streams[number];
}

static void widen(uint64_t *first_ns, uint64_t *last_ns, const struct rv_rec_chunk *chunk, bool is_first)
{
    *first_ns = is_first || chunk->first_ns < *first_ns ? chunk->first_ns : *first_ns;
    *last_ns = is_first || chunk->last_ns > *last_ns ? chunk->last_ns : *last_ns;
}

static void note_events(struct rv_record_limiter *limiter, const struct rv_rec_chunk *chunk)
{
    struct segment *last = &limiter->kept[limiter->n_kept - 1];
    widen(&limiter->first_ns, &limiter->last_ns, chunk, limiter->n_events == 0);
    widen(&last->first_ns, &last->last_ns, chunk, last->n_events == 0);
    limiter->n_events += chunk->n_events;
    last->n_events += chunk->n_events;
    if (part_ns(&limiter->limit))
        let_go_of_old(limiter);
}

void rv_record_limiter_note(struct rv_record_limiter *limiter, const struct rv_rec_chunk *chunk, const void *payload,
                            size_t n)
{
    struct rv_rec_account account;
    switch (chunk->type) {
    case RV_REC_EVENTS:
        if (!(chunk->flags & RV_REC_OPEN))
            note_events(limiter, chunk);
        break;
    case RV_REC_STRINGS:
        rv_rec_buffer_add(&limiter->names, payload, n);
        break;
    case RV_REC_STREAM:
        stream_at(limiter, chunk->stream)->who.n = 0;
        rv_rec_buffer_add(&limiter->streams[chunk->stream].who, payload, n);
        break;
    case RV_REC_ACCOUNT:
        memcpy(&account, payload, sizeof account);
        stream_at(limiter, chunk->stream)->n_dropped = account.n_dropped;
        if (account.is_closed)
            rv_rec_buffer_fini(&limiter->streams[chunk->stream].who);
        break;
    default:
        break;
    }
}

uint64_t rv_record_limiter_first(const struct rv_record_limiter *limiter)
{
    return limiter->n_kept ? limiter->kept[0].begin : limiter->begin;
}

struct rv_record_limiter_gone rv_record_limiter_gone(const struct rv_record_limiter *limiter)
{
    return limiter->gone;
}
