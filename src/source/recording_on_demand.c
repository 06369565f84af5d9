/*
 * Each turn reads one INDEX, oldest first, and keeps nothing of its blocks: a request for one has its place and that of its
 * INDEX, which is then read again, if it is not the last one that was: by the source for pages, and by readers of other
 * threads, of which each has the file open for itself.
 *
 * A requested block becomes a page: a stream of its own, which gets the state of its stacks and then the events.
 */
#include "source/recording_on_demand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "recording/index_chunk.h"
#include "recording/chunk_reader.h"
#include "source/block_reader.h"
#include "source/index_reader.h"

enum { MOST_TORN = 64 /* torn chunks tolerated while looking for the last INDEX */ };

struct stream {
    void *stream; /* the pipeline's; NULL: not seen yet */
    struct rv_stream_account account;
    struct rv_rec_account before; /* the counts at its first event in the file */
    uint64_t last_ns;             /* of its last block */
    uint32_t n_gaps;              /* before its last block */
};

struct indexed {
    struct rv_source source; /* first */
    char *path;
    struct rv_rec_reader *reader; /* that of blocks */
    uint64_t n_file_bytes;
    uint64_t *offsets; /* of the INDEX chunks, last one first */
    size_t n_left, offsets_capacity;
    uint32_t n_indexes; /* read so far */
    struct rv_rec_index_table table;
    struct rv_compressor *compressor;
    struct rv_block_reader *blocks; /* for pages */
    struct rv_recorded_names names;
    struct rv_index_reader index_reader;
    struct stream *streams;
    size_t n_streams;
    uint32_t n_torn;
    struct rv_silent_threads silent;
    struct rv_stack_summary *summaries; /* scratch: of one block */
    size_t summaries_capacity;
    bool is_damaged;   /* a warning was printed; */
    bool lacks_states; /* another one */
    bool is_followed;  /* it is being written */
    uint32_t n_gaps;   /* INDEXes that cannot be read; discarded, where the file is being written */
};

/* ---- the index ---- */

static void warn_of_damage(struct indexed *indexed)
{
    if (!indexed->is_damaged && !indexed->is_followed)
        rv_warn("%s: damaged: some blocks in its index are missing; see --check", indexed->path);
    indexed->is_damaged = true;
}

static void warn_of_states(struct indexed *indexed)
{
    if (!indexed->lacks_states)
        rv_warn("%s: by an older ringviz: times blocked and runnable may be too small; --repair=OUT.rvz mends its index",
                indexed->path);
    indexed->lacks_states = true;
}

static struct stream *stream_at(struct indexed *indexed, uint32_t number)
{
    if (number >= indexed->n_streams)
        indexed->streams =
            rv_vec_extend(indexed->streams, &indexed->n_streams, (size_t)number + 1, sizeof *indexed->streams);
    return &indexed->streams[number];
}

static void take_stream(struct indexed *indexed, struct stream *stream, const struct rv_rec_chunk *chunk,
                        const uint8_t *payload, const struct rv_intake *intake)
{
    struct rv_recorded_who who;
    if (rv_recorded_who_read(&who, chunk, payload) != 0)
        warn_of_damage(indexed);
    else if (stream->stream)
        intake->rename_stream(intake->context, stream->stream, who.thread_name);
    else
        stream->stream = intake->open_stream(intake->context, &who.info);
}

/* `before` is set from the first segment of a stream; later segments repeat it. */
static void take_account(const struct indexed *indexed, struct stream *stream, const uint8_t *payload,
                         const struct rv_intake *intake)
{
    struct rv_rec_account account;
    memcpy(&account, payload, sizeof account);
    if (account.is_before) {
        if (indexed->n_indexes == 0)
            stream->before = account;
        return;
    }
    stream->account = rv_recorded_account(&account, &stream->before);
    if (stream->stream)
        intake->account_stream(intake->context, stream->stream, &stream->account);
}

/* Read names, threads and counts. */
static void take_chunks(struct indexed *indexed, const struct rv_intake *intake)
{
    size_t n;
    uint64_t behind = 0; /* chunks do not overlap */
    const struct rv_rec_index_chunk *rows = rv_rec_index_rows(&indexed->table, RV_REC_INDEX_CHUNKS, &n);
    for (size_t i = 0; i < n; i++) {
        struct rv_rec_chunk chunk;
        const uint8_t *payload;
        if (rows[i].offset < behind || indexed->n_torn == MOST_TORN ||
            rv_rec_reader_at(indexed->reader, rows[i].offset, &chunk, &payload) <= 0 ||
            !rv_chunk_has_stream_within(&chunk, indexed->n_file_bytes)) {
            warn_of_damage(indexed);
            indexed->n_torn += !indexed->is_followed && rows[i].offset >= behind && indexed->n_torn < MOST_TORN;
            continue;
        }
        behind = rows[i].offset + rv_chunk_bytes(&chunk);
        struct stream *stream = stream_at(indexed, chunk.stream);
        if (chunk.type == RV_REC_STREAM)
            take_stream(indexed, stream, &chunk, payload, intake);
        else if (chunk.type == RV_REC_STRINGS && !indexed->is_followed &&
                 !rv_recorded_define(&indexed->names, &chunk, payload, intake))
            warn_of_damage(indexed);
        else if (chunk.type == RV_REC_ACCOUNT && chunk.payload_bytes >= sizeof(struct rv_rec_account))
            take_account(indexed, stream, payload, intake);
        else if (chunk.type == RV_REC_SILENT && !rv_recorded_silent(&indexed->silent, &chunk, payload))
            warn_of_damage(indexed);
        else if (chunk.type == RV_REC_OUTSIDE && !rv_recorded_outside(&chunk, payload, intake))
            warn_of_damage(indexed);
    }
}

struct rows { /* cursors into the rows */
    const struct rv_rec_index_stack *stack;
    const struct rv_rec_index_cell *cell;
    const struct rv_rec_index_span *span;
    const struct rv_event *note;
};

static struct rows rows_of(const struct rv_rec_index_table *table)
{
    size_t n;
    return (struct rows){.stack = rv_rec_index_rows(table, RV_REC_INDEX_STACKS, &n),
                         .cell = rv_rec_index_rows(table, RV_REC_INDEX_CELLS, &n),
                         .span = rv_rec_index_rows(table, RV_REC_INDEX_SPANS, &n),
                         .note = rv_rec_index_rows(table, RV_REC_INDEX_NOTES, &n)};
}

/* Go to the next stack. */
static void pass_stack(struct rows *rows)
{
    const struct rv_rec_index_stack *stack = rows->stack++;
    rows->cell += stack->n_cells;
    rows->span += stack->n_spans;
    rows->note += stack->n_notes;
}

static void take_block(struct indexed *indexed, const struct rv_rec_index_block *row, uint64_t index, struct rows *rows,
                       const struct rv_intake *intake)
{
    struct stream *stream = row->stream < indexed->n_streams ? &indexed->streams[row->stream] : NULL;
    uint32_t n_own = 0; /* events of the program */
    indexed->summaries =
        rv_vec_reserve(indexed->summaries, &indexed->summaries_capacity, row->n_stacks, sizeof *indexed->summaries);
    for (uint32_t i = 0; i < row->n_stacks; i++) {
        indexed->summaries[i] = (struct rv_stack_summary){rows->stack, rows->cell, rows->span, rows->note};
        n_own += rows->stack->n_events;
        pass_stack(rows);
    }
    if (!stream || !stream->stream) { /* its STREAM is damaged */
        warn_of_damage(indexed);
        return;
    }
    stream->last_ns = row->last_ns;
    const struct rv_block_summary summary = {.offset = row->offset,
                                             .index = index,
                                             .first_ns = row->first_ns,
                                             .last_ns = row->last_ns,
                                             .is_after_gap = stream->n_gaps != indexed->n_gaps,
                                             .is_end = row->n_events == 0,
                                             .n_switches = row->n_events > n_own ? row->n_events - n_own : 0,
                                             .stacks = indexed->summaries,
                                             .n_stacks = row->n_stacks};
    stream->n_gaps = indexed->n_gaps;
    intake->pages->summarize(intake->context, stream->stream, &summary);
}

static void take_waiters(struct indexed *indexed, uint64_t index, const struct rv_intake *intake)
{
    size_t n;
    struct rv_waiter_summary summary = {.index = index};
    const struct rv_rec_index_waiter *rows = rv_rec_index_rows(&indexed->table, RV_REC_INDEX_WAITERS, &n);
    for (size_t i = 0; i < n; i++) {
        struct stream *stream = rows[i].stream < indexed->n_streams ? &indexed->streams[rows[i].stream] : NULL;
        summary.row = &rows[i];
        if (stream && stream->stream)
            intake->pages->add_waiter(intake->context, stream->stream, &summary);
        summary.first_wait += rows[i].n_waits;
        summary.first_release += rows[i].n_releases;
    }
}

static bool read_waits(struct rv_source *source, uint64_t index, struct rv_source_waits *out)
{
    return rv_index_reader_waits(&((struct indexed *)source)->index_reader, index, out);
}

static void *stream_of(const struct indexed *indexed, uint32_t number)
{
    return number < indexed->n_streams ? indexed->streams[number].stream : NULL;
}

/* When all streams are known, none is added. */
static bool read_folds(struct rv_source *source, uint64_t index, struct rv_source_folds *out)
{
    struct indexed *indexed = (struct indexed *)source;
    if (indexed->is_followed || !rv_index_reader_folds(&indexed->index_reader, index, out))
        return false;
    out->streams = rv_alloc(out->n_folds + 1, sizeof *out->streams);
    for (size_t i = 0; i < out->n_folds; i++)
        out->streams[i] = stream_of(indexed, out->folds[i].stream);
    return true;
}

static struct rv_block_reader *open_blocks(struct rv_source *source)
{
    struct indexed *indexed = (struct indexed *)source;
    struct rv_rec_reader *file;
    return rv_rec_reader_open(&file, indexed->path, NULL) == 0 ? rv_block_reader_create(file, &indexed->names) : NULL;
}

static void take_totals(const struct rv_rec_index_table *table, const struct rv_intake *intake)
{
    size_t n, n_buckets, n_inners;
    const struct rv_rec_index_total *totals = rv_rec_index_rows(table, RV_REC_INDEX_TOTALS, &n);
    const struct rv_rec_index_bucket *buckets = rv_rec_index_rows(table, RV_REC_INDEX_BUCKETS, &n_buckets);
    const struct rv_rec_index_inner *inners = rv_rec_index_rows(table, RV_REC_INDEX_INNERS, &n_inners);
    const struct rv_rec_index_inner *end = inners + n_inners;
    struct rv_call_total total = {.buckets = buckets, .lacks_inner = !(table->head.flags & RV_REC_INDEX_HAS_INNERS)};
    for (size_t i = 0; i < n; i++) {
        total.row = &totals[i];
        total.inner_ns = inners < end && inners->total == i ? inners++->inner_ns : 0;
        intake->pages->add_total(intake->context, &total);
        total.buckets += totals[i].n_buckets;
    }
}

static void take_index(struct indexed *indexed, uint64_t index, const struct rv_intake *intake)
{
    size_t n;
    const struct rv_rec_index_table *table = &indexed->table;
    if (rv_rec_index_lacks_states(table))
        warn_of_states(indexed);
    take_chunks(indexed, intake);
    rv_recorded_map_index(&indexed->names, &indexed->table);
    const struct rv_rec_index_block *blocks = rv_rec_index_rows(table, RV_REC_INDEX_BLOCKS, &n);
    struct rows rows = rows_of(table);
    for (size_t i = 0; i < n; i++)
        take_block(indexed, &blocks[i], index, &rows, intake);
    take_totals(table, intake);
    take_waiters(indexed, index, intake);
    indexed->n_indexes++;
}

/* ---- pages ---- */

static void submit(struct indexed *indexed, void *page, const struct rv_read_block *block,
                   const struct rv_intake *intake)
{
    uint64_t last_ns = block->row->first_ns;
    for (uint32_t n_done = 0; n_done < block->row->n_events;) {
        struct rv_batch *batch = rv_intake_wait_for_batch(intake);
        n_done += rv_batch_fill(batch, block->events + n_done, block->row->n_events - n_done, &last_ns);
        rv_recorded_map_ids(&indexed->names, batch);
        batch->stream = page;
        intake->submit_batch(intake->context, batch);
    }
}

static void serve(struct indexed *indexed, const struct rv_page_request *request, const struct rv_intake *intake)
{
    struct rv_read_block block;
    if (rv_block_reader_read(indexed->blocks, request->index, request->offset, &block) != 0) {
        warn_of_damage(indexed);
        intake->pages->miss_page(intake->context, request);
        return;
    }
    if (block.lacks_frames)
        warn_of_damage(indexed);
    void *page = intake->pages->open_page(intake->context, request, block.row->stack);
    for (size_t i = 0; i < block.entry->n; i++) {
        const struct rv_page_stack stack = rv_block_entry_stack(block.entry, i);
        intake->pages->add_page_stack(intake->context, page, &stack);
    }
    submit(indexed, page, &block, intake);
    intake->close_stream(intake->context, page, block.row->n_events ? UINT64_MAX : block.row->last_ns);
}

/* ---- the source ---- */

static enum rv_source_status end(struct indexed *indexed, const struct rv_intake *intake)
{
    for (size_t i = 0; i < indexed->n_streams; i++) {
        struct stream *stream = &indexed->streams[i];
        if (stream->stream)
            intake->close_stream(intake->context, stream->stream, stream->last_ns);
        stream->stream = NULL;
    }
    return RV_SOURCE_ENDED;
}

static void pass_gap(struct indexed *indexed)
{
    warn_of_damage(indexed);
    indexed->n_gaps++;
}

static enum rv_source_status poll_indexed(struct rv_source *source, const struct rv_intake *intake)
{
    struct indexed *indexed = (struct indexed *)source;
    struct rv_page_request request;
    struct rv_rec_chunk chunk;
    const uint8_t *payload;
    if (intake->is_stopping(intake->context))
        return end(indexed, intake);
    if (indexed->n_left == 0) {
        if (!intake->pages->take_request(intake->context, &request))
            return RV_SOURCE_RESTING;
        serve(indexed, &request, intake);
        return RV_SOURCE_MOVED;
    }
    uint64_t offset = indexed->offsets[--indexed->n_left];
    if (rv_rec_reader_at(indexed->reader, offset, &chunk, &payload) > 0 &&
        rv_rec_index_decode_picture(indexed->compressor, &chunk, payload, offset, &indexed->table) == 0)
        take_index(indexed, offset, intake);
    else
        pass_gap(indexed);
    return RV_SOURCE_MOVED;
}

static void nap_indexed(struct rv_source *source)
{
    (void)source; /* the source has more to do, or is RESTING */
}

static void resolve_indexed(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    (void)source; /* names are in the file and were defined when read */
    (void)intake;
    (void)is_final;
}

static void silent_of_indexed(const struct rv_source *source, struct rv_silent_threads *silent)
{
    rv_silent_threads_merge(silent, &((const struct indexed *)source)->silent);
}

static void close_indexed(struct rv_source *source)
{
    struct indexed *indexed = (struct indexed *)source;
    rv_silent_threads_fini(&indexed->silent);
    rv_block_reader_destroy(indexed->blocks); /* with the reader */
    rv_compressor_destroy(indexed->compressor);
    rv_index_reader_fini(&indexed->index_reader);
    rv_recorded_names_fini(&indexed->names);
    rv_rec_index_fini(&indexed->table);
    free(indexed->streams);
    free(indexed->offsets);
    free(indexed->summaries);
    free(indexed->path);
    free(indexed);
}

static void losses_of_indexed(const struct rv_source *source, struct rv_losses *losses)
{
    const struct indexed *indexed = (const struct indexed *)source;
    rv_recorded_losses(indexed->reader, losses);
    losses->n[RV_LOSS_CHUNKS_DAMAGED] += indexed->is_damaged;
}

/*
 * Find every INDEX, from the last one back.
 *   returns  1; 0: there is none; -EBADMSG or a read error, with one line printed
 */
static int follow_chain(struct indexed *indexed, uint64_t least_events)
{
    struct rv_rec_end end;
    int result = rv_rec_reader_end(indexed->reader, &end);
    if (result <= 0 || end.last_index == 0 || end.n_events < least_events)
        return result < 0 ? result : 0;
    const uint64_t begin = rv_rec_reader_state(indexed->reader).begin; /* earlier parts were discarded */
    for (uint64_t at = end.last_index, behind = UINT64_MAX; at >= begin;) {
        struct rv_rec_chunk chunk;
        struct rv_rec_index head;
        const uint8_t *payload;
        result = rv_rec_reader_at(indexed->reader, at, &chunk, &payload);
        if (result < 0)
            return result;
        if (result == 0 || chunk.type != RV_REC_INDEX || chunk.payload_bytes < sizeof head ||
            at + rv_chunk_bytes(&chunk) > behind)
            return -EBADMSG;
        memcpy(&head, payload, sizeof head);
        indexed->offsets =
            rv_vec_reserve(indexed->offsets, &indexed->offsets_capacity, indexed->n_left + 1, sizeof *indexed->offsets);
        indexed->offsets[indexed->n_left++] = at;
        behind = at;
        at = head.previous;
    }
    return 1;
}

static struct indexed *create(const char *path, struct rv_rec_reader *reader)
{
    struct indexed *indexed = rv_alloc(1, sizeof *indexed);
    const struct rv_rec_file *file = rv_rec_reader_file(reader);
    indexed->source = (struct rv_source){.poll = poll_indexed,
                                         .nap = nap_indexed,
                                         .resolve = resolve_indexed,
                                         .close = close_indexed,
                                         .losses = losses_of_indexed,
                                         .silent = silent_of_indexed,
                                         .mono_ns = file->mono_ns,
                                         .real_ns = file->real_ns,
                                         .is_on_demand = true,
                                         .read_waits = read_waits,
                                         .read_folds = read_folds,
                                         .open_blocks = open_blocks,
                                         .lacks_waits = !(file->feature_compat & RV_REC_HAS_WAITS)};
    indexed->path = rv_strdup(path);
    indexed->reader = reader;
    indexed->n_file_bytes = rv_rec_reader_state(reader).n_bytes;
    indexed->compressor = rv_compressor_create();
    indexed->blocks = rv_block_reader_create(reader, &indexed->names);
    rv_recorded_names_init(&indexed->names, indexed->n_file_bytes);
    rv_index_reader_init(&indexed->index_reader, indexed->path, &indexed->names);
    return indexed;
}

int rv_recording_on_demand_open(struct rv_source **source, const char *path, uint64_t least_events)
{
    struct rv_rec_reader *reader;
    *source = NULL;
    int error = rv_rec_reader_open(&reader, path, NULL);
    if (error)
        return error;
    struct indexed *indexed = create(path, reader);
    int result = follow_chain(indexed, least_events);
    if (result > 0) {
        indexed->source.begin_ns = rv_recorded_begin(path, reader);
        *source = &indexed->source;
        return 0;
    }
    close_indexed(&indexed->source);
    if (result == -EBADMSG)
        rv_warn("%s: its index is damaged, reading the whole file instead; see --check", path);
    return result == -EBADMSG ? 0 : result;
}

int rv_recording_on_demand_follow(struct rv_source **source, const char *path)
{
    struct rv_rec_reader *reader;
    *source = NULL;
    int error = rv_rec_reader_open(&reader, path, NULL);
    if (error)
        return error;
    struct indexed *indexed = create(path, reader);
    indexed->is_followed = indexed->names.keeps_ids = true;
    *source = &indexed->source;
    return 0;
}

void rv_recording_on_demand_add(struct rv_source *source, uint64_t offset)
{
    struct indexed *indexed = (struct indexed *)source;
    if (rv_rec_reader_grow(indexed->reader) != 0)
        return;
    indexed->n_file_bytes = rv_rec_reader_state(indexed->reader).n_bytes;
    indexed->offsets =
        rv_vec_reserve(indexed->offsets, &indexed->offsets_capacity, indexed->n_left + 1, sizeof *indexed->offsets);
    memmove(indexed->offsets + 1, indexed->offsets, indexed->n_left++ * sizeof *indexed->offsets);
    indexed->offsets[0] = offset;
}
