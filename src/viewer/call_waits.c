#include "viewer/call_waits.h"

#include "viewer/show_call.h"

static void look(struct rv_call_waits *found, struct rv_wait_reader *reader, const struct rv_box *box,
                 uint32_t lane_idx)
{
    struct rv_wait longest;
    if (rv_wait_reader_sum(reader, lane_idx, box->start_ns, rv_box_end_ns(box), &found->sum) &&
        rv_wait_reader_get(reader, lane_idx, found->sum.longest, &longest))
        found->longest = rv_wait_reader_edge(reader, &longest);
}

void rv_call_waits_find(struct rv_call_waits *found, struct rv_waits *waits, const struct rv_box *box,
                        uint32_t lane_idx)
{
    *found = (struct rv_call_waits){.sum = {.n = 0}};
    if (!waits || box->coverage != RV_BOX_EXACT)
        return;
    struct rv_wait_reader *reader = rv_wait_reader_open(waits, NULL, NULL);
    look(found, reader, box, lane_idx);
    rv_wait_reader_close(reader);
}

static void work(void *context)
{
    struct rv_call_waits_job *job = context;
    rv_call_waits_find(&job->found, job->waits, &job->about.box, job->about.lane_idx);
}

static bool is_of(const struct rv_call_waits_about *about, const struct rv_box *box, uint32_t lane_idx)
{
    return about->lane_idx == lane_idx && about->box.start_ns == box->start_ns && about->box.id == box->id &&
           about->box.depth == box->depth;
}

const struct rv_call_waits *rv_call_waits_ask(struct rv_call_waits_job *job, struct rv_waits *waits,
                                              const struct rv_box *box, uint32_t lane_idx)
{
    const size_t n_waits = waits ? rv_waits_n(waits) : 0;
    const bool is_known = is_of(&job->about, box, lane_idx) && job->about.n_waits == n_waits &&
                          job->about.box.duration_ns == box->duration_ns;
    if (!is_known && !job->thread.is_running) {
        job->about = (struct rv_call_waits_about){*box, lane_idx, n_waits};
        job->waits = waits;
        rv_job_thread_start(&job->thread, work, job);
    }
    if (!is_of(&job->shown_about, box, lane_idx))
        job->shown = (struct rv_call_waits){.sum = {.n = 0}};
    return &job->shown;
}

bool rv_call_waits_advance(struct rv_call_waits_job *job)
{
    if (!rv_job_thread_poll(&job->thread, 0) || job->thread.is_running)
        return false;
    job->shown = job->found;
    job->shown_about = job->about;
    return true;
}

void rv_call_waits_stop(struct rv_call_waits_job *job)
{
    rv_job_thread_stop(&job->thread);
}

void rv_viewer_show_waker(struct rv_viewer *viewer)
{
    const struct rv_call_waits *waits = &viewer->pointer.waits.shown;
    const struct rv_wait_edge *edge = &waits->longest;
    const uint64_t at_ns = edge->released_ns    ? edge->released_ns
                           : edge->wait.woke_ns ? edge->wait.woke_ns
                                                : edge->wait.end_ns;
    if (!viewer->pointer.hover.is_on || !waits->sum.n || !edge->waker)
        return;
    struct rv_lane *lane = rv_lanes_get(viewer->lanes, edge->waker->idx);
    struct rv_box waker;
    if (rv_viewer_innermost_around(lane, at_ns, at_ns, &waker))
        rv_viewer_show_call(viewer, &waker, lane->idx);
}
