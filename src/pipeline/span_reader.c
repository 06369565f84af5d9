#include "pipeline/span_reader.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/os.h"
#include "base/vec.h"
#include "model/density.h"
#include "pipeline/page_loader.h"

/* Blocks requested ahead: few at first, since a search may end early. */
enum { AHEAD = 12, FIRST_AHEAD = 3 };
static const uint64_t MOST_AWAITED_NS = 3000000000; /* blocks of a history: if these were discarded, they never come */

struct block {
    struct rv_stream *stream;
    uint32_t number;
    uint64_t edge_ns; /* forward: no call begins before this; backward: all end before */
};

struct rv_span_reader_slot {
    struct rv_span_reader *reader;
    struct rv_span_part part;
    bool is_there;
};

struct rv_span_reader {
    /* fixed */
    struct rv_page_loader *page_loader;  /* NULL: there are no blocks */
    struct rv_span_reader_params params; /* what they point to only until the blocks are listed */
    uint32_t lane_idx;
    uint64_t opened_ns;
    uint64_t *paged_before_ns; /* by lane, of streams of the session's own recording */
    size_t n_lanes;
    struct rv_name_set only;
    bool has_only, is_backward;
    /* reader thread, under the page loader's lock */
    bool is_listed;
    struct block *blocks; /* in their order */
    size_t n_blocks, blocks_capacity;
    /* reader thread */
    uint64_t reached_ns; /* the lanes' calls up to here were delivered */
    /* under the page loader's lock; the reader thread may read n_taken without it */
    size_t n_taken, n_asked, n_coming;
    struct rv_span_reader_slot slots[AHEAD]; /* block i's is i % AHEAD */
    bool is_closed;
    struct rv_span_reader *next;
};

struct rv_timeline *rv_span_part_take(struct rv_span_part *part, uint32_t lane_idx)
{
    for (size_t i = 0; i < part->n_lanes; i++)
        if (part->lanes[i].lane_idx == lane_idx) {
            struct rv_timeline *calls = part->lanes[i].calls;
            part->lanes[i] = part->lanes[--part->n_lanes];
            return calls;
        }
    return NULL;
}

void rv_span_part_fini(struct rv_span_part *part)
{
    for (size_t i = 0; i < part->n_lanes; i++)
        rv_timeline_destroy(part->lanes[i].calls);
    free(part->lanes);
    *part = (struct rv_span_part){0};
}

static void destroy(struct rv_span_reader *reader)
{
    for (size_t i = 0; i < AHEAD; i++)
        rv_span_part_fini(&reader->slots[i].part);
    rv_name_set_fini(&reader->only);
    free(reader->blocks);
    free(reader->paged_before_ns);
    free(reader);
}

/* ---- which blocks, in which order ---- */

static bool has_lane(const struct rv_stream *stream, uint32_t lane_idx)
{
    for (size_t i = 0; i < stream->tracks.n; i++)
        if (stream->tracks.all[i].lane->idx == lane_idx)
            return true;
    return false;
}

static int by_edge(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    if (x->edge_ns != y->edge_ns)
        return x->edge_ns < y->edge_ns ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_edge_backward(const void *a, const void *b)
{
    return by_edge(b, a);
}

/* The time before which calls of the stream are taken from its blocks. */
static uint64_t paged_before(const struct rv_span_reader *reader, const struct rv_stream *stream)
{
    uint64_t before_ns = 0;
    if (!stream->is_followed)
        return stream->sums_level > 0 ? UINT64_MAX : 0;
    for (size_t i = 0; i < stream->tracks.n; i++) {
        const uint64_t lane_ns = rv_span_reader_paged_before_ns(reader, stream->tracks.all[i].lane->idx);
        before_ns = lane_ns > before_ns ? lane_ns : before_ns;
    }
    return before_ns;
}

static void list_blocks(struct rv_span_reader *reader, struct rv_stream *stream,
                        const struct rv_span_reader_params *params)
{
    const uint64_t before_ns = paged_before(reader, stream);
    size_t end, first = rv_page_loader_find(stream, params->from_ns, params->to_ns, 0, before_ns, &end);
    reader->blocks = rv_vec_reserve(reader->blocks, &reader->blocks_capacity, reader->n_blocks + (end - first),
                                    sizeof *reader->blocks);
    for (size_t i = first; i < end; i++) {
        uint64_t start_ns = rv_page_loader_first_start_ns(stream, i),
                 end_ns = rv_block_list_at(&stream->blocks, i)->to_ns;
        if (!params->wants || params->wants(params->context, start_ns, end_ns))
            reader->blocks[reader->n_blocks++] =
                (struct block){stream, (uint32_t)i, params->is_backward ? end_ns : start_ns};
    }
}

/* Under the lock. */
static void list_all_blocks(struct rv_span_reader *reader)
{
    struct rv_page_loader *page_loader = reader->page_loader;
    const struct rv_span_reader_params *params = &reader->params;
    reader->is_listed = true;
    for (size_t i = 0; i < page_loader->n_streams && params->from_ns < params->to_ns; i++)
        if (!params->lane_idx || has_lane(page_loader->streams[i], *params->lane_idx))
            list_blocks(reader, page_loader->streams[i], params);
    if (!reader->n_blocks)
        return;
    qsort(reader->blocks, reader->n_blocks, sizeof *reader->blocks, reader->is_backward ? by_edge_backward : by_edge);
    pthread_cond_signal(&page_loader->has_requests);
}

/* ---- of a history ---- */

/* Fix for each lane what is taken from blocks. Returns whether that is anything. */
static bool divide_lanes(struct rv_span_reader *reader, const struct rv_lanes *lanes)
{
    const struct rv_span_reader_params *params = &reader->params;
    bool is_any = false;
    reader->n_lanes = rv_lanes_n(lanes);
    reader->paged_before_ns = rv_alloc(reader->n_lanes, sizeof *reader->paged_before_ns);
    for (size_t i = 0; i < reader->n_lanes; i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        if (params->lane_idx && i != *params->lane_idx)
            continue;
        pthread_rwlock_wrlock(&lane->lock);
        reader->paged_before_ns[i] = params->paged_before_ns
                                         ? params->paged_before_ns
                                         : rv_timeline_paged_before_ns(lane->timeline, params->from_ns, params->to_ns);
        pthread_rwlock_unlock(&lane->lock);
        is_any |= reader->paged_before_ns[i] > 0;
    }
    return is_any;
}

/* Have the blocks what the lanes lack? */
static bool is_ready(const struct rv_span_reader *reader)
{
    const struct rv_page_loader *page_loader = reader->page_loader;
    bool is_ready = true;
    for (size_t i = 0; i < reader->n_lanes && is_ready && !page_loader->is_over; i++) {
        struct rv_lane *lane = rv_lanes_get(page_loader->lanes, i);
        pthread_rwlock_wrlock(&lane->lock);
        is_ready = rv_timeline_backed_until_ns(lane->timeline) >= reader->paged_before_ns[i];
        pthread_rwlock_unlock(&lane->lock);
    }
    return is_ready;
}

/* List the blocks once they are ready, or have not come for long. Under the lock. Returns whether they are listed. */
static bool list_late_blocks(struct rv_span_reader *reader, uint64_t until_ns)
{
    struct rv_page_loader *page_loader = reader->page_loader;
    const uint64_t last_ns = reader->opened_ns + MOST_AWAITED_NS;
    while (!reader->is_listed) {
        if (is_ready(reader) || rv_clock_mono_ns() >= last_ns)
            list_all_blocks(reader);
        else if (!rv_os_wait_until(&page_loader->has_news, &page_loader->lock, until_ns))
            break;
    }
    return reader->is_listed;
}

bool rv_span_reader_awaits(const struct rv_page_loader *page_loader)
{
    const struct rv_span_reader *reader = page_loader->readers;
    while (reader && reader->is_listed)
        reader = reader->next;
    return reader;
}

/* Returns whether there are blocks, or may be. */
static bool begin(struct rv_span_reader *reader)
{
    struct rv_page_loader *page_loader = reader->page_loader;
    pthread_mutex_lock(&page_loader->lock);
    const bool is_listed_later = page_loader->is_followed && divide_lanes(reader, page_loader->lanes);
    if (!page_loader->is_followed)
        list_all_blocks(reader);
    const bool may_have_blocks = reader->n_blocks || is_listed_later;
    if (may_have_blocks) {
        reader->next = page_loader->readers;
        page_loader->readers = reader;
    }
    pthread_mutex_unlock(&page_loader->lock);
    return may_have_blocks;
}

struct rv_span_reader *rv_span_reader_open(struct rv_page_loader *page_loader,
                                           const struct rv_span_reader_params *params)
{
    struct rv_span_reader *reader = rv_alloc(1, sizeof *reader);
    reader->page_loader = page_loader;
    reader->params = *params;
    if (params->lane_idx) {
        reader->lane_idx = *params->lane_idx;
        reader->params.lane_idx = &reader->lane_idx;
    }
    reader->opened_ns = rv_clock_mono_ns();
    reader->is_backward = params->is_backward;
    reader->reached_ns = params->is_backward ? params->to_ns : params->from_ns;
    reader->has_only = params->only;
    if (params->only)
        rv_name_set_follow(&reader->only, params->only);
    for (size_t i = 0; i < AHEAD; i++)
        reader->slots[i].reader = reader;
    if (page_loader && begin(reader))
        return reader; /* shared from now on */
    reader->page_loader = NULL;
    reader->is_listed = true;
    return reader;
}

/* Returns whether none of its requests is pending. */
static bool forget(struct rv_page_loader *page_loader, struct rv_span_reader *reader)
{
    pthread_mutex_lock(&page_loader->lock);
    struct rv_span_reader **place = &page_loader->readers;
    while (*place != reader)
        place = &(*place)->next;
    *place = reader->next;
    reader->is_closed = true;
    bool is_last = reader->n_coming == 0;
    pthread_mutex_unlock(&page_loader->lock);
    return is_last;
}

void rv_span_reader_close(struct rv_span_reader *reader)
{
    if (reader && (!reader->page_loader || forget(reader->page_loader, reader)))
        destroy(reader);
}

/* ---- taking ---- */

/* Will the next block arrive? */
static bool is_to_come(const struct rv_span_reader *reader)
{
    return reader->n_taken < reader->n_blocks && (reader->n_asked > reader->n_taken || !reader->page_loader->is_over);
}

/* Deliver the lanes' calls up to the next block. Returns whether there are any. */
static bool reach(struct rv_span_reader *reader, struct rv_span_part *part)
{
    uint64_t edge_ns = rv_span_reader_edge_ns(reader), reached_ns = reader->reached_ns;
    if (reader->is_backward ? edge_ns >= reached_ns : edge_ns <= reached_ns)
        return false;
    part->from_ns = reader->is_backward ? edge_ns : reached_ns;
    part->to_ns = reader->is_backward ? reached_ns : edge_ns;
    reader->reached_ns = edge_ns;
    return true;
}

static enum rv_span_reader_status take_block(struct rv_span_reader *reader, uint64_t timeout_ns,
                                             struct rv_span_part *part)
{
    struct rv_page_loader *page_loader = reader->page_loader;
    struct rv_span_reader_slot *slot = &reader->slots[reader->n_taken % AHEAD];
    uint64_t end_ns = rv_clock_mono_ns() + timeout_ns;
    enum rv_span_reader_status status = RV_SPAN_READER_LATER;
    pthread_mutex_lock(&page_loader->lock);
    if (!list_late_blocks(reader, end_ns)) {
        pthread_mutex_unlock(&page_loader->lock);
        return RV_SPAN_READER_LATER;
    }
    while (timeout_ns && !slot->is_there && is_to_come(reader) &&
           rv_os_wait_until(&page_loader->has_news, &page_loader->lock, end_ns))
        ;
    if (slot->is_there) {
        *part = slot->part;
        slot->part = (struct rv_span_part){0};
        slot->is_there = false;
        reader->n_taken++;
        pthread_cond_signal(&page_loader->has_requests);
        status = RV_SPAN_READER_PART;
    } else if (!is_to_come(reader)) {
        reader->n_blocks = reader->n_taken;
        status = RV_SPAN_READER_OVER;
    }
    pthread_mutex_unlock(&page_loader->lock);
    return status;
}

enum rv_span_reader_status rv_span_reader_take(struct rv_span_reader *reader, uint64_t timeout_ns,
                                               struct rv_span_part *part)
{
    enum rv_span_reader_status status = RV_SPAN_READER_OVER;
    *part = (struct rv_span_part){0};
    if (reach(reader, part))
        return RV_SPAN_READER_PART;
    if (rv_span_reader_has_blocks(reader))
        status = take_block(reader, timeout_ns, part);
    return reach(reader, part) ? RV_SPAN_READER_PART : status;
}

uint64_t rv_span_reader_paged_before_ns(const struct rv_span_reader *reader, uint32_t lane_idx)
{
    return lane_idx < reader->n_lanes ? reader->paged_before_ns[lane_idx] : 0;
}

bool rv_span_reader_has_blocks(const struct rv_span_reader *reader)
{
    return !reader->is_listed || reader->n_taken < reader->n_blocks;
}

uint64_t rv_span_reader_edge_ns(const struct rv_span_reader *reader)
{
    if (!reader->is_listed)
        return reader->is_backward ? UINT64_MAX : 0;
    if (rv_span_reader_has_blocks(reader))
        return reader->blocks[reader->n_taken].edge_ns;
    return reader->is_backward ? 0 : UINT64_MAX;
}

double rv_span_reader_progress(const struct rv_span_reader *reader)
{
    if (!reader->is_listed)
        return 0.0;
    return reader->n_blocks ? (double)reader->n_taken / (double)reader->n_blocks : 1.0;
}

/* ---- the pipeline's side ---- */

static bool wants_more(const struct rv_span_reader *reader)
{
    size_t ahead = reader->n_taken + FIRST_AHEAD;
    return reader->n_asked < reader->n_blocks && reader->n_asked - reader->n_taken < (ahead < AHEAD ? ahead : AHEAD);
}

static struct rv_span_reader *find_requesting(const struct rv_page_loader *page_loader)
{
    struct rv_span_reader *reader = page_loader->readers;
    while (reader && !wants_more(reader))
        reader = reader->next;
    return reader;
}

bool rv_span_reader_asks(const struct rv_page_loader *page_loader)
{
    return find_requesting(page_loader);
}

/* The slot's part has come. */
static void arrive(struct rv_span_reader_slot *slot)
{
    struct rv_span_reader *reader = slot->reader;
    slot->is_there = true;
    reader->n_coming--;
    pthread_cond_broadcast(&reader->page_loader->has_news);
    if (reader->is_closed && reader->n_coming == 0)
        destroy(reader);
}

/* A block that was discarded since gives nothing. */
bool rv_span_reader_ask(struct rv_page_loader *page_loader, struct rv_page_request *request)
{
    for (struct rv_span_reader *reader; (reader = find_requesting(page_loader));) {
        const struct block *block = &reader->blocks[reader->n_asked];
        struct rv_span_reader_slot *slot = &reader->slots[reader->n_asked % AHEAD];
        reader->n_asked++;
        reader->n_coming++;
        if (!rv_block_list_has(&block->stream->blocks, block->number)) {
            arrive(slot);
            continue;
        }
        const struct rv_summed_block *summed = rv_block_list_at(&block->stream->blocks, block->number);
        *request = (struct rv_page_request){.offset = summed->offset,
                                            .index = summed->index,
                                            .stream = block->stream,
                                            .block = block->number,
                                            .slot = slot};
        return true;
    }
    return false;
}

void rv_span_reader_miss(struct rv_span_reader_slot *slot, bool is_damaged)
{
    slot->part.is_damaged = is_damaged;
    arrive(slot);
}

void rv_span_reader_deliver(struct rv_pending_page *page)
{
    struct rv_span_reader_slot *slot = page->slot;
    slot->part.lanes = rv_alloc(page->tracks.n, sizeof *slot->part.lanes);
    for (size_t i = 0; i < page->tracks.n; i++) {
        struct rv_track *track = &page->tracks.all[i];
        if (rv_timeline_n_spans(track->calls))
            slot->part.lanes[slot->part.n_lanes++] = (struct rv_span_part_lane){track->lane->idx, track->calls};
        else
            rv_timeline_destroy(track->calls);
        track->calls = NULL;
    }
    arrive(slot);
}

/* Of a live lane, the longer and later ones are in the lane. */
static bool is_paged(const struct rv_span_reader *reader, uint32_t lane_idx, const struct rv_span *span)
{
    return span->end - span->start < rv_timeline_log_limit(2 * RV_TIMELINE_REACH - 1) &&
           span->end < rv_span_reader_paged_before_ns(reader, lane_idx);
}

bool rv_span_reader_keeps(const struct rv_pending_page *page, uint32_t lane_idx, const struct rv_span *span)
{
    const struct rv_span_reader *reader = page->slot ? page->slot->reader : NULL;
    if (!reader)
        return true;
    return (!page->stream->is_followed || is_paged(reader, lane_idx, span)) &&
           (!reader->has_only || rv_name_set_has(&reader->only, span->id));
}
