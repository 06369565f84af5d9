#include "pipeline/block_reader.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/os.h"
#include "base/vec.h"
#include "model/density.h"
#include "pipeline/page_loader.h"

/* Blocks that are asked for and not taken: few at first, as who looks for something may have found it. */
enum { AHEAD = 12, FIRST_AHEAD = 3 };

struct block {
    struct rv_stream *stream;
    uint32_t number;
    uint64_t edge_ns; /* forward: its calls do not begin before; backward: they end before */
};

struct rv_block_reader_slot {
    struct rv_block_reader *block_reader;
    struct rv_block_reader_page page;
    bool is_there;
};

struct rv_block_reader {
    /* fixed */
    struct rv_page_loader *page_loader;
    struct block *blocks; /* in their order */
    size_t n_blocks, blocks_capacity;
    struct rv_name_set only;
    bool has_only, is_backward;
    /* under the paging's lock; n_taken is the taker's to read without */
    size_t n_taken, n_asked, n_coming;
    struct rv_block_reader_slot slots[AHEAD]; /* block i's is i % AHEAD */
    bool is_closed;
    struct rv_block_reader *next;
};

void rv_block_reader_page_fini(struct rv_block_reader_page *page)
{
    for (size_t i = 0; i < page->n_lanes; i++)
        rv_timeline_destroy(page->lanes[i].calls);
    free(page->lanes);
    *page = (struct rv_block_reader_page){0};
}

static void destroy(struct rv_block_reader *block_reader)
{
    for (size_t i = 0; i < AHEAD; i++)
        rv_block_reader_page_fini(&block_reader->slots[i].page);
    rv_name_set_fini(&block_reader->only);
    free(block_reader->blocks);
    free(block_reader);
}

/* ---- which blocks, in which order ---- */

static bool has_lane(const struct rv_stream *stream, uint32_t lane_idx)
{
    for (size_t i = 0; i < stream->n_tracks; i++)
        if (stream->tracks[i].lane->idx == lane_idx)
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

/* A call begins less than a cell before the block that it ends in, whose first event may be at the last one's time. */
static uint64_t first_start_ns(const struct rv_stream *stream, size_t number)
{
    uint64_t reach_ns = (UINT64_C(1) << rv_density_shift(stream->sums_level)) + 1,
             from_ns = stream->blocks[number].from_ns;
    return from_ns > reach_ns ? from_ns - reach_ns : 0;
}

static void list_blocks(struct rv_block_reader *block_reader, struct rv_stream *stream,
                        const struct rv_block_reader_params *params)
{
    size_t end, first = rv_page_loader_find(stream, params->from_ns, params->to_ns, 0, &end);
    block_reader->blocks = rv_vec_reserve(block_reader->blocks, &block_reader->blocks_capacity,
                                          block_reader->n_blocks + (end - first), sizeof *block_reader->blocks);
    for (size_t i = first; i < end; i++) {
        uint64_t start_ns = first_start_ns(stream, i), end_ns = stream->blocks[i].to_ns;
        if (!params->wants || params->wants(params->context, start_ns, end_ns))
            block_reader->blocks[block_reader->n_blocks++] =
                (struct block){stream, (uint32_t)i, params->is_backward ? end_ns : start_ns};
    }
}

struct rv_block_reader *rv_block_reader_open(struct rv_page_loader *page_loader,
                                             const struct rv_block_reader_params *params)
{
    struct rv_block_reader *block_reader = rv_alloc(1, sizeof *block_reader);
    block_reader->page_loader = page_loader;
    block_reader->is_backward = params->is_backward;
    block_reader->has_only = params->only;
    if (params->only)
        rv_name_set_follow(&block_reader->only, params->only);
    for (size_t i = 0; i < AHEAD; i++)
        block_reader->slots[i].block_reader = block_reader;
    pthread_mutex_lock(&page_loader->lock);
    for (size_t i = 0; i < page_loader->n_streams; i++)
        if (!params->lane_idx || has_lane(page_loader->streams[i], *params->lane_idx))
            list_blocks(block_reader, page_loader->streams[i], params);
    if (block_reader->n_blocks)
        qsort(block_reader->blocks, block_reader->n_blocks, sizeof *block_reader->blocks,
              block_reader->is_backward ? by_edge_backward : by_edge);
    bool is_empty = block_reader->n_blocks == 0;
    if (!is_empty) {
        block_reader->next = page_loader->surveys;
        page_loader->surveys = block_reader;
        pthread_cond_signal(&page_loader->has_requests);
    }
    pthread_mutex_unlock(&page_loader->lock);
    if (is_empty)
        destroy(block_reader);
    return is_empty ? NULL : block_reader;
}

void rv_block_reader_close(struct rv_block_reader *block_reader)
{
    if (!block_reader)
        return;
    struct rv_page_loader *page_loader = block_reader->page_loader;
    pthread_mutex_lock(&page_loader->lock);
    struct rv_block_reader **place = &page_loader->surveys;
    while (*place != block_reader)
        place = &(*place)->next;
    *place = block_reader->next;
    block_reader->is_closed = true;
    bool is_last = block_reader->n_coming == 0;
    pthread_mutex_unlock(&page_loader->lock);
    if (is_last)
        destroy(block_reader);
}

/* ---- taking ---- */

/* Will the next block come some day? */
static bool is_to_come(const struct rv_block_reader *block_reader)
{
    return block_reader->n_taken < block_reader->n_blocks &&
           (block_reader->n_asked > block_reader->n_taken || !block_reader->page_loader->is_over);
}

enum rv_block_reader_status rv_block_reader_take(struct rv_block_reader *block_reader, uint64_t timeout_ns,
                                                 struct rv_block_reader_page *page)
{
    struct rv_page_loader *page_loader = block_reader->page_loader;
    struct rv_block_reader_slot *slot = &block_reader->slots[block_reader->n_taken % AHEAD];
    uint64_t end_ns = rv_clock_mono_ns() + timeout_ns;
    enum rv_block_reader_status status = RV_BLOCK_READER_LATER;
    pthread_mutex_lock(&page_loader->lock);
    while (timeout_ns && !slot->is_there && is_to_come(block_reader) &&
           rv_os_wait_until(&page_loader->has_news, &page_loader->lock, end_ns))
        ;
    if (slot->is_there) {
        *page = slot->page;
        slot->page = (struct rv_block_reader_page){0};
        slot->is_there = false;
        block_reader->n_taken++;
        pthread_cond_signal(&page_loader->has_requests);
        status = RV_BLOCK_READER_PAGE;
    } else if (!is_to_come(block_reader)) {
        status = RV_BLOCK_READER_OVER;
    }
    pthread_mutex_unlock(&page_loader->lock);
    return status;
}

uint64_t rv_block_reader_edge_ns(const struct rv_block_reader *block_reader)
{
    if (block_reader->n_taken < block_reader->n_blocks)
        return block_reader->blocks[block_reader->n_taken].edge_ns;
    return block_reader->is_backward ? 0 : UINT64_MAX;
}

double rv_block_reader_progress(const struct rv_block_reader *block_reader)
{
    return (double)block_reader->n_taken / (double)block_reader->n_blocks;
}

/* ---- the pipeline's side ---- */

static bool wants_more(const struct rv_block_reader *block_reader)
{
    size_t ahead = block_reader->n_taken + FIRST_AHEAD;
    return block_reader->n_asked < block_reader->n_blocks &&
           block_reader->n_asked - block_reader->n_taken < (ahead < AHEAD ? ahead : AHEAD);
}

static struct rv_block_reader *find_asking(const struct rv_page_loader *page_loader)
{
    struct rv_block_reader *block_reader = page_loader->surveys;
    while (block_reader && !wants_more(block_reader))
        block_reader = block_reader->next;
    return block_reader;
}

bool rv_block_reader_asks(const struct rv_page_loader *page_loader)
{
    return find_asking(page_loader);
}

bool rv_block_reader_ask(struct rv_page_loader *page_loader, struct rv_page_request *request)
{
    struct rv_block_reader *block_reader = find_asking(page_loader);
    if (!block_reader)
        return false;
    const struct block *block = &block_reader->blocks[block_reader->n_asked];
    *request = (struct rv_page_request){
        .stream = block->stream, .block = block->number, .slot = &block_reader->slots[block_reader->n_asked % AHEAD]};
    block_reader->n_asked++;
    block_reader->n_coming++;
    return true;
}

void rv_block_reader_deliver(struct rv_stream *page)
{
    struct rv_block_reader_slot *slot = page->slot;
    struct rv_block_reader *block_reader = slot->block_reader;
    slot->page.lanes = rv_alloc(page->n_tracks, sizeof *slot->page.lanes);
    for (size_t i = 0; i < page->n_tracks; i++) {
        struct rv_track *track = &page->tracks[i];
        if (rv_timeline_n_spans(track->page))
            slot->page.lanes[slot->page.n_lanes++] = (struct rv_block_reader_lane){track->lane->idx, track->page};
        else
            rv_timeline_destroy(track->page);
        track->page = NULL;
    }
    slot->is_there = true;
    block_reader->n_coming--;
    pthread_cond_broadcast(&block_reader->page_loader->has_news);
    if (block_reader->is_closed && block_reader->n_coming == 0)
        destroy(block_reader);
}

bool rv_block_reader_keeps(const struct rv_stream *page, const struct rv_span *span)
{
    const struct rv_block_reader *block_reader = page->slot ? page->slot->block_reader : NULL;
    return !block_reader || !block_reader->has_only || rv_name_set_has(&block_reader->only, span->id);
}
