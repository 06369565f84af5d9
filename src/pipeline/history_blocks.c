#include "pipeline/history_blocks.h"

#include "base/vec.h"

enum { LIST_PARTS = 8 };

/* Tell lanes, from this track's on, the time from which the stream's calls can be read back. */
static void back_lanes(const struct rv_stream *stream, size_t first_track)
{
    const struct rv_block_list *blocks = &stream->blocks;
    uint64_t from_ns = rv_block_list_n(blocks) ? rv_block_list_at(blocks, blocks->first)->from_ns : UINT64_MAX;
    for (size_t i = first_track; i < stream->tracks.n; i++) {
        struct rv_lane *lane = stream->tracks.all[i].lane;
        pthread_rwlock_wrlock(&lane->lock);
        rv_timeline_back_from(lane->timeline, from_ns);
        pthread_rwlock_unlock(&lane->lock);
    }
}

/* Tell the lanes of the stream's newest block up to when their calls can be read back. */
static void back_until(struct rv_stream *stream, const struct rv_block_summary *summary)
{
    for (size_t i = 0; i < summary->n_stacks; i++) {
        struct rv_lane *lane = rv_tracks_at(&stream->tracks, summary->stacks[i].row->stack)->lane;
        pthread_rwlock_wrlock(&lane->lock);
        rv_timeline_back_until(lane->timeline, stream->blocks.end_ns);
        pthread_rwlock_unlock(&lane->lock);
    }
}

bool rv_history_blocks_discard_of(struct rv_page_loader *page_loader, struct rv_stream *stream, size_t first)
{
    const size_t n_gone = first - stream->blocks.first;
    if (n_gone == 0)
        return false;
    rv_block_list_discard(&stream->blocks, first);
    page_loader->n_followed -= n_gone;
    back_lanes(stream, 0);
    return true;
}

static void discard_before(struct rv_page_loader *page_loader, uint64_t begin)
{
    for (size_t i = 0; i < page_loader->n_streams; i++) {
        const struct rv_block_list *blocks = &page_loader->streams[i]->blocks;
        size_t first = blocks->first;
        while (first < blocks->end && rv_block_list_at(blocks, first)->offset < begin)
            first++;
        page_loader->n_pages += rv_history_blocks_discard_of(page_loader, page_loader->streams[i], first);
    }
}

/* Discard an eighth of the file's part that is listed, if the list is too large. */
static void limit_list(struct rv_page_loader *page_loader)
{
    uint64_t begin = UINT64_MAX, end = 0;
    if (page_loader->n_followed * sizeof(struct rv_summed_block) <= page_loader->most_list_bytes)
        return;
    for (size_t i = 0; i < page_loader->n_streams; i++) {
        const struct rv_block_list *blocks = &page_loader->streams[i]->blocks;
        if (rv_block_list_n(blocks) == 0)
            continue;
        const uint64_t first = rv_block_list_at(blocks, blocks->first)->offset,
                       last = rv_block_list_at(blocks, blocks->end - 1)->offset;
        begin = first < begin ? first : begin;
        end = last > end ? last : end;
    }
    discard_before(page_loader, begin + (end - begin) / LIST_PARTS + 1);
}

void rv_history_blocks_add(struct rv_page_loader *page_loader, struct rv_stream *stream,
                           const struct rv_block_summary *summary)
{
    pthread_mutex_lock(&page_loader->lock);
    rv_page_loader_list(page_loader, stream, summary);
    page_loader->n_pages += page_loader->is_behind;
    const size_t n_tracks = stream->tracks.n;
    for (size_t i = 0; i < summary->n_stacks; i++)
        (void)rv_tracks_at(&stream->tracks, summary->stacks[i].row->stack);
    back_lanes(stream, rv_block_list_n(&stream->blocks) == 1 ? 0 : n_tracks);
    back_until(stream, summary);
    page_loader->n_followed++;
    limit_list(page_loader);
    pthread_cond_broadcast(&page_loader->has_news);
    pthread_mutex_unlock(&page_loader->lock);
}

void rv_history_blocks_discard(struct rv_page_loader *page_loader, uint64_t begin)
{
    pthread_mutex_lock(&page_loader->lock);
    discard_before(page_loader, begin);
    pthread_mutex_unlock(&page_loader->lock);
}

void rv_history_blocks_drop(struct rv_page_loader *page_loader)
{
    pthread_mutex_lock(&page_loader->lock);
    discard_before(page_loader, UINT64_MAX);
    page_loader->is_followed = page_loader->is_behind = false;
    page_loader->n_taken = page_loader->n_wanted;
    page_loader->is_over = true;
    page_loader->n_pages++;
    pthread_cond_broadcast(&page_loader->has_news);
    pthread_mutex_unlock(&page_loader->lock);
}

/* Has its live stream? */
static bool has_ended(const struct rv_stream *stream)
{
    return rv_lane_has_ended(stream->tracks.all[0].lane);
}

struct rv_stream *rv_history_blocks_take_gone(struct rv_page_loader *page_loader)
{
    struct rv_stream *gone = NULL;
    pthread_mutex_lock(&page_loader->lock);
    const bool is_read = page_loader->readers || page_loader->pages || page_loader->n_taken < page_loader->n_wanted;
    for (size_t i = 0; i < page_loader->n_streams && !is_read && !gone; i++) {
        struct rv_stream *stream = page_loader->streams[i];
        if (rv_block_list_n(&stream->blocks) > 0 || !has_ended(stream))
            continue;
        gone = stream;
        page_loader->streams[i] = page_loader->streams[--page_loader->n_streams];
    }
    pthread_mutex_unlock(&page_loader->lock);
    return gone;
}

static bool is_late(const struct rv_lanes *lanes)
{
    bool is_late = false;
    for (size_t i = 0; i < rv_lanes_n(lanes) && !is_late; i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        pthread_rwlock_wrlock(&lane->lock);
        is_late = rv_timeline_is_late(lane->timeline);
        pthread_rwlock_unlock(&lane->lock);
    }
    return is_late;
}

bool rv_history_blocks_take_behind(struct rv_page_loader *page_loader, bool looks_at_lanes)
{
    pthread_mutex_lock(&page_loader->lock);
    bool is_behind = (page_loader->is_behind && !page_loader->has_asked) || rv_span_reader_awaits(page_loader) ||
                     (looks_at_lanes && is_late(page_loader->lanes));
    page_loader->has_asked = true;
    pthread_mutex_unlock(&page_loader->lock);
    return is_behind;
}

uint64_t rv_history_blocks_bytes(struct rv_page_loader *page_loader, size_t *n_streams)
{
    uint64_t n_bytes = 0;
    pthread_mutex_lock(&page_loader->lock);
    *n_streams = page_loader->is_followed ? page_loader->n_streams : 0;
    for (size_t i = 0; i < *n_streams; i++)
        n_bytes += sizeof(struct rv_stream) + rv_block_list_bytes(&page_loader->streams[i]->blocks);
    pthread_mutex_unlock(&page_loader->lock);
    return n_bytes;
}
