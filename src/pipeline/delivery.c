#include "pipeline/delivery.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "pipeline/span_reader.h"
#include "pipeline/stream_notes.h"

void rv_delivery_fini(struct rv_delivery *delivery)
{
    rv_stats_destroy(delivery->stats);
    pthread_mutex_destroy(&delivery->lock);
    rv_placed_spans_fini(&delivery->spans);
    free(delivery->open_start);
    free(delivery->waiting);
    rv_disk_vec_free(&delivery->stretches.disk, delivery->stretches.items);
}

void rv_delivery_learn_names(struct rv_delivery *delivery)
{
    struct rv_namesake named[256];
    for (size_t n; (n = rv_subroutines_read_namesakes(delivery->subroutines, delivery->n_named, named, 256));) {
        rv_stats_name(delivery->stats, named, n);
        delivery->n_named += n;
    }
}

static void follow_base(struct rv_stream *stream)
{
    uint32_t n_lower = rv_tracks_follow_base(&stream->tracks);
    for (size_t i = 0; i < stream->tracks.n && n_lower; i++)
        rv_stats_lane_lower(stream->tracks.all[i].stats, n_lower);
}

/* Store the open frames after this block, for live pictures and for recursion in the statistics. */
static void publish_open(struct rv_delivery *delivery, struct rv_track *track, const struct rv_open_stack *open,
                         uint32_t depth_shift)
{
    uint32_t max_depth = delivery->params->max_depth ? delivery->params->max_depth : UINT32_MAX;
    int64_t base = (int64_t)open->base_depth + depth_shift;
    uint32_t n = base >= max_depth                   ? 0
                 : open->n_frames < max_depth - base ? open->n_frames
                                                     : (uint32_t)(max_depth - base);
    uint32_t n_same = open->n_unchanged < n ? open->n_unchanged : n;
    struct rv_lane *lane = track->lane;
    pthread_rwlock_wrlock(&lane->lock);
    n_same = n_same < lane->n_open ? n_same : (uint32_t)lane->n_open;
    lane->open = rv_vec_reserve(lane->open, &lane->open_capacity, n, sizeof *lane->open);
    for (uint32_t i = n_same; i < n; i++)
        lane->open[i] = (struct rv_lane_frame){delivery->origin_ns + open->start[i], open->id[i], (uint32_t)base + i};
    lane->n_open = n;
    pthread_rwlock_unlock(&lane->lock);

    delivery->open_start =
        rv_vec_reserve(delivery->open_start, &delivery->open_start_capacity, n, sizeof *delivery->open_start);
    for (uint32_t i = n_same; i < n; i++)
        delivery->open_start[i] = lane->open[i].start_ns;
    rv_stats_lane_set_open(track->stats, delivery->open_start, open->id, n, n_same);
}

static void count_open(const struct rv_delivery *delivery, struct rv_stream *stream, uint64_t n)
{
    if (n != stream->n_open) /* fewer: difference and sum wrap correctly */
        atomic_fetch_add_explicit(delivery->n_open, n - stream->n_open, memory_order_relaxed);
    stream->n_open = n;
}

static void publish_all_open(struct rv_delivery *delivery, struct rv_stream *stream)
{
    size_t n = rv_block_join_n_stacks(stream->tracks.carry);
    uint64_t n_open = 0;
    for (size_t i = 0; i < n; i++) {
        struct rv_open_stack open;
        rv_block_join_open_stack(stream->tracks.carry, i, &open);
        n_open += open.n_frames;
        struct rv_track *track = rv_tracks_at(&stream->tracks, open.stack);
        if (open.n_unchanged != open.n_frames || track->lane->n_open != open.n_frames)
            publish_open(delivery, track, &open, stream->tracks.depth_shift);
    }
    count_open(delivery, stream, n_open);
    rv_block_join_mark_seen(stream->tracks.carry);
}

static void store_lanes(struct rv_stream *stream, const struct rv_span *spans, uint64_t last_ns)
{
    for (size_t i = 0; i < stream->tracks.n; i++) {
        struct rv_track *track = &stream->tracks.all[i];
        pthread_rwlock_wrlock(&track->lane->lock);
        rv_timeline_add(track->lane->timeline, spans + track->first, track->n);
        const uint64_t until_ns = track->lane->n_open ? last_ns : rv_timeline_last_ns(track->lane->timeline);
        track->lane->last_ns = rv_clock_later_ns(track->lane->last_ns, until_ns);
        pthread_rwlock_unlock(&track->lane->lock);
    }
}

/* ---- sinks ---- */

static void send_spans(const struct rv_delivery *delivery, const struct rv_stream *stream, const struct rv_span *spans)
{
    for (size_t s = 0; s < delivery->params->n_sinks; s++) {
        const struct rv_sink *sink = &delivery->params->sinks[s];
        for (size_t i = 0; i < stream->tracks.n && sink->spans; i++) {
            const struct rv_track *track = &stream->tracks.all[i];
            if (track->n)
                sink->spans(sink->context, track->lane, spans + track->first, track->n);
        }
    }
}

static struct rv_stream_account account_of(struct rv_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    struct rv_stream_account account = stream->account;
    pthread_mutex_unlock(&stream->lock);
    return account;
}

/* Send changes of the thread's name and loss, then the job's events, to the sinks. */
static void send_events(const struct rv_delivery *delivery, struct rv_stream *stream, const struct rv_job *job,
                        bool is_renamed)
{
    struct rv_stream_account account = account_of(stream);
    for (size_t s = 0; s < delivery->params->n_sinks; s++) {
        const struct rv_sink *sink = &delivery->params->sinks[s];
        if (sink->rename && is_renamed)
            sink->rename(sink->context, stream->number, stream->name);
        if (sink->account && account.n_dropped > stream->n_dropped_told)
            sink->account(sink->context, stream->number, &account);
        void (*tell)(void *, uint32_t, const struct rv_event *, size_t) =
            job->batch.is_open ? sink->preamble : sink->events;
        if (tell && job->batch.n)
            tell(sink->context, stream->number, job->batch.events, job->batch.n);
    }
    stream->n_dropped_told = account.n_dropped;
}

static void close_in_sinks(const struct rv_delivery *delivery, struct rv_stream *stream, uint64_t end_ns)
{
    struct rv_stream_account account = account_of(stream);
    for (size_t s = 0; s < delivery->params->n_sinks; s++) {
        const struct rv_sink *sink = &delivery->params->sinks[s];
        if (sink->close)
            sink->close(sink->context, stream->number, end_ns, &account);
    }
}

static void add_step(struct rv_flows *flows, struct rv_track *track, const struct rv_flow_step *step)
{
    const size_t number = rv_flows_add(flows, step);
    if (step->until_ns == UINT64_MAX)
        track->task_step = number;
}

static void add_own_stretch(struct rv_delivery *delivery, struct rv_track *track, const struct rv_moment *moment)
{
    track->ran_call = moment->call;
    if (moment->call)
        rv_stats_add_times(delivery->stats, moment->call, &moment->times, &(struct rv_state_times){0});
}

/* A call that has ended since has the time in its total, too; open ones get it with the stretches. */
static void add_split(struct rv_delivery *delivery, const struct rv_track *track, const struct rv_moment *moment)
{
    const struct rv_state_times none = {0};
    if (track->ran_call)
        rv_stats_add_times(delivery->stats, track->ran_call, &moment->times,
                           moment->call == track->ran_call ? &none : &moment->times);
}

static void add_moment(struct rv_delivery *delivery, struct rv_track *track, const struct rv_moment *moment)
{
    switch (moment->kind) {
    case RV_MOMENT_STRETCH:
        add_own_stretch(delivery, track, moment);
        break;
    case RV_MOMENT_SPLIT:
        add_split(delivery, track, moment);
        break;
    case RV_MOMENT_WOKEN:
        track->waits[moment->of].call = moment->call;
        if (delivery->waits)
            rv_waits_add(delivery->waits, &track->waits[moment->of]);
        break;
    case RV_MOMENT_RELEASE:
    case RV_MOMENT_TAKEN:
        if (delivery->waits)
            rv_waits_add_release(delivery->waits, &(struct rv_release){.at_ns = moment->at_ns,
                                                                       .lane = track->lane->idx,
                                                                       .object = moment->of,
                                                                       .call = moment->call,
                                                                       .is_taken = moment->kind == RV_MOMENT_TAKEN});
        break;
    case RV_MOMENT_STEP:
        track->steps[moment->of].call = moment->call;
        if (delivery->flows)
            add_step(delivery->flows, track, &track->steps[moment->of]);
        break;
    case RV_MOMENT_LEFT:
        if (delivery->flows)
            rv_flows_leave(delivery->flows, track->task_step, moment->at_ns);
        track->task_step = RV_FLOWS_NONE;
        break;
    }
}

/* Add each stretch to the total time of all calls in which it was. */
static void add_stretches(struct rv_delivery *delivery, const struct rv_track *track, const struct rv_span *spans)
{
    delivery->stretches.n = 0;
    for (size_t i = 0; i < track->n_moments; i++)
        if (track->moments[i].kind == RV_MOMENT_STRETCH || track->moments[i].kind == RV_MOMENT_SPLIT)
            rv_state_times_sums_add(&delivery->stretches, track->moments[i].at_ns, &track->moments[i].times);
    if (delivery->stretches.n)
        rv_stats_add_stretches(delivery->stats, track->stats, spans + track->first, track->n, &delivery->stretches);
}

/* Set the thread's open wait, after its releases were added. */
static void tell_open_wait(struct rv_delivery *delivery, struct rv_track *track)
{
    const struct rv_wait *open = rv_open_waits_open(&track->follower);
    const uint64_t began_ns = open && open->waker ? open->start_ns : 0;
    if (!delivery->waits || began_ns == track->open_wait_ns)
        return;
    rv_waits_set_open(delivery->waits, track->lane->idx, began_ns ? open : NULL);
    track->open_wait_ns = began_ns;
}

/* Give the track's moments to the calls in which they were. Under the delivery's lock. */
static void add_moments(struct rv_delivery *delivery, struct rv_track *track, const struct rv_span *spans)
{
    if (!track->n_moments)
        return;
    delivery->waiting =
        rv_vec_reserve(delivery->waiting, &delivery->waiting_capacity, track->n_moments, sizeof *delivery->waiting);
    rv_moments_find_calls(track->moments, track->n_moments, spans + track->first, track->n, track->lane->open,
                          track->lane->n_open, delivery->waiting);
    for (size_t i = 0; i < track->n_moments; i++)
        add_moment(delivery, track, &track->moments[i]);
    add_stretches(delivery, track, spans);
    rv_track_clear(track);
}

uint64_t rv_delivery_cpu_ns(const struct rv_delivery *delivery)
{
    return delivery->params->times_stages ? rv_clock_thread_cpu_ns() : 0;
}

/* Add grouped spans to lanes, statistics and sinks; joining them took carry_ns of CPU time. Returns their number. */
static size_t store(struct rv_delivery *delivery, struct rv_stream *stream, const struct rv_span *spans,
                    uint64_t last_ns, uint64_t carry_ns)
{
    uint64_t began_ns = rv_delivery_cpu_ns(delivery);
    store_lanes(stream, spans, last_ns);
    uint64_t stored_ns = rv_delivery_cpu_ns(delivery);
    size_t n = 0;
    pthread_mutex_lock(&delivery->lock);
    rv_delivery_learn_names(delivery);
    for (size_t i = 0; i < stream->tracks.n; i++) {
        rv_stats_add(delivery->stats, stream->tracks.all[i].stats, spans + stream->tracks.all[i].first,
                     stream->tracks.all[i].n);
        add_moments(delivery, &stream->tracks.all[i], spans);
        tell_open_wait(delivery, &stream->tracks.all[i]);
        n += stream->tracks.all[i].n;
    }
    delivery->counts.n_spans += n;
    delivery->counts.scan_ns += delivery->scan_ns;
    delivery->counts.carry_ns += carry_ns;
    delivery->counts.timeline_ns += stored_ns - began_ns;
    delivery->counts.stats_ns += rv_delivery_cpu_ns(delivery) - stored_ns;
    pthread_mutex_unlock(&delivery->lock);
    delivery->scan_ns = 0;
    send_spans(delivery, stream, spans);
    return n;
}

/* ---- ends ---- */

static size_t finish(struct rv_delivery *delivery, struct rv_stream *stream, uint64_t end_ns)
{
    uint64_t began_ns = rv_delivery_cpu_ns(delivery);
    size_t n = rv_placed_spans_finish(&delivery->spans, &stream->tracks, end_ns);
    publish_all_open(delivery, stream);
    const uint64_t last_ns = delivery->origin_ns + end_ns;
    rv_stream_notes_end(stream, last_ns);
    const struct rv_span *spans = rv_tracks_group(&stream->tracks, &delivery->spans.buffer, n);
    n = store(delivery, stream, spans, last_ns, rv_delivery_cpu_ns(delivery) - began_ns);
    for (size_t i = 0; i < stream->tracks.n; i++) {
        struct rv_lane *lane = stream->tracks.all[i].lane;
        pthread_rwlock_wrlock(&lane->lock);
        rv_lane_end(lane);
        pthread_rwlock_unlock(&lane->lock);
    }
    return n;
}

/* For frames that began before the stream: add the time of their earlier callees. */
static void take_opening(struct rv_stream *stream, const struct rv_batch *batch)
{
    uint64_t children_ns;
    for (uint32_t i = 0; i < batch->n; i++)
        if (rv_stack_preamble_read(&stream->preamble, &batch->events[i], &children_ns))
            rv_stats_lane_set_children(rv_tracks_at(&stream->tracks, stream->preamble.stack)->stats,
                                       stream->preamble.n_frames - 1, children_ns);
}

void rv_delivery_count_switches(struct rv_delivery *delivery, uint64_t n)
{
    pthread_mutex_lock(&delivery->lock);
    delivery->counts.n_switches += n;
    pthread_mutex_unlock(&delivery->lock);
}

static void count_events(struct rv_delivery *delivery, struct rv_stream *stream, const struct rv_job *job,
                         uint32_t n_switches)
{
    struct rv_block_join_counts counts;
    if (job->batch.is_open && stream->tracks.n == 0)
        return;
    const struct rv_track *track =
        job->batch.is_open ? &stream->tracks.all[0] : rv_tracks_at(&stream->tracks, job->entry_stack);
    struct rv_lane *lane = track->lane;
    rv_block_join_counts(stream->tracks.carry, &counts);
    pthread_rwlock_wrlock(&lane->lock);
    lane->n_events += job->batch.is_open || job->batch.is_retold ? 0 : job->batch.n - n_switches;
    lane->max_depth = counts.max_depth;
    pthread_rwlock_unlock(&lane->lock);
    if (n_switches)
        rv_delivery_count_switches(delivery, n_switches);
}

void rv_delivery_join_page(struct rv_delivery *delivery, struct rv_pending_page *page, struct rv_job *job)
{
    struct rv_tracks *tracks = &page->tracks;
    size_t n = 0;
    if (!job->closes_stream) {
        rv_block_join_apply(tracks->carry, job->block);
        (void)rv_tracks_follow_base(tracks);
        rv_stream_notes_add_page_job(tracks, job, delivery->origin_ns);
        n = rv_placed_spans_read(&delivery->spans, tracks, job->block);
    } else if (job->end_ns != UINT64_MAX) {
        n = rv_placed_spans_finish(&delivery->spans, tracks, job->end_ns);
    }
    rv_pending_page_store(page, rv_tracks_group(tracks, &delivery->spans.buffer, n));
}

size_t rv_delivery_join(struct rv_delivery *delivery, struct rv_stream *stream, struct rv_job *job)
{
    bool is_renamed = rv_stream_apply_name(stream);
    if (job->closes_stream) {
        send_events(delivery, stream, job, is_renamed);
        size_t n_open = finish(delivery, stream, job->end_ns);
        close_in_sinks(delivery, stream, job->end_ns);
        return n_open;
    }
    const uint64_t began_ns = rv_delivery_cpu_ns(delivery);
    rv_block_join_apply(stream->tracks.carry, job->block);
    follow_base(stream);
    uint32_t n_switches = rv_stream_notes_add_job(stream, job, delivery->origin_ns);
    size_t n = rv_placed_spans_read(&delivery->spans, &stream->tracks, job->block);
    struct rv_span *spans = rv_tracks_group(&stream->tracks, &delivery->spans.buffer, n);
    publish_all_open(delivery, stream);
    const uint64_t carry_ns = rv_delivery_cpu_ns(delivery) - began_ns;
    uint64_t last_ns = job->batch.base_ns;
    for (uint32_t i = job->batch.n; i-- > 0;)
        if (rv_event_kind(&job->batch.events[i]) != RV_EVENT_SYNC) {
            last_ns = rv_event_ticks(&job->batch.events[i]);
            break;
        }
    send_events(delivery, stream, job, is_renamed); /* now the lanes exist, for a reader of the history */
    n = store(delivery, stream, spans, delivery->origin_ns + last_ns, carry_ns);
    if (job->batch.is_open)
        take_opening(stream, &job->batch);
    count_events(delivery, stream, job, n_switches);
    return n;
}
