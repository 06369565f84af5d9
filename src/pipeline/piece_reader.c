#include "pipeline/piece_reader.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/os.h"
#include "base/vec.h"
#include "pipeline/batch_pool.h"
#include "pipeline/page_loader.h"
#include "pipeline/placed_spans.h"
#include "source/block_reader.h"

/* Of a stream, which may end meanwhile. */
struct stacks {
    struct rv_hash_index whose; /* enum whose of those that it has; others are the first one's */
    bool is_first_own;
    struct stacks *next;
};

enum whose { OTHERS = 1, OWN };

struct listed { /* a block */
    const struct stacks *stacks;
    uint64_t index, offset;
    uint64_t from_ns;
};

struct reading {
    const struct rv_piece_reader *reader;
    const struct rv_piece_reader_params *params;
    struct listed *blocks;
    size_t n_blocks, blocks_capacity;
    struct stacks *stacks; /* of streams that have blocks of the lane, wanted or not */
    _Atomic size_t n_taken, n_done;
    atomic_bool is_incomplete;
};

struct reading_thread {
    struct reading *reading;
    pthread_t thread;
    struct rv_block_reader *blocks;
    enum rv_scan_kernel kernel;
    struct rv_job job;
    struct rv_placed_spans spans;
};

/* ---- which blocks ---- */

static bool has_lane(const struct rv_stream *stream, const struct rv_lane *lane)
{
    for (size_t i = 0; i < stream->tracks.n; i++)
        if (stream->tracks.all[i].lane == lane)
            return true;
    return false;
}

static const struct stacks *list_stacks(struct reading *reading, const struct rv_stream *stream)
{
    const struct rv_lane *lane = reading->params->lane;
    struct stacks *stacks = rv_alloc(1, sizeof *stacks);
    stacks->is_first_own = stream->tracks.all[0].lane == lane;
    for (size_t i = 0; i < stream->tracks.n; i++)
        rv_hash_index_add(&stacks->whose, stream->tracks.all[i].stack,
                          stream->tracks.all[i].lane == lane ? OWN : OTHERS);
    stacks->next = reading->stacks;
    return reading->stacks = stacks;
}

/* Its pieces begin with the last call or return before it, which may be earlier than other events of the block before. */
static uint64_t least_begin_ns(const struct rv_stream *stream, size_t number)
{
    const uint64_t first_ns = rv_page_loader_first_start_ns(stream, number);
    const bool has_before = rv_block_list_has(&stream->blocks, number - 1);
    const uint64_t before_ns = has_before ? rv_block_list_at(&stream->blocks, number - 1)->first_ns : 0;
    return before_ns < first_ns ? before_ns : first_ns;
}

static void list_blocks(struct reading *reading, const struct rv_stream *stream)
{
    const struct stacks *stacks = list_stacks(reading, stream);
    const struct rv_piece_reader_params *params = reading->params;
    size_t end, first = rv_page_loader_find(stream, params->from_ns, params->to_ns, 0, UINT64_MAX, &end);
    reading->blocks = rv_vec_reserve(reading->blocks, &reading->blocks_capacity, reading->n_blocks + (end - first),
                                     sizeof *reading->blocks);
    for (size_t i = first; i < end; i++) {
        const struct rv_summed_block *block = rv_block_list_at(&stream->blocks, i);
        if (!params->wants || params->wants(params->context, least_begin_ns(stream, i), block->from_ns, block->to_ns))
            reading->blocks[reading->n_blocks++] = (struct listed){stacks, block->index, block->offset, block->from_ns};
    }
}

static void list_all_blocks(struct reading *reading)
{
    struct rv_page_loader *page_loader = reading->reader->page_loader;
    pthread_mutex_lock(&page_loader->lock);
    for (size_t i = 0; i < page_loader->n_streams && !page_loader->is_followed; i++) {
        const struct rv_stream *stream = page_loader->streams[i];
        if (stream->sums_level && has_lane(stream, reading->params->lane))
            list_blocks(reading, stream);
    }
    pthread_mutex_unlock(&page_loader->lock);
}

/* ---- a block ---- */

static bool is_own(const struct listed *block, uint32_t stack)
{
    const uint32_t whose = rv_hash_index_get(&block->stacks->whose, stack);
    return whose ? whose == OWN : block->stacks->is_first_own;
}

static void begin_track(void *context, struct rv_track *track)
{
    (void)context;
    (void)track; /* its stack is all that is asked */
}

static bool is_whole(const struct rv_span_piece *piece)
{
    for (size_t i = 0; i < piece->n; i++)
        if (piece->spans[i].flags & RV_SPAN_ORPHAN && piece->spans[i].start < piece->from_ns)
            return false;
    return true;
}

static void fail(struct reading *reading)
{
    atomic_store_explicit(&reading->is_incomplete, true, memory_order_relaxed);
}

/* Give the first n spans, and what is open at the end of their time. */
static void give(struct reading_thread *thread, struct rv_tracks *tracks, const struct listed *block, size_t n,
                 const uint64_t time_ns[2])
{
    struct reading *reading = thread->reading;
    const uint64_t origin_ns = thread->spans.origin_ns;
    n = rv_placed_spans_add_open(&thread->spans, tracks, n, time_ns[1]);
    const struct rv_span *spans = rv_tracks_group(tracks, &thread->spans.buffer, n);
    for (size_t i = 0; i < tracks->n; i++) {
        const struct rv_track *track = &tracks->all[i];
        const struct rv_span_piece piece = {.from_ns = time_ns[0] ? origin_ns + time_ns[0] : block->from_ns,
                                            .to_ns = origin_ns + time_ns[1],
                                            .spans = spans + track->first,
                                            .n = track->n};
        if (!is_own(block, track->stack))
            continue;
        if (is_whole(&piece))
            reading->params->take(reading->params->taker, &piece);
        else
            fail(reading);
    }
}

static void scan_batch(struct reading_thread *thread, struct rv_tracks *tracks, const struct listed *block)
{
    struct rv_job *job = &thread->job;
    const struct rv_block_input input = rv_job_input(job);
    const uint64_t from_ns = rv_block_join_last_ns(tracks->carry);
    rv_block_scan(job->block, &input, thread->kernel);
    rv_block_join_apply(tracks->carry, job->block);
    (void)rv_tracks_follow_base(tracks);
    const size_t n = rv_placed_spans_read(&thread->spans, tracks, job->block);
    give(thread, tracks, block, n, (const uint64_t[2]){from_ns, rv_block_join_last_ns(tracks->carry)});
    job->entry_stack = rv_block_exit_stack(&input);
}

static void end_stream(struct reading_thread *thread, struct rv_tracks *tracks, const struct listed *block,
                       uint64_t end_ns)
{
    const uint64_t from_ns = rv_block_join_last_ns(tracks->carry);
    const size_t n = rv_placed_spans_finish(&thread->spans, tracks, end_ns);
    give(thread, tracks, block, n, (const uint64_t[2]){from_ns, end_ns});
}

/* The time of the last call or return; 0: there is none. */
static uint64_t find_end(const struct rv_read_block *read)
{
    for (uint32_t i = read->row->n_events; i-- > 0;)
        if (rv_event_kind(&read->events[i]) <= RV_EVENT_RETURN)
            return rv_event_ticks(&read->events[i]);
    return 0;
}

/* Give the events of a block as they are. False: it has several stacks, its begin is not known, or they are not taken. */
static bool give_events(const struct reading_thread *thread, const struct rv_tracks *tracks, const struct listed *block,
                        const struct rv_read_block *read)
{
    const struct rv_piece_reader_params *params = thread->reading->params;
    struct rv_event_piece piece = {.from_ns = rv_block_join_last_ns(tracks->carry),
                                   .to_ns = find_end(read),
                                   .events = read->events,
                                   .n = read->row->n_events,
                                   .n_ids = read->n_alike};
    if (!params->take_events || thread->spans.origin_ns || thread->spans.max_depth || read->entry->n != 1 ||
        !piece.from_ns || piece.to_ns < piece.from_ns)
        return false;
    rv_block_join_open_stack(tracks->carry, 0, &piece.open);
    return piece.open.stack == read->row->stack && !piece.open.n_lost && is_own(block, piece.open.stack) &&
           params->take_events(params->taker, &piece);
}

static void scan_events(struct reading_thread *thread, struct rv_tracks *tracks, const struct listed *block,
                        const struct rv_read_block *read)
{
    uint64_t last_ns = read->row->first_ns;
    thread->job.entry_stack = read->row->stack;
    for (uint32_t n_done = 0; n_done < read->row->n_events;) {
        n_done += rv_block_reader_fit(thread->blocks, read, n_done, &thread->job.batch, &last_ns);
        scan_batch(thread, tracks, block);
    }
    if (!read->row->n_events)
        end_stream(thread, tracks, block, read->row->last_ns);
}

static void read_block(struct reading_thread *thread, const struct listed *block)
{
    struct rv_read_block read;
    struct rv_tracks tracks;
    if (rv_block_reader_read(thread->blocks, block->index, block->offset, &read) != 0 || read.lacks_frames) {
        fail(thread->reading);
        return;
    }
    rv_tracks_init(&tracks, begin_track, NULL);
    for (size_t i = 0; i < read.entry->n; i++) {
        const struct rv_page_stack stack = rv_block_entry_stack(read.entry, i);
        rv_tracks_resume(&tracks, &stack);
    }
    if (!give_events(thread, &tracks, block, &read))
        scan_events(thread, &tracks, block, &read);
    rv_tracks_fini(&tracks);
}

/* ---- threads ---- */

static void init_thread(struct reading_thread *thread, struct reading *reading)
{
    struct rv_source *source = reading->reader->source;
    *thread =
        (struct reading_thread){.reading = reading,
                                .blocks = source->open_blocks(source),
                                .kernel = rv_scan_best_kernel(),
                                .spans = {.origin_ns = source->origin_ns, .max_depth = reading->reader->max_depth}};
    thread->job.block = rv_block_create(RV_BATCH_EVENTS);
    thread->job.batch.specials = rv_alloc_scratch(RV_BATCH_EVENTS, sizeof *thread->job.batch.specials);
    if (!thread->blocks)
        fail(reading);
}

static void fini_thread(struct reading_thread *thread)
{
    rv_block_reader_destroy(thread->blocks);
    rv_block_destroy(thread->job.block);
    free(thread->job.batch.specials);
    rv_placed_spans_fini(&thread->spans);
}

/* Read a block that nobody has taken. False: there is none, or one could not be read. */
static bool read_next(struct reading_thread *thread)
{
    struct reading *reading = thread->reading;
    if (atomic_load_explicit(&reading->is_incomplete, memory_order_relaxed))
        return false;
    const size_t i = atomic_fetch_add_explicit(&reading->n_taken, 1, memory_order_relaxed);
    if (i >= reading->n_blocks)
        return false;
    read_block(thread, &reading->blocks[i]);
    atomic_fetch_add_explicit(&reading->n_done, 1, memory_order_relaxed);
    return true;
}

static void *run(void *context)
{
    while (read_next(context))
        ;
    return NULL;
}

static void tell(const struct reading *reading)
{
    if (reading->params->tell)
        reading->params->tell(reading->params->taker,
                              (double)atomic_load_explicit(&reading->n_done, memory_order_relaxed) /
                                  (double)reading->n_blocks);
}

/* The caller's thread reads, too. */
static void read_blocks(struct reading *reading)
{
    const size_t n = reading->n_blocks < reading->reader->n_threads ? reading->n_blocks : reading->reader->n_threads;
    struct reading_thread *threads = rv_alloc(n, sizeof *threads);
    for (size_t i = 0; i < n; i++)
        init_thread(&threads[i], reading);
    for (size_t i = 1; i < n; i++)
        rv_os_start_thread(&threads[i].thread, run, &threads[i]);
    while (n && read_next(&threads[0]))
        tell(reading);
    for (size_t i = 1; i < n; i++)
        pthread_join(threads[i].thread, NULL);
    for (size_t i = 0; i < n; i++)
        fini_thread(&threads[i]);
    free(threads);
}

static void fini(struct reading *reading)
{
    for (struct stacks *stacks; (stacks = reading->stacks);) {
        reading->stacks = stacks->next;
        rv_hash_index_fini(&stacks->whose);
        free(stacks);
    }
    free(reading->blocks);
}

bool rv_piece_reader_read(const struct rv_piece_reader *reader, const struct rv_piece_reader_params *params)
{
    struct reading reading = {.reader = reader, .params = params};
    if (params->lane->n_open || !reader->source->open_blocks)
        return false;
    list_all_blocks(&reading);
    read_blocks(&reading);
    const bool is_complete = reading.stacks && !atomic_load_explicit(&reading.is_incomplete, memory_order_relaxed);
    fini(&reading);
    return is_complete;
}
