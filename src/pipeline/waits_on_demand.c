#include "pipeline/waits_on_demand.h"

#include <stdlib.h>

#include "base/vec.h"

static struct rv_wait wait_of(const struct rv_rec_index_wait *row)
{
    return (struct rv_wait){.start_ns = row->end_ns - row->waited_ns,
                            .end_ns = row->end_ns,
                            .woke_ns = row->since_ns <= row->end_ns ? row->end_ns - row->since_ns : 0,
                            .object = row->object,
                            .call = row->call,
                            .waker = row->waker,
                            .kind = row->kind < RV_WAIT_KIND_COUNT ? row->kind : RV_WAIT_MUTEX,
                            .wake = row->wake < RV_WAKE_COUNT ? row->wake : RV_WAKE_UNKNOWN};
}

static bool load(void *context, uint64_t index, struct rv_wait_page *page)
{
    struct rv_source *source = context;
    struct rv_source_waits read;
    if (!source->read_waits(source, index, &read))
        return false;
    *page = (struct rv_wait_page){.waits = rv_alloc_scratch(read.n_waits + 1, sizeof *page->waits),
                                  .releases = rv_alloc_scratch(read.n_releases + 1, sizeof *page->releases),
                                  .n_waits = read.n_waits,
                                  .n_releases = read.n_releases};
    for (size_t i = 0; i < read.n_waits; i++)
        page->waits[i] = wait_of(&read.waits[i]);
    for (size_t i = 0; i < read.n_releases; i++)
        page->releases[i] = (struct rv_release){.at_ns = read.releases[i].at_ns,
                                                .object = read.releases[i].object & ~RV_REC_RELEASE_IS_TAKEN,
                                                .call = read.releases[i].call,
                                                .is_taken = (read.releases[i].object & RV_REC_RELEASE_IS_TAKEN) != 0};
    free(read.waits);
    free(read.releases);
    return true;
}

void rv_waits_on_demand_serve(struct rv_waits *waits, struct rv_source *source, bool has_copies)
{
    rv_waits_set_loader(waits, load, source, has_copies);
}

void rv_waits_on_demand_add(struct rv_waits *waits, struct rv_stream *stream, const struct rv_waiter_summary *waiter)
{
    const struct rv_rec_index_waiter *row = waiter->row;
    rv_waits_add_stretch(waits, &(struct rv_wait_stretch){.page = waiter->index,
                                                          .first_wait = waiter->first_wait,
                                                          .first_release = waiter->first_release,
                                                          .lane = rv_tracks_at(&stream->tracks, row->stack)->lane->idx,
                                                          .n_waits = row->n_waits,
                                                          .n_releases = row->n_releases,
                                                          .longest = row->longest,
                                                          .begin_ns = row->begin_ns,
                                                          .first_ns = row->first_ns,
                                                          .last_ns = row->last_ns,
                                                          .total_ns = row->total_ns,
                                                          .longest_ns = row->longest_ns,
                                                          .first_release_ns = row->first_release_ns,
                                                          .last_release_ns = row->last_release_ns});
}
