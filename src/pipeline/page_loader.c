#include "pipeline/page_loader.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/os.h"
#include "base/vec.h"
#include "model/density.h"
#include "model/span_pages.h"
#include "pipeline/delivery.h"
#include "pipeline/history_blocks.h"
#include "pipeline/stream_notes.h"

/* Memory for the pages in view: share of all memory, bytes per event, and bytes per stack and block. */
enum { EVENT_BYTES = 48, STACK_BYTES = 6144 };
static const uint64_t MOST_BYTES = 768 << 20;

void rv_page_loader_init(struct rv_page_loader *page_loader, uint64_t memory_bytes, uint64_t list_bytes)
{
    *page_loader = (struct rv_page_loader){.most_bytes = memory_bytes < MOST_BYTES ? memory_bytes : MOST_BYTES,
                                           .most_list_bytes = list_bytes};
    pthread_mutex_init(&page_loader->lock, NULL);
    rv_os_init_condition(&page_loader->has_news);
    rv_os_init_condition(&page_loader->has_requests);
}

void rv_page_loader_fini(struct rv_page_loader *page_loader)
{
    for (struct rv_pending_page *page = page_loader->pages, *next; page; page = next) {
        next = page->next;
        rv_pending_page_destroy(page);
    }
    pthread_cond_destroy(&page_loader->has_requests);
    pthread_cond_destroy(&page_loader->has_news);
    pthread_mutex_destroy(&page_loader->lock);
    free(page_loader->streams);
    free(page_loader->wanted);
}

/* ---- sums ---- */

static void add_sums(struct rv_lane *lane, const struct rv_stack_summary *summary)
{
    const struct rv_rec_index_stack *row = summary->row;
    struct rv_timeline_cell *cells = rv_alloc(row->n_cells, sizeof *cells);
    struct rv_span *spans = rv_alloc(row->n_spans, sizeof *spans);
    unsigned shift = rv_density_shift(row->level);
    for (uint32_t i = 0; i < row->n_cells; i++) {
        const struct rv_rec_index_cell *cell = &summary->cells[i];
        uint64_t width_ns = UINT64_C(1) << shift, coverage = cell->coverage;
        cells[i] = (struct rv_timeline_cell){
            .start_ns = (cell->column << shift) & RV_EVENT_TICKS_MASK,
            .covered_ns =
                width_ns / RV_REC_INDEX_COVERED * coverage +
                (width_ns % RV_REC_INDEX_COVERED * coverage + RV_REC_INDEX_COVERED / 2) / RV_REC_INDEX_COVERED,
            .n_calls = cell->n_calls,
            .id = cell->id,
            .depth = cell->row};
    }
    for (uint32_t i = 0; i < row->n_spans; i++) {
        const struct rv_rec_index_span *span = &summary->spans[i];
        spans[i] = (struct rv_span){
            .start = span->start_ns, .end = span->end_ns, .id = span->id, .depth = span->depth, .flags = span->flags};
    }
    rv_timeline_add_sums(lane->timeline, &(struct rv_timeline_sums){.level = row->level,
                                                                    .cells = cells,
                                                                    .n_cells = row->n_cells,
                                                                    .spans = spans,
                                                                    .n_spans = row->n_spans,
                                                                    .first_ns = row->first_ns});
    free(cells);
    free(spans);
}

static void add_block(struct rv_stream *stream, const struct rv_block_summary *summary)
{
    uint64_t from_ns = stream->blocks.end_ns;
    if (summary->is_after_gap && summary->first_ns > from_ns)
        from_ns = summary->first_ns;
    uint64_t to_ns = summary->last_ns + 1, n_events = 0;
    for (size_t i = 0; i < summary->n_stacks; i++) {
        const struct rv_rec_index_stack *row = summary->stacks[i].row;
        n_events += row->n_events;
        stream->sums_level = row->level > stream->sums_level ? row->level : stream->sums_level;
    }
    if (summary->is_end && stream->sums_level) { /* its last cell is complete */
        unsigned shift = rv_density_shift(stream->sums_level);
        to_ns = ((summary->last_ns >> shift) + 1) << shift;
    }
    rv_block_list_add(
        &stream->blocks,
        &(struct rv_summed_block){.from_ns = from_ns,
                                  .to_ns = to_ns > from_ns ? to_ns : from_ns,
                                  .first_ns = summary->first_ns,
                                  .offset = summary->offset,
                                  .index = summary->index,
                                  .n_events = n_events < RV_REC_MAX_EVENTS ? (uint32_t)n_events : RV_REC_MAX_EVENTS});
}

/* When the stack's last call in the block ended; 0: none did. */
static uint64_t last_end_ns(const struct rv_stack_summary *stack, const struct rv_block_summary *summary)
{
    const struct rv_rec_index_stack *row = stack->row;
    const uint64_t span_ns = row->n_spans ? stack->spans[row->n_spans - 1].end_ns : 0;
    if (row->n_cells == 0)
        return span_ns;
    const struct rv_rec_index_cell *cell = &stack->cells[row->n_cells - 1];
    if (!cell->until_ns)
        return summary->last_ns; /* or earlier in the cell */
    const uint64_t start_ns = (cell->column << rv_density_shift(row->level)) & RV_EVENT_TICKS_MASK;
    return rv_clock_earlier_ns(rv_clock_later_ns(span_ns, start_ns + cell->until_ns - 1), summary->last_ns);
}

/* In a summary, a loss lasts until the next note: the next event is unknown. */
static void add_notes(const struct rv_delivery *delivery, struct rv_track *track,
                      const struct rv_stack_summary *summary)
{
    for (uint32_t i = 0; i < summary->row->n_notes; i++)
        rv_stream_notes_add(track, &summary->notes[i], delivery->origin_ns);
    rv_track_clear(track); /* their calls are not known */
}

void rv_page_loader_add_total(struct rv_delivery *delivery, const struct rv_call_total *total)
{
    const struct rv_rec_index_total *row = total->row;
    struct rv_histogram durations = {0};
    for (uint32_t i = 0; i < row->n_buckets; i++)
        rv_histogram_put(&durations, total->buckets[i].bucket, total->buckets[i].n_calls);
    pthread_mutex_lock(&delivery->lock);
    rv_stats_put(delivery->stats,
                 &(struct rv_stats_row){.id = row->id,
                                        .n_calls = row->n_calls,
                                        .total_ns = row->total_ns - total->inner_ns,
                                        .inner_ns = total->inner_ns,
                                        .self_ns = row->self_ns,
                                        .min_ns = row->min_ns,
                                        .max_ns = row->max_ns},
                 &durations);
    if (total->lacks_inner)
        rv_stats_lack_inner(delivery->stats);
    delivery->counts.n_spans += row->n_calls;
    pthread_mutex_unlock(&delivery->lock);
    rv_histogram_fini(&durations);
}

void rv_page_loader_list(struct rv_page_loader *page_loader, struct rv_stream *stream,
                         const struct rv_block_summary *summary)
{
    if (!stream->is_summed) {
        page_loader->streams = rv_vec_reserve(page_loader->streams, &page_loader->streams_capacity,
                                              page_loader->n_streams + 1, sizeof(struct rv_stream *));
        page_loader->streams[page_loader->n_streams++] = stream;
        stream->is_summed = true;
    }
    add_block(stream, summary);
}

void rv_page_loader_summarize(struct rv_page_loader *page_loader, struct rv_delivery *delivery,
                              struct rv_stream *stream, const struct rv_block_summary *summary)
{
    pthread_mutex_lock(&page_loader->lock);
    rv_page_loader_list(page_loader, stream, summary);
    rv_delivery_count_switches(delivery, summary->n_switches);
    (void)rv_stream_apply_name(stream);
    for (size_t i = 0; i < summary->n_stacks; i++) {
        const struct rv_rec_index_stack *row = summary->stacks[i].row;
        struct rv_track *track = rv_tracks_at(&stream->tracks, row->stack);
        struct rv_lane *lane = track->lane;
        pthread_rwlock_wrlock(&lane->lock);
        add_sums(lane, &summary->stacks[i]);
        lane->n_events += row->n_events;
        lane->max_depth = row->max_depth > lane->max_depth ? row->max_depth : lane->max_depth;
        lane->last_ns = rv_clock_later_ns(lane->last_ns, last_end_ns(&summary->stacks[i], summary));
        pthread_rwlock_unlock(&lane->lock);
        add_notes(delivery, track, &summary->stacks[i]);
    }
    if (summary->is_end)
        rv_stream_notes_end(stream, delivery->origin_ns + summary->last_ns);
    for (size_t i = 0; i < stream->tracks.n && summary->is_end; i++) {
        rv_track_clear(&stream->tracks.all[i]);
        pthread_rwlock_wrlock(&stream->tracks.all[i].lane->lock);
        rv_lane_end(stream->tracks.all[i].lane);
        pthread_rwlock_unlock(&stream->tracks.all[i].lane->lock);
    }
    pthread_mutex_unlock(&page_loader->lock);
}

void rv_page_loader_forget(struct rv_page_loader *page_loader, const struct rv_stream *stream)
{
    pthread_mutex_lock(&page_loader->lock);
    for (size_t i = 0; i < page_loader->n_streams; i++)
        if (page_loader->streams[i] == stream)
            page_loader->streams[i--] = page_loader->streams[--page_loader->n_streams];
    pthread_mutex_unlock(&page_loader->lock);
}

/* ---- pages ---- */

void rv_page_loader_await(struct rv_page_loader *page_loader, uint64_t until_ns)
{
    pthread_mutex_lock(&page_loader->lock);
    while (page_loader->n_taken == page_loader->n_wanted && !rv_span_reader_asks(page_loader) &&
           rv_os_wait_until(&page_loader->has_requests, &page_loader->lock, until_ns))
        ;
    pthread_mutex_unlock(&page_loader->lock);
}

bool rv_page_loader_take(struct rv_page_loader *page_loader, struct rv_page_request *request)
{
    pthread_mutex_lock(&page_loader->lock);
    bool has = false;
    while (!has && page_loader->n_taken < page_loader->n_wanted) {
        *request = page_loader->wanted[page_loader->n_taken++];
        struct rv_stream *stream = request->stream;
        has = rv_block_list_has(&stream->blocks, request->block); /* not discarded since */
        if (has)
            rv_block_list_at(&stream->blocks, request->block)->is_coming = true;
    }
    if (!has)
        has = rv_span_reader_ask(page_loader, request);
    pthread_mutex_unlock(&page_loader->lock);
    return has;
}

struct rv_pending_page *rv_page_loader_open(struct rv_page_loader *page_loader, const struct rv_page_request *request,
                                            uint32_t entry_stack, size_t n_jobs)
{
    struct rv_pending_page *page = rv_pending_page_create(request, &page_loader->lock, entry_stack, n_jobs);
    pthread_mutex_lock(&page_loader->lock);
    page->next = page_loader->pages;
    if (page->next)
        page->next->previous = page;
    page_loader->pages = page;
    pthread_mutex_unlock(&page_loader->lock);
    return page;
}

/* Take the page's calls, by track of its stream; NULL: none. The caller frees the array. */
static struct rv_timeline **take_calls(struct rv_pending_page *page)
{
    struct rv_timeline **calls = rv_alloc(page->stream->tracks.n, sizeof(struct rv_timeline *));
    for (size_t i = 0; i < page->tracks.n; i++) {
        struct rv_track *track = &page->tracks.all[i];
        struct rv_timeline **place = &calls[rv_stream_find_track(page->stream, track->stack)];
        if (*place)
            continue;
        *place = track->calls;
        track->calls = NULL;
    }
    return calls;
}

/* A block that was discarded meanwhile is not shown any more. */
static void give_to_lanes(struct rv_page_loader *page_loader, struct rv_pending_page *page)
{
    struct rv_stream *stream = page->stream;
    if (!rv_block_list_has(&stream->blocks, page->block))
        return;
    struct rv_summed_block *block = rv_block_list_at(&stream->blocks, page->block);
    struct rv_timeline **calls = take_calls(page);
    for (size_t i = 0; i < stream->tracks.n; i++) {
        struct rv_lane *lane = stream->tracks.all[i].lane;
        const struct rv_page out = {.number = page->block,
                                    .from_ns = block->from_ns,
                                    .to_ns = block->to_ns,
                                    .used = page_loader->now,
                                    .timeline = calls[i] ? calls[i] : rv_timeline_create()};
        pthread_rwlock_wrlock(&lane->lock);
        rv_timeline_add_page(lane->timeline, &out);
        pthread_rwlock_unlock(&lane->lock);
    }
    free(calls);
    block->is_coming = false;
    stream->has_used_pages = true;
    page_loader->n_pages++;
}

void rv_page_loader_publish(struct rv_page_loader *page_loader, struct rv_pending_page *page)
{
    pthread_mutex_lock(&page_loader->lock);
    if (page->slot)
        rv_span_reader_deliver(page);
    else
        give_to_lanes(page_loader, page);
    *(page->previous ? &page->previous->next : &page_loader->pages) = page->next;
    if (page->next)
        page->next->previous = page->previous;
    pthread_mutex_unlock(&page_loader->lock);
    rv_pending_page_destroy(page);
}

/* Of the session's own recording, all before the block are gone, too: it is discarded from its begin. */
void rv_page_loader_miss(struct rv_page_loader *page_loader, const struct rv_page_request *request)
{
    struct rv_stream *stream = request->stream;
    pthread_mutex_lock(&page_loader->lock);
    if (request->slot)
        rv_span_reader_miss(request->slot, !stream->is_followed);
    if (rv_block_list_has(&stream->blocks, request->block)) {
        rv_block_list_at(&stream->blocks, request->block)->is_lost = true;
        if (stream->is_followed)
            (void)rv_history_blocks_discard_of(page_loader, stream, request->block + 1);
    }
    page_loader->n_pages++;
    pthread_mutex_unlock(&page_loader->lock);
}

void rv_page_loader_end(struct rv_page_loader *page_loader)
{
    pthread_mutex_lock(&page_loader->lock);
    page_loader->is_over = true;
    pthread_cond_broadcast(&page_loader->has_news);
    pthread_mutex_unlock(&page_loader->lock);
}

/* ---- requests ---- */

static bool use(const struct rv_stream *stream, const struct rv_page_look *look)
{
    bool has_all = true;
    for (size_t i = 0; i < stream->tracks.n; i++) {
        struct rv_lane *lane = stream->tracks.all[i].lane;
        pthread_rwlock_wrlock(&lane->lock);
        has_all &= rv_timeline_use_page(lane->timeline, look);
        pthread_rwlock_unlock(&lane->lock);
    }
    return has_all;
}

static size_t first_block(const struct rv_stream *stream, uint64_t from_ns)
{
    size_t low = stream->blocks.first, high = stream->blocks.end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rv_block_list_at(&stream->blocks, middle)->to_ns <= from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Before this time the lanes lack calls that blocks have. */
static uint64_t lacks_before(const struct rv_stream *stream, uint32_t level)
{
    uint64_t before_ns = 0;
    if (!stream->is_followed)
        return level < stream->sums_level ? UINT64_MAX : 0;
    for (size_t i = 0; i < stream->tracks.n; i++) {
        struct rv_lane *lane = stream->tracks.all[i].lane;
        pthread_rwlock_wrlock(&lane->lock);
        uint64_t whole_ns = rv_timeline_whole_from_ns(lane->timeline, level),
                 end_ns = rv_timeline_last_ns(lane->timeline) + 1;
        whole_ns = whole_ns < end_ns ? whole_ns : end_ns;
        pthread_rwlock_unlock(&lane->lock);
        before_ns = whole_ns > before_ns ? whole_ns : before_ns;
    }
    return before_ns;
}

uint64_t rv_page_loader_reach_ns(const struct rv_stream *stream)
{
    const struct rv_timeline *timeline = stream->tracks.all[0].lane->timeline;
    return stream->is_followed ? rv_timeline_reach_ns(timeline) : UINT64_C(1) << rv_density_shift(stream->sums_level);
}

/* It begins less than a cell before the block's first event, whose time may be the previous block's last one. */
uint64_t rv_page_loader_first_start_ns(const struct rv_stream *stream, size_t number)
{
    const uint64_t reach_ns = rv_page_loader_reach_ns(stream) + 1;
    const uint64_t first_ns = rv_block_list_at(&stream->blocks, number)->first_ns;
    return first_ns > reach_ns ? first_ns - reach_ns : 0;
}

/* Is the window in the time without events that begins the block, out of reach of cells of earlier or later blocks? */
static bool is_idle(const struct rv_stream *stream, size_t number, uint64_t from_ns, uint64_t end_ns)
{
    if (!rv_block_list_has(&stream->blocks, number))
        return false;
    uint64_t width_ns = 0;
    for (size_t i = 0; i < stream->tracks.n; i++) {
        struct rv_lane *lane = stream->tracks.all[i].lane;
        pthread_rwlock_wrlock(&lane->lock);
        const uint64_t lane_ns = rv_timeline_width_ns(lane->timeline, from_ns);
        pthread_rwlock_unlock(&lane->lock);
        width_ns = lane_ns > width_ns ? lane_ns : width_ns;
    }
    const struct rv_summed_block *block = rv_block_list_at(&stream->blocks, number);
    return block->first_ns >= rv_clock_after_ns(end_ns, width_ns) &&
           (block->from_ns == 0 || rv_clock_after_ns(block->from_ns, width_ns) <= from_ns);
}

/* A cell may begin before the window. */
size_t rv_page_loader_find(const struct rv_stream *stream, uint64_t from_ns, uint64_t to_ns, uint32_t level,
                           uint64_t before_ns, size_t *end)
{
    size_t first = first_block(stream, rv_density_begin_ns(level, from_ns));
    uint64_t end_ns = rv_clock_after_ns(to_ns, rv_page_loader_reach_ns(stream));
    end_ns = before_ns < end_ns ? before_ns : end_ns;
    if (is_idle(stream, first, from_ns, end_ns))
        end_ns = 0;
    for (*end = first; *end < stream->blocks.end && rv_block_list_at(&stream->blocks, *end)->from_ns < end_ns;)
        ++*end;
    return first;
}

/* Of blocks whose calls the lanes have only as sums at that level. */
static size_t find_lacking(const struct rv_stream *stream, uint64_t from_ns, uint64_t to_ns, uint32_t level,
                           size_t *end)
{
    return rv_page_loader_find(stream, from_ns, to_ns, level, lacks_before(stream, level), end);
}

/* Were calls of the window evicted that no block has yet? */
static bool is_behind(const struct rv_stream *stream, uint64_t from_ns, uint64_t to_ns, uint32_t level)
{
    uint64_t reached_ns = stream->blocks.end_ns, lacks_ns = lacks_before(stream, level);
    return reached_ns < to_ns && reached_ns < lacks_ns && from_ns < lacks_ns;
}

static void want_page(struct rv_page_loader *page_loader, struct rv_stream *stream, const struct rv_page_look *look)
{
    page_loader->wanted = rv_vec_reserve(page_loader->wanted, &page_loader->wanted_capacity, page_loader->n_wanted + 1,
                                         sizeof *page_loader->wanted);
    const struct rv_summed_block *block = rv_block_list_at(&stream->blocks, look->number);
    page_loader->wanted[page_loader->n_wanted++] = (struct rv_page_request){
        .offset = block->offset, .index = block->index, .stream = stream, .block = look->number, .level = look->level};
}

/* The stream is out of view: all its pages may be evicted. */
static void rest(struct rv_stream *stream, uint64_t now)
{
    if (stream->has_used_pages)
        (void)use(stream, &(struct rv_page_look){.number = UINT32_MAX, .now = now});
    stream->has_used_pages = false;
}

static uint64_t bytes_of(const struct rv_stream *stream, size_t first, size_t end)
{
    uint64_t n_bytes = (end - first) * stream->tracks.n * STACK_BYTES;
    for (size_t b = first; b < end; b++)
        n_bytes += rv_block_list_at(&stream->blocks, b)->n_events * (uint64_t)EVENT_BYTES;
    return n_bytes;
}

/* What is in view stays, also if its block is discarded meanwhile. */
static void keep_pages(const struct rv_stream *stream, const uint64_t window_ns[2], uint32_t level, uint64_t now)
{
    for (size_t i = 0; i < stream->tracks.n && stream->is_followed; i++) {
        struct rv_lane *lane = stream->tracks.all[i].lane;
        pthread_rwlock_wrlock(&lane->lock);
        rv_timeline_use_window(lane->timeline, window_ns[0], window_ns[1], level, now);
        pthread_rwlock_unlock(&lane->lock);
    }
}

/* Returns the number of the stream's pages still to be loaded. */
static size_t want_of(struct rv_page_loader *page_loader, struct rv_stream *stream, const uint64_t window_ns[2],
                      uint32_t level)
{
    size_t n_missing = 0, end, first = find_lacking(stream, window_ns[0], window_ns[1], level, &end);
    if (first == end)
        rest(stream, page_loader->now);
    keep_pages(stream, window_ns, level, page_loader->now);
    stream->has_used_pages |= first < end;
    for (size_t b = first; b < end; b++) {
        struct rv_page_look look = {.number = (uint32_t)b, .level = level, .now = page_loader->now};
        const struct rv_summed_block *block = rv_block_list_at(&stream->blocks, b);
        if (use(stream, &look) || block->is_lost)
            continue;
        n_missing++;
        if (!block->is_coming)
            want_page(page_loader, stream, &look);
    }
    return n_missing;
}

/*
 * Order requests so that streams with the coarsest known cells come first: they show soonest whether the level was too
 * fine, and at a coarser level the others may need nothing.
 */
size_t rv_page_loader_want(struct rv_page_loader *page_loader, uint64_t from_ns, uint64_t to_ns, uint32_t level)
{
    uint64_t n_bytes = 0;
    uint32_t coarsest = 0;
    size_t n_missing = 0, end;
    pthread_mutex_lock(&page_loader->lock);
    size_t n_behind = page_loader->is_followed && page_loader->n_streams == 0;
    page_loader->n_taken = page_loader->n_wanted = 0;
    page_loader->now++;
    for (size_t i = 0; i < page_loader->n_streams; i++) {
        const struct rv_stream *stream = page_loader->streams[i];
        size_t first = find_lacking(stream, from_ns, to_ns, level, &end);
        n_bytes += bytes_of(stream, first, end);
        n_behind += page_loader->is_followed && is_behind(stream, from_ns, to_ns, level);
        coarsest = stream->sums_level > coarsest ? stream->sums_level : coarsest;
    }
    for (uint32_t k = coarsest + 1; k-- > 0 && n_bytes <= page_loader->most_bytes;)
        for (size_t i = 0; i < page_loader->n_streams; i++)
            if (page_loader->streams[i]->sums_level == k)
                n_missing += want_of(page_loader, page_loader->streams[i], (const uint64_t[2]){from_ns, to_ns}, level);
    page_loader->is_behind = n_behind > 0;
    page_loader->has_asked = false;
    if (page_loader->n_wanted)
        pthread_cond_signal(&page_loader->has_requests);
    pthread_mutex_unlock(&page_loader->lock);
    return n_missing + n_behind;
}

uint64_t rv_page_loader_n_pages(struct rv_page_loader *page_loader)
{
    pthread_mutex_lock(&page_loader->lock);
    uint64_t n_pages = page_loader->n_pages;
    pthread_mutex_unlock(&page_loader->lock);
    return n_pages;
}
