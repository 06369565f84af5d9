/*
 * Blocks go through the same scan and carry as in a session, one after the other. Calls shorter than a cell of the
 * stream's level become cells, longer ones are kept. When there are too many rows for the number of events, the level
 * of the stream with most rows is raised, so that an index is always small compared to its blocks.
 *
 * A block is scanned here though the session has scanned its events, which takes 5 % of the CPU time of a live
 * recording. The session's result does not fit: a chunk ends in the middle of a batch; a file or segment that begins in
 * the middle of a stream begins without the frames that the session has open; levels depend on the order of the chunks
 * in the file; and --check and --repair have nothing but chunks. Spans handed to this thread would be as many bytes as
 * the events are.
 */
#include "sink/index_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "recording/index_chunk.h"
#include "sink/index_totals.h"
#include "sink/indexed_block.h"

enum {
    READ_SPANS = 512,
    MOST_BLOCKS = 64,            /* per INDEX: with twice as many, files are 0.3 % smaller and 0.5 MiB more is used */
    MOST_COLUMN_BYTES = 8 << 20, /* column size at which another INDEX is started */
    MOST_MARKS = 1024,           /* and values, per stack and block: other notes are all kept, as sums depend on them */
    MOST_WAITING = 1 << 20,      /* buckets of totals, between two INDEXes */
    EVENTS_PER_ROW = 256,        /* events per cell or span */
    ROWS_OF_ANY = 4096
};

/* The model's and the format's constants are equal. */
_Static_assert(RV_REC_INDEX_LEVELS == RV_TIMELINE_LEVELS, "levels");
_Static_assert(RV_REC_INDEX_ROWS == RV_DENSITY_ROWS, "rows");
_Static_assert(RV_REC_INDEX_COVERED == RV_BOX_EXACT - 1, "coverage");
_Static_assert(RV_REC_HISTOGRAM_BUCKETS == RV_HISTOGRAM_OCTAVES * RV_HISTOGRAM_BUCKETS, "buckets");

struct rv_index_builder {
    struct rv_block *block;
    enum rv_scan_kernel kernel;
    struct rv_indexed_stream *streams; /* by number */
    size_t n_streams;
    struct rv_stats *stats;
    bool leaves_totals;   /* totals are given, not counted here */
    bool leaves_sums;     /* totals, cells, spans and notes are left out */
    bool has_waits;       /* the batch has waits: its calls are kept until those of the waits are found */
    bool has_late_frames; /* a SYNC listed a frame after others were called: see rv_index_builder_give_totals() */
    struct rv_rec_index_table table;
    struct rv_indexed_block rows;
    struct rv_indexed_folds *folds; /* with sums */
    uint64_t n_rows, n_events;      /* sums over all streams */
    uint64_t n_open;                /* open frames of all streams */
    uint64_t n_buckets;             /* upper limit of the totals' buckets */
    uint64_t n_indexes, last;       /* INDEXes written; offset of the last one */
    /* scratch */
    uint32_t *specials; /* of a batch */
    struct rv_wait_finder finder;
    struct rv_span *spans, *sorted;
    size_t n_spans, spans_capacity, sorted_capacity;
};

static struct rv_indexed_stream *stream_at(struct rv_index_builder *index_builder, uint32_t number)
{
    if (number >= index_builder->n_streams)
        index_builder->streams = rv_vec_extend(index_builder->streams, &index_builder->n_streams, (size_t)number + 1,
                                               sizeof *index_builder->streams);
    struct rv_indexed_stream *stream = &index_builder->streams[number];
    if (!stream->is_begun)
        rv_indexed_stream_init(stream);
    return stream;
}

/* ---- blocks ---- */

/*
 * Limit the rows in proportion to the events: raise the level of the stream with most rows from the next block on. A
 * level is assumed to have half the rows of the previous one.
 */
static void raise_levels(struct rv_index_builder *index_builder)
{
    while (index_builder->n_rows > index_builder->n_events / EVENTS_PER_ROW + ROWS_OF_ANY) {
        struct rv_indexed_stream *most = NULL;
        for (size_t i = 0; i < index_builder->n_streams; i++) {
            struct rv_indexed_stream *stream = &index_builder->streams[i];
            if (stream->is_begun && stream->level + 1 < RV_REC_INDEX_LEVELS && (!most || stream->n_rows > most->n_rows))
                most = stream;
        }
        if (!most || most->n_rows == 0)
            return;
        most->level++;
        index_builder->n_rows -= most->n_rows - most->n_rows / 2;
        most->n_rows /= 2;
    }
}

/* A bucket has at least one call. */
static void bound_buckets(struct rv_index_builder *index_builder)
{
    uint64_t n_buckets = rv_stats_n_buckets(index_builder->stats);
    index_builder->n_buckets = n_buckets < index_builder->n_buckets ? n_buckets : index_builder->n_buckets;
}

static void begin_block(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream)
{
    rv_indexed_stream_begin_block(stream, index_builder->n_indexes);
    rv_indexed_block_begin(&index_builder->rows, stream);
}

static void end_block(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream,
                      const struct rv_rec_index_block *block)
{
    uint64_t n_rows = rv_indexed_block_end(&index_builder->rows, stream, block);
    for (size_t i = 0; i < stream->n_lanes; i++)
        rv_indexed_waits_put(&stream->lanes[i].waits, &index_builder->table, block->stream, stream->lanes[i].stack);
    stream->n_rows += n_rows;
    index_builder->n_rows += n_rows;
    index_builder->n_events += block->n_events;
    if (index_builder->n_buckets >= RV_INDEX_MOST_BUCKETS)
        bound_buckets(index_builder);
    raise_levels(index_builder);
}

/* ---- events ---- */

static void follow_open(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream)
{
    for (size_t i = 0; i < rv_block_join_n_stacks(stream->carry); i++) {
        struct rv_open_stack open;
        rv_block_join_open_stack(stream->carry, i, &open);
        struct rv_indexed_stack *lane = rv_indexed_stream_stack(stream, open.stack);
        lane->first_ns = open.first_ns;
        lane->n_kept = open.n_alike < lane->n_kept ? open.n_alike : lane->n_kept;
        lane->has_moved = open.has_moved;
        if (!index_builder->leaves_totals && (open.n_unchanged != open.n_frames || lane->n_open != open.n_frames))
            rv_stats_lane_set_open(lane->stats, open.start, open.id, open.n_frames, open.n_unchanged);
        index_builder->n_open = index_builder->n_open - lane->n_open + open.n_frames;
        lane->n_open = open.n_frames;
    }
    rv_block_join_mark_seen(stream->carry);
}

static struct rv_span *reserve_spans(struct rv_index_builder *index_builder)
{
    index_builder->spans = rv_vec_reserve(index_builder->spans, &index_builder->spans_capacity,
                                          index_builder->n_spans + READ_SPANS, sizeof *index_builder->spans);
    return index_builder->spans + index_builder->n_spans;
}

static void begin_spans(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream)
{
    index_builder->n_spans = 0;
    for (size_t i = 0; i < stream->n_lanes; i++)
        stream->lanes[i].n = 0;
}

/* Process the spans just read while they are in the first-level cache. Keep them if they are needed again. */
static void take_spans(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream, size_t n)
{
    struct rv_span *spans = index_builder->spans + index_builder->n_spans;
    const uint32_t depth_shift = stream->depth_shift;
    for (size_t begin = 0, end = 0; begin < n; begin = end) {
        for (; end < n && spans[end].stack == spans[begin].stack; end++)
            spans[end].depth += depth_shift;
        struct rv_indexed_stack *lane = rv_indexed_stream_stack(stream, spans[begin].stack);
        if (!index_builder->leaves_sums)
            rv_indexed_stream_sum_up(stream, lane, spans + begin, end - begin);
        lane->n += end - begin;
    }
    index_builder->n_spans += index_builder->leaves_totals && !index_builder->has_waits ? 0 : n;
}

static void read_spans(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream)
{
    struct rv_block_cursor cursor = {0};
    begin_spans(index_builder, stream);
    if (index_builder->leaves_sums && !index_builder->has_waits)
        return;
    for (size_t n; (n = rv_block_read_spans(index_builder->block, &cursor, reserve_spans(index_builder), READ_SPANS));)
        take_spans(index_builder, stream, n);
}

/* Group by stack, keeping each one's order; sets the lanes' `first`. */
static const struct rv_span *group(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream)
{
    size_t n = index_builder->n_spans, first = 0, n_stacks = 0;
    for (size_t i = 0; i < stream->n_lanes; i++) {
        stream->lanes[i].first = first;
        first += stream->lanes[i].n;
        n_stacks += stream->lanes[i].n > 0;
    }
    if (n_stacks <= 1)
        return index_builder->spans;
    for (size_t i = 0; i < stream->n_lanes; i++)
        stream->lanes[i].n = 0;
    index_builder->sorted =
        rv_vec_reserve(index_builder->sorted, &index_builder->sorted_capacity, n, sizeof *index_builder->sorted);
    for (size_t i = 0; i < n; i++) {
        struct rv_indexed_stack *lane = rv_indexed_stream_stack(stream, index_builder->spans[i].stack);
        index_builder->sorted[lane->first + lane->n++] = index_builder->spans[i];
    }
    return index_builder->sorted;
}

/* Which calls waited, and which released. */
static void find_calls(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream,
                       const struct rv_span *spans)
{
    struct rv_open_stack open;
    for (size_t i = 0; i < rv_block_join_n_stacks(stream->carry); i++) {
        rv_block_join_open_stack(stream->carry, i, &open);
        struct rv_indexed_stack *lane = rv_indexed_stream_stack(stream, open.stack);
        rv_indexed_waits_find_calls(&lane->waits, &index_builder->finder, spans + lane->first, lane->n, &open);
    }
    for (size_t i = 0; i < stream->n_lanes; i++) /* what the carry has no stack of */
        rv_indexed_waits_find_calls(&stream->lanes[i].waits, &index_builder->finder, NULL, 0, NULL);
}

static void add_spans(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream)
{
    const bool is_kept = !index_builder->leaves_totals || index_builder->has_waits;
    const struct rv_span *spans = is_kept ? group(index_builder, stream) : NULL;
    if (index_builder->has_waits)
        find_calls(index_builder, stream, spans);
    for (size_t i = 0; i < stream->n_lanes && !index_builder->leaves_sums; i++) {
        struct rv_indexed_stack *lane = &stream->lanes[i];
        if (lane->n == 0)
            continue;
        rv_indexed_block_list(&index_builder->rows, stream, lane);
        if (!index_builder->leaves_totals)
            rv_stats_add(index_builder->stats, lane->stats, spans + lane->first, lane->n);
    }
    index_builder->n_buckets += index_builder->leaves_totals ? 0 : index_builder->n_spans;
}

/* Follow the waits of a batch; the stacks are those that it had at its events. */
static void follow_waits(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream,
                         const struct rv_batch *batch)
{
    uint32_t stack = stream->entry_stack;
    index_builder->has_waits = false;
    for (uint32_t i = 0; i < batch->n_specials; i++) {
        const struct rv_event *event = &batch->events[batch->specials[i]];
        if (rv_event_kind(event) == RV_EVENT_SWITCH)
            stack = event->id;
        else
            index_builder->has_waits |= rv_indexed_waits_add(&rv_indexed_stream_stack(stream, stack)->waits, event);
    }
}

static bool is_kept(struct rv_indexed_stack *lane, const struct rv_event *event)
{
    const unsigned kind = rv_event_kind(event);
    const bool is_mark = kind == RV_EVENT_MARK || kind == RV_EVENT_VALUE;
    return rv_batch_is_noted(event) && (!is_mark || lane->n_marks++ < MOST_MARKS);
}

static void add_note(struct rv_index_builder *index_builder, const struct rv_indexed_stream *stream,
                     struct rv_indexed_stack *lane, const struct rv_event *event)
{
    rv_indexed_block_list(&index_builder->rows, stream, lane);
    lane->notes = rv_vec_reserve(lane->notes, &lane->notes_capacity, lane->n_notes + 1, sizeof *lane->notes);
    lane->notes[lane->n_notes++] = *event;
}

static void note_switch(struct rv_indexed_stack *lane, const struct rv_event *event)
{
    const bool ran = lane->is_off_cpu && event->aux == RV_THREAD_RUNNING;
    lane->is_off_cpu = event->aux != RV_THREAD_RUNNING;
    if (ran || lane->is_off_cpu)
        lane->ran = ran ? *event : (struct rv_event){0};
}

/* Of waits that ended by this time: the thread could run since its waker acted, if that was before it ran. */
static void note_wakers(struct rv_index_builder *index_builder, const struct rv_indexed_stream *stream,
                        struct rv_indexed_stack *lane, uint64_t until_ns)
{
    struct rv_indexed_waits *waits = &lane->waits;
    for (; waits->n_noted < waits->n_waits && waits->waits[waits->n_noted].end_ns <= until_ns; waits->n_noted++) {
        const struct rv_rec_index_wait *wait = &waits->waits[waits->n_noted];
        if (!rv_wake_has_moment((enum rv_wake)wait->wake) || wait->since_ns >= wait->end_ns ||
            wait->end_ns - wait->since_ns >= rv_event_ticks(&lane->ran))
            continue;
        struct rv_event woken = lane->ran;
        woken.when += wait->end_ns - wait->since_ns - rv_event_ticks(&woken);
        woken.aux = RV_THREAD_PREEMPTED;
        woken.id = 0;
        add_note(index_builder, stream, lane, &woken);
        lane->ran = (struct rv_event){0};
    }
}

/* Returns the number of switches, which are no events of the program. */
static uint32_t add_notes(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream,
                          const struct rv_batch *batch)
{
    uint32_t stack = stream->entry_stack, n_switches = 0;
    for (uint32_t i = 0; i < batch->n_specials; i++) {
        const struct rv_event *event = &batch->events[batch->specials[i]];
        if (rv_event_kind(event) == RV_EVENT_SWITCH && event->id != stack) {
            add_note(index_builder, stream, rv_indexed_stream_stack(stream, stack), event);
            stack = event->id;
            add_note(index_builder, stream, rv_indexed_stream_stack(stream, stack), event);
        }
        n_switches += rv_batch_is_switch(event);
        struct rv_indexed_stack *lane = rv_indexed_stream_stack(stream, stack);
        if (is_kept(lane, event)) {
            add_note(index_builder, stream, lane, event);
            if (rv_batch_is_switch(event))
                note_switch(lane, event);
        }
        note_wakers(index_builder, stream, lane, rv_event_ticks(event));
    }
    return n_switches;
}

/* Calls are counted in arrays by id. */
static void bound_ids(struct rv_event *events, uint32_t n)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < n; i++)
        any |= events[i].id;
    for (uint32_t i = 0; any >= RV_INDEX_MOST_ID && i < n; i++) {
        unsigned kind = rv_event_kind(&events[i]);
        if ((kind <= RV_EVENT_RETURN || kind == RV_EVENT_SYNC) && events[i].id >= RV_INDEX_MOST_ID)
            events[i].id = 0;
    }
}

/* Make a batch of the chunk's next events. Returns their number. */
static uint32_t take_batch(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream,
                           struct rv_event *events, uint32_t n, struct rv_batch *batch)
{
    *batch = (struct rv_batch){.specials = index_builder->specials};
    uint32_t n_done = rv_batch_fit(batch, events, n, &stream->last_ns);
    bound_ids(batch->events, batch->n);
    return n_done;
}

static void look_for_late_frames(struct rv_index_builder *index_builder, const struct rv_indexed_stream *stream,
                                 const struct rv_batch *batch)
{
    const bool is_begun = rv_block_join_last_ns(stream->carry) > 0;
    for (uint32_t i = 0; i < batch->n_specials; i++)
        index_builder->has_late_frames |=
            rv_event_kind(&batch->events[batch->specials[i]]) == RV_EVENT_SYNC && (is_begun || batch->specials[i] > i);
}

/* Apply the batch to the carry. Returns the stack selected after it. */
static uint32_t scan(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream,
                     const struct rv_batch *batch)
{
    struct rv_block_input input = {.events = batch->events,
                                   .n = batch->n,
                                   .specials = batch->specials,
                                   .n_specials = batch->n_specials,
                                   .base_ns = batch->base_ns,
                                   .entry_stack = stream->entry_stack};
    rv_block_scan(index_builder->block, &input, index_builder->kernel);
    rv_block_join_apply(stream->carry, index_builder->block);
    rv_indexed_stream_follow_base(stream);
    follow_open(index_builder, stream);
    return rv_block_exit_stack(&input);
}

static void add_batch(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream,
                      const struct rv_batch *batch)
{
    look_for_late_frames(index_builder, stream, batch);
    if (!index_builder->leaves_sums)
        rv_indexed_folds_add(index_builder->folds, stream->carry, stream->entry_stack, batch, &stream->fold_pending);
    uint32_t exit_stack = scan(index_builder, stream, batch);
    follow_waits(index_builder, stream, batch);
    for (size_t i = 0; i < stream->n_lanes; i++)
        if (stream->lanes[i].has_moved)
            rv_indexed_block_list(&index_builder->rows, stream, &stream->lanes[i]);
    read_spans(index_builder, stream);
    add_spans(index_builder, stream);
    uint32_t n_switches =
        batch->n_specials && !index_builder->leaves_sums ? add_notes(index_builder, stream, batch) : 0;
    struct rv_indexed_stack *lane = rv_indexed_stream_stack(stream, stream->entry_stack);
    rv_indexed_block_list(&index_builder->rows, stream, lane);
    lane->row.n_events += batch->n - n_switches;
    stream->entry_stack = exit_stack;
}

/* As in a replay: a block is missing before this one. */
static void add_loss(struct rv_index_builder *index_builder, struct rv_indexed_stream *stream, uint64_t n_lost)
{
    struct rv_event lost[1 + RV_BATCH_PADDING] = {
        {.when = (uint64_t)RV_EVENT_LOST << RV_EVENT_KIND_SHIFT | stream->last_ns,
         .id = n_lost > UINT32_MAX ? UINT32_MAX : (uint32_t)n_lost}};
    struct rv_batch batch;
    (void)take_batch(index_builder, stream, lost, 1, &batch);
    add_batch(index_builder, stream, &batch);
    rv_indexed_stream_stack(stream, stream->entry_stack)->depth.n_lost += lost->id;
}

/* It has no events in this block. */
static void add_open(struct rv_index_builder *index_builder, const struct rv_indexed_chunk *added)
{
    struct rv_indexed_stream *stream = stream_at(index_builder, added->chunk->stream);
    uint64_t children_ns;
    struct rv_batch batch;
    for (uint32_t n_done = 0, n = added->chunk->n_events; n_done < n;) {
        n_done += take_batch(index_builder, stream, added->events + n_done, n - n_done, &batch);
        const uint32_t exit_stack = scan(index_builder, stream, &batch);
        follow_waits(index_builder, stream, &batch);
        stream->entry_stack = exit_stack;
        for (uint32_t i = 0; i < batch.n; i++)
            if (rv_stack_preamble_read(&stream->preamble, &batch.events[i], &children_ns) &&
                !index_builder->leaves_totals)
                rv_stats_lane_set_children(rv_indexed_stream_stack(stream, stream->preamble.stack)->stats,
                                           stream->preamble.n_frames - 1, children_ns);
    }
}

static void add_block(struct rv_index_builder *index_builder, const struct rv_indexed_chunk *added)
{
    const struct rv_rec_chunk *chunk = added->chunk;
    struct rv_indexed_stream *stream = stream_at(index_builder, chunk->stream);
    struct rv_rec_index_block row = {
        .offset = added->offset, .stream = chunk->stream, .stack = stream->entry_stack, .n_events = chunk->n_events};
    begin_block(index_builder, stream);
    rv_indexed_folds_begin_block(index_builder->folds, chunk->stream, stream->carry);
    if (added->ordinal > stream->n_ordinals)
        add_loss(index_builder, stream, added->ordinal - stream->n_ordinals);
    stream->n_ordinals = added->ordinal + chunk->n_events;
    row.first_ns = stream->last_ns > chunk->first_ns ? stream->last_ns : chunk->first_ns;
    struct rv_batch batch;
    for (uint32_t n_done = 0; n_done < chunk->n_events;) {
        n_done += take_batch(index_builder, stream, added->events + n_done, chunk->n_events - n_done, &batch);
        add_batch(index_builder, stream, &batch);
    }
    rv_indexed_folds_end_block(index_builder->folds, added->n_bytes);
    row.last_ns = stream->last_ns > row.first_ns ? stream->last_ns : row.first_ns;
    end_block(index_builder, stream, &row);
}

/* Open calls end with the stream: written as a block without events. */
static void close_stream(struct rv_index_builder *index_builder, const struct rv_indexed_chunk *added, uint64_t end_ns)
{
    struct rv_indexed_stream *stream = stream_at(index_builder, added->chunk->stream);
    end_ns = end_ns > stream->last_ns ? end_ns : stream->last_ns;
    begin_block(index_builder, stream);
    begin_spans(index_builder, stream);
    index_builder->has_waits = false;
    for (size_t i = 0; i < stream->n_lanes; i++)
        index_builder->has_waits |= rv_indexed_waits_end(&stream->lanes[i].waits, end_ns);
    for (size_t n; (n = rv_block_join_finish(stream->carry, end_ns, reserve_spans(index_builder), READ_SPANS));)
        take_spans(index_builder, stream, n);
    follow_open(index_builder, stream);
    add_spans(index_builder, stream);
    end_block(index_builder, stream,
              &(struct rv_rec_index_block){
                  .offset = added->offset, .first_ns = end_ns, .last_ns = end_ns, .stream = added->chunk->stream});
    rv_indexed_stream_fini(stream);
}

/* ---- public ---- */

struct rv_index_builder *rv_index_builder_create(void)
{
    struct rv_index_builder *index_builder = rv_alloc(1, sizeof *index_builder);
    rv_indexed_block_init(&index_builder->rows, &index_builder->table);
    index_builder->block = rv_block_create(RV_BATCH_EVENTS);
    index_builder->kernel = rv_scan_best_kernel();
    index_builder->folds = rv_indexed_folds_create();
    index_builder->stats = rv_stats_create();
    index_builder->specials = rv_alloc_scratch(RV_BATCH_EVENTS, sizeof *index_builder->specials);
    return index_builder;
}

void rv_index_builder_destroy(struct rv_index_builder *index_builder)
{
    if (!index_builder)
        return;
    for (size_t i = 0; i < index_builder->n_streams; i++)
        if (index_builder->streams[i].is_begun)
            rv_indexed_stream_fini(&index_builder->streams[i]);
    free(index_builder->streams);
    rv_block_destroy(index_builder->block);
    free(index_builder->specials);
    rv_stats_destroy(index_builder->stats);
    rv_rec_index_fini(&index_builder->table);
    rv_indexed_folds_destroy(index_builder->folds);
    free(index_builder->spans);
    free(index_builder->sorted);
    rv_indexed_block_fini(&index_builder->rows);
    rv_wait_finder_fini(&index_builder->finder);
    free(index_builder);
}

void rv_index_builder_add(struct rv_index_builder *index_builder, const struct rv_indexed_chunk *added)
{
    struct rv_rec_account account;
    unsigned type = added->chunk->type;
    if (type != RV_REC_STREAM && type != RV_REC_STRINGS && type != RV_REC_EVENTS && type != RV_REC_ACCOUNT &&
        type != RV_REC_SILENT && type != RV_REC_OUTSIDE)
        return;
    if (index_builder->table.head.begin == 0)
        index_builder->table.head.begin = added->offset;
    if (type == RV_REC_EVENTS) {
        (added->chunk->flags & RV_REC_OPEN ? add_open : add_block)(index_builder, added);
        return;
    }
    rv_rec_index_add(&index_builder->table, RV_REC_INDEX_CHUNKS,
                     &(struct rv_rec_index_chunk){added->offset, added->chunk->stream, type});
    if (type != RV_REC_ACCOUNT)
        return;
    memcpy(&account, added->payload, sizeof account);
    if (account.is_before)
        stream_at(index_builder, added->chunk->stream)->n_ordinals = account.n_consumed;
    if (account.is_closed)
        close_stream(index_builder, added, account.end_ns & RV_EVENT_TICKS_MASK);
}

bool rv_index_builder_is_due(const struct rv_index_builder *index_builder)
{
    size_t n;
    (void)rv_rec_index_rows(&index_builder->table, RV_REC_INDEX_BLOCKS, &n);
    bool is_due = n >= MOST_BLOCKS || index_builder->n_buckets >= RV_INDEX_MOST_BUCKETS;
    for (size_t i = 0; i < RV_REC_INDEX_COLUMN_END; i++)
        is_due |= index_builder->table.columns[i].n >= MOST_COLUMN_BYTES;
    return is_due;
}

static void put_totals(struct rv_index_builder *index_builder)
{
    if (!index_builder->leaves_totals) /* no names were known as it counted */
        rv_stats_lack_inner(index_builder->stats);
    rv_index_totals_put(index_builder->stats, &index_builder->table);
    rv_stats_destroy(index_builder->stats);
    index_builder->stats = rv_stats_create();
    index_builder->n_buckets = 0;
}

void rv_index_builder_choose_folds(struct rv_index_builder *index_builder, const struct rv_rec_index_table *other)
{
    rv_indexed_folds_choose(index_builder->folds, other);
}

bool rv_index_builder_put(struct rv_index_builder *index_builder, struct rv_compressor *compressor, uint64_t offset,
                          bool has_totals, struct rv_rec_buffer *out)
{
    struct rv_rec_index_table *table = &index_builder->table;
    if (table->head.begin == 0)
        return false;
    if (has_totals)
        put_totals(index_builder);
    rv_indexed_folds_put(index_builder->folds, table);
    table->head.previous = index_builder->last;
    table->head.flags |= index_builder->leaves_sums ? 0 : RV_REC_INDEX_HAS_STATES;
    rv_rec_index_encode(compressor, table, out);
    rv_rec_index_clear(table);
    index_builder->last = offset;
    index_builder->n_indexes++;
    return true;
}

bool rv_index_builder_has_totals(const struct rv_index_builder *index_builder)
{
    return rv_stats_rows(index_builder->stats, NULL, 0) > 0;
}

bool rv_index_builder_has_many_totals(struct rv_index_builder *index_builder)
{
    bound_buckets(index_builder);
    return index_builder->n_buckets > MOST_WAITING;
}

void rv_index_builder_leave_totals(struct rv_index_builder *index_builder)
{
    index_builder->leaves_totals = true;
}

void rv_index_builder_leave_sums(struct rv_index_builder *index_builder)
{
    index_builder->leaves_totals = index_builder->leaves_sums = true;
}

bool rv_index_builder_give_totals(struct rv_index_builder *index_builder, const struct rv_stats *totals)
{
    bool is_given = !index_builder->has_late_frames && rv_index_totals_fit(totals);
    if (is_given)
        rv_stats_merge(index_builder->stats, totals);
    return is_given;
}

uint64_t rv_index_builder_n_open(const struct rv_index_builder *index_builder)
{
    return index_builder->n_open;
}

uint64_t rv_index_builder_last(const struct rv_index_builder *index_builder)
{
    return index_builder->last;
}

void rv_index_builder_set_last(struct rv_index_builder *index_builder, uint64_t offset)
{
    index_builder->last = offset;
}

struct rv_indexed_stream *rv_index_builder_stream(const struct rv_index_builder *index_builder, uint32_t number)
{
    bool is_known = number < index_builder->n_streams && index_builder->streams[number].is_begun;
    return is_known ? &index_builder->streams[number] : NULL;
}
