#include "pipeline/pending_page.h"

#include <stdlib.h>

#include "base/vec.h"
#include "model/density.h"
#include "pipeline/span_reader.h"

/* The level of the lane's cells; 0: it has all calls. */
static uint32_t sums_level(struct rv_lane *lane)
{
    pthread_rwlock_wrlock(&lane->lock);
    uint32_t level = rv_timeline_sums_level(lane->timeline);
    pthread_rwlock_unlock(&lane->lock);
    return level;
}

/* A page's track has the lane of its stream's, and for the lane levels up to that of its sums. */
static void begin_track(void *context, struct rv_track *track)
{
    const struct rv_pending_page *page = context;
    pthread_mutex_lock(page->streams_lock);
    track->lane = page->stream->tracks.all[rv_stream_find_track(page->stream, track->stack)].lane;
    pthread_mutex_unlock(page->streams_lock);
    if (page->slot) {
        track->calls = rv_timeline_create_without_cells();
        return;
    }
    if (page->stream->is_followed) {
        track->calls = rv_timeline_create_from(page->level);
        return;
    }
    uint32_t level = sums_level(track->lane);
    level = level > 0 ? level - 1 : 0;
    track->calls = rv_timeline_create_from(level < page->level ? level : page->level);
}

struct rv_pending_page *rv_pending_page_create(const struct rv_page_request *request, pthread_mutex_t *streams_lock,
                                               uint32_t entry_stack, size_t n_jobs)
{
    struct rv_pending_page *page = rv_alloc(1, sizeof *page);
    rv_job_order_init(&page->jobs, n_jobs);
    rv_job_order_reset(&page->jobs, entry_stack);
    page->jobs.page = page;
    page->stream = request->stream;
    page->streams_lock = streams_lock;
    page->block = request->block;
    page->level = request->level;
    page->slot = request->slot;
    rv_tracks_init(&page->tracks, begin_track, page);
    return page;
}

void rv_pending_page_destroy(struct rv_pending_page *page)
{
    if (!page)
        return;
    rv_tracks_fini(&page->tracks);
    rv_job_order_fini(&page->jobs);
    free(page);
}

void rv_pending_page_add_stack(struct rv_pending_page *page, const struct rv_page_stack *stack)
{
    rv_tracks_resume(&page->tracks, stack);
}

/* Calls that are longer are in the lane already. Which ones a live lane lacks changes as it evicts. */
static uint64_t limit_of(const struct rv_pending_page *page, struct rv_lane *lane)
{
    uint32_t level = page->stream->is_followed ? RV_TIMELINE_LEVELS : sums_level(lane);
    if (level == RV_TIMELINE_LEVELS)
        return UINT64_MAX;
    return level ? UINT64_C(1) << rv_density_shift(level) : 0;
}

void rv_pending_page_store(struct rv_pending_page *page, struct rv_span *spans)
{
    for (size_t i = 0; i < page->tracks.n; i++) {
        const struct rv_track *track = &page->tracks.all[i];
        struct rv_span *first = spans + track->first;
        uint64_t limit_ns = track->n ? limit_of(page, track->lane) : 0;
        size_t n = 0;
        for (size_t k = 0; k < track->n; k++) {
            first[n] = first[k];
            n += first[n].end - first[n].start < limit_ns && rv_span_reader_keeps(page, track->lane->idx, &first[n]);
        }
        rv_timeline_add(track->calls, first, n);
    }
}
