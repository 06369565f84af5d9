#include "pipeline/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"

/* Read and place in steps that stay in the first-level cache. */
enum { READ_SPANS = 512 };

void rv_merger_fini(struct rv_merger *merger)
{
    rv_stats_destroy(merger->stats);
    pthread_mutex_destroy(&merger->lock);
    free(merger->buffer.spans);
    free(merger->buffer.sorted);
    free(merger->open_start);
}

static void follow_base(struct rv_stream *stream)
{
    uint32_t n_lower = rv_tracks_follow_base(&stream->tracks);
    for (size_t i = 0; i < stream->tracks.n && n_lower; i++)
        rv_stats_lane_lower(stream->tracks.all[i].stats, n_lower);
}

/* Times from the trace's origin, depths from the deepest base; spans at or below the depth limit are dropped. Returns
 * the number left. */
static size_t place(const struct rv_merger *merger, const struct rv_tracks *tracks, struct rv_span *spans, size_t n)
{
    const uint32_t max_depth = merger->params->max_depth ? merger->params->max_depth : UINT32_MAX;
    const uint64_t origin_ns = merger->origin_ns;
    size_t kept = 0;
    if (origin_ns == 0 && max_depth == UINT32_MAX && tracks->depth_shift == 0)
        return n; /* all in place already */
    for (size_t i = 0; i < n; i++) {
        struct rv_span span = spans[i];
        span.start += origin_ns;
        span.end += origin_ns;
        span.depth += tracks->depth_shift;
        spans[kept] = span;
        kept += span.depth < max_depth;
    }
    return kept;
}

/* Room for some more spans behind the first n. */
static struct rv_span *reserve_spans(struct rv_span_buffer *buffer, size_t n)
{
    buffer->spans = rv_vec_reserve(buffer->spans, &buffer->capacity, n + READ_SPANS, sizeof *buffer->spans);
    return buffer->spans + n;
}

static size_t read_block(struct rv_merger *merger, const struct rv_tracks *tracks, const struct rv_block *block)
{
    struct rv_block_cursor cursor = {0};
    size_t n = 0;
    for (;;) {
        struct rv_span *spans = reserve_spans(&merger->buffer, n);
        size_t n_read = rv_block_read_spans(block, &cursor, spans, READ_SPANS);
        if (n_read == 0)
            return n;
        n += place(merger, tracks, spans, n_read);
    }
}

/* Store the open frames after this block, for live pictures and for recursion in the statistics. */
static void publish_open(struct rv_merger *merger, struct rv_track *track, const struct rv_open_stack *open,
                         uint32_t depth_shift)
{
    uint32_t max_depth = merger->params->max_depth ? merger->params->max_depth : UINT32_MAX;
    int64_t base = (int64_t)open->base_depth + depth_shift;
    uint32_t n = base >= max_depth                   ? 0
                 : open->n_frames < max_depth - base ? open->n_frames
                                                     : (uint32_t)(max_depth - base);
    uint32_t n_same = open->n_unchanged < n ? open->n_unchanged : n;
    struct rv_lane *lane = track->lane;
    pthread_mutex_lock(&lane->lock);
    n_same = n_same < lane->n_open ? n_same : (uint32_t)lane->n_open;
    lane->open = rv_vec_reserve(lane->open, &lane->open_capacity, n, sizeof *lane->open);
    for (uint32_t i = n_same; i < n; i++)
        lane->open[i] = (struct rv_lane_frame){merger->origin_ns + open->start[i], open->id[i], (uint32_t)base + i};
    lane->n_open = n;
    pthread_mutex_unlock(&lane->lock);

    merger->open_start =
        rv_vec_reserve(merger->open_start, &merger->open_start_capacity, n, sizeof *merger->open_start);
    for (uint32_t i = n_same; i < n; i++)
        merger->open_start[i] = lane->open[i].start_ns;
    rv_stats_lane_set_open(track->stats, merger->open_start, open->id, n, n_same);
}

static void count_open(const struct rv_merger *merger, struct rv_stream *stream, uint64_t n)
{
    if (n != stream->n_open) /* fewer: difference and sum wrap correctly */
        atomic_fetch_add_explicit(merger->n_open, n - stream->n_open, memory_order_relaxed);
    stream->n_open = n;
}

static void publish_all_open(struct rv_merger *merger, struct rv_stream *stream)
{
    size_t n = rv_carry_n_stacks(stream->tracks.carry);
    uint64_t n_open = 0;
    for (size_t i = 0; i < n; i++) {
        struct rv_open_stack open;
        rv_carry_open_stack(stream->tracks.carry, i, &open);
        n_open += open.n_frames;
        struct rv_track *track = rv_tracks_at(&stream->tracks, open.stack);
        if (open.n_unchanged != open.n_frames || track->lane->n_open != open.n_frames)
            publish_open(merger, track, &open, stream->tracks.depth_shift);
    }
    count_open(merger, stream, n_open);
    rv_carry_mark_seen(stream->tracks.carry);
}

static void store_lanes(struct rv_stream *stream, const struct rv_span *spans, uint64_t last_ns)
{
    for (size_t i = 0; i < stream->tracks.n; i++) {
        struct rv_track *track = &stream->tracks.all[i];
        pthread_mutex_lock(&track->lane->lock);
        rv_timeline_add(track->lane->timeline, spans + track->first, track->n);
        if ((track->n || track->lane->n_open) && last_ns > track->lane->last_ns)
            track->lane->last_ns = last_ns;
        pthread_mutex_unlock(&track->lane->lock);
    }
}

/* ---- sinks ---- */

static void send_spans(const struct rv_merger *merger, const struct rv_stream *stream, const struct rv_span *spans)
{
    for (size_t s = 0; s < merger->params->n_sinks; s++) {
        const struct rv_sink *sink = &merger->params->sinks[s];
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
static void send_events(const struct rv_merger *merger, struct rv_stream *stream, const struct rv_job *job,
                        bool is_renamed)
{
    struct rv_stream_account account = account_of(stream);
    for (size_t s = 0; s < merger->params->n_sinks; s++) {
        const struct rv_sink *sink = &merger->params->sinks[s];
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

static void close_in_sinks(const struct rv_merger *merger, struct rv_stream *stream, uint64_t end_ns)
{
    struct rv_stream_account account = account_of(stream);
    for (size_t s = 0; s < merger->params->n_sinks; s++) {
        const struct rv_sink *sink = &merger->params->sinks[s];
        if (sink->close)
            sink->close(sink->context, stream->number, end_ns, &account);
    }
}

/* Add grouped spans to lanes, statistics and sinks; began_ns is the CPU time at the start of this job's merge. Returns
 * their number. */
static size_t store(struct rv_merger *merger, struct rv_stream *stream, const struct rv_span *spans, uint64_t last_ns,
                    uint64_t began_ns)
{
    uint64_t merged_ns = rv_clock_thread_cpu_ns();
    store_lanes(stream, spans, last_ns);
    uint64_t stored_ns = rv_clock_thread_cpu_ns();
    size_t n = 0;
    pthread_mutex_lock(&merger->lock);
    for (size_t i = 0; i < stream->tracks.n; i++) {
        rv_stats_add(merger->stats, stream->tracks.all[i].stats, spans + stream->tracks.all[i].first,
                     stream->tracks.all[i].n);
        n += stream->tracks.all[i].n;
    }
    merger->counts.n_spans += n;
    merger->counts.scan_ns += merger->scan_ns;
    merger->counts.carry_ns += merged_ns - began_ns;
    merger->counts.timeline_ns += stored_ns - merged_ns;
    merger->counts.stats_ns += rv_clock_thread_cpu_ns() - stored_ns;
    pthread_mutex_unlock(&merger->lock);
    merger->scan_ns = 0;
    send_spans(merger, stream, spans);
    return n;
}

/* ---- what is not a call ---- */

static void add_note(struct rv_lane *lane, const struct rv_lane_note *note)
{
    pthread_mutex_lock(&lane->lock);
    rv_lane_add_note(lane, note);
    pthread_mutex_unlock(&lane->lock);
}

static void end_note(struct rv_lane *lane, enum rv_note_kind kind, uint64_t now_ns)
{
    pthread_mutex_lock(&lane->lock);
    rv_lane_end_note(lane, kind, now_ns);
    pthread_mutex_unlock(&lane->lock);
}

static float value_of(const struct rv_event *event)
{
    uint32_t bits = event->frame | (uint32_t)event->aux << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void note_special(const struct rv_merger *merger, struct rv_lane *lane, const struct rv_event *event)
{
    uint64_t now = merger->origin_ns + rv_event_ticks(event);
    struct rv_lane_note note = {.start_ns = now, .end_ns = now, .id = event->id};
    switch ((enum rv_event_kind)rv_event_kind(event)) {
    case RV_EVENT_GC_START:
        note.kind = RV_NOTE_GC;
        note.end_ns = UINT64_MAX;
        break;
    case RV_EVENT_GC_END:
        end_note(lane, RV_NOTE_GC, now);
        return;
    case RV_EVENT_THREAD:
        note.kind = RV_NOTE_STATE;
        note.id = event->aux;
        break;
    case RV_EVENT_MARK:
        note.kind = RV_NOTE_MARK;
        break;
    case RV_EVENT_VALUE:
        note.kind = RV_NOTE_VALUE;
        note.value = value_of(event);
        break;
    case RV_EVENT_LOST:
        note.kind = RV_NOTE_LOST;
        note.end_ns = UINT64_MAX; /* until the next event */
        break;
    case RV_EVENT_CALL:
    case RV_EVENT_RETURN:
    case RV_EVENT_CALL_AT:
    case RV_EVENT_RETURN_AT:
    case RV_EVENT_SWITCH:
    case RV_EVENT_LINE:
    case RV_EVENT_SYNC:
    case RV_EVENT_KIND_COUNT:
        return;
    }
    add_note(lane, &note);
}

/* A loss lasts until the next event. */
static void end_losses(struct rv_merger *merger, struct rv_stream *stream, uint64_t at_ns)
{
    for (size_t i = 0; i < stream->tracks.n; i++)
        end_note(stream->tracks.all[i].lane, RV_NOTE_LOST, merger->origin_ns + at_ns);
}

static void note_line(struct rv_lane *lane, uint32_t line)
{
    pthread_mutex_lock(&lane->lock);
    lane->last_line = line;
    pthread_mutex_unlock(&lane->lock);
}

static void note_specials(struct rv_merger *merger, struct rv_stream *stream, const struct rv_job *job)
{
    uint32_t stack = job->entry_stack, last_line = 0;
    for (uint32_t i = 0; i < job->batch.n_specials; i++) {
        const struct rv_event *event = &job->batch.events[job->batch.specials[i]];
        bool is_resume = rv_event_kind(event) == RV_EVENT_THREAD && event->aux == RV_THREAD_RESUMED;
        if (rv_event_kind(event) == RV_EVENT_SWITCH || is_resume)
            stack = event->id;
        if (rv_batch_is_noted(event))
            note_special(merger, rv_tracks_at(&stream->tracks, stack)->lane, event);
        last_line = rv_event_kind(event) == RV_EVENT_LINE ? event->id : last_line;
        if (rv_event_kind(event) != RV_EVENT_LOST)
            continue;
        stream->has_open_loss = job->batch.specials[i] + 1 == job->batch.n;
        if (!stream->has_open_loss)
            end_losses(merger, stream, rv_event_ticks(event + 1));
    }
    if (last_line)
        note_line(rv_tracks_at(&stream->tracks, stack)->lane, last_line);
}

/* ---- ends ---- */

/* Turn the frames open at the end into spans. Returns their number. */
static size_t read_open(struct rv_merger *merger, const struct rv_tracks *tracks, uint64_t end_ns)
{
    size_t n = 0, n_read;
    while ((n_read = rv_carry_finish(tracks->carry, end_ns, reserve_spans(&merger->buffer, n), READ_SPANS)))
        n += n_read;
    return place(merger, tracks, merger->buffer.spans, n);
}

static size_t finish(struct rv_merger *merger, struct rv_stream *stream, uint64_t end_ns)
{
    uint64_t began_ns = rv_clock_thread_cpu_ns();
    size_t n = read_open(merger, &stream->tracks, end_ns);
    publish_all_open(merger, stream);
    const uint64_t last_ns = merger->origin_ns + end_ns;
    n = store(merger, stream, rv_tracks_group(&stream->tracks, &merger->buffer, n), last_ns, began_ns);
    for (size_t i = 0; i < stream->tracks.n; i++) {
        struct rv_lane *lane = stream->tracks.all[i].lane;
        end_note(lane, RV_NOTE_GC, last_ns);
        end_note(lane, RV_NOTE_LOST, last_ns);
        pthread_mutex_lock(&lane->lock);
        rv_lane_end(lane);
        pthread_mutex_unlock(&lane->lock);
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

static void count_events(struct rv_stream *stream, const struct rv_job *job)
{
    struct rv_carry_counts counts;
    if (job->batch.is_open && stream->tracks.n == 0)
        return;
    const struct rv_track *track =
        job->batch.is_open ? &stream->tracks.all[0] : rv_tracks_at(&stream->tracks, job->entry_stack);
    struct rv_lane *lane = track->lane;
    rv_carry_counts(stream->tracks.carry, &counts);
    pthread_mutex_lock(&lane->lock);
    lane->n_events += job->batch.is_open || job->batch.is_retold ? 0 : job->batch.n;
    lane->max_depth = counts.max_depth;
    pthread_mutex_unlock(&lane->lock);
}

void rv_merge_page(struct rv_merger *merger, struct rv_page_load *page, struct rv_job *job)
{
    struct rv_tracks *tracks = &page->tracks;
    size_t n = 0;
    if (!job->closes_stream) {
        rv_carry_apply(tracks->carry, job->block);
        (void)rv_tracks_follow_base(tracks);
        n = read_block(merger, tracks, job->block);
    } else if (job->end_ns != UINT64_MAX) {
        n = read_open(merger, tracks, job->end_ns);
    }
    rv_page_load_store(page, rv_tracks_group(tracks, &merger->buffer, n));
}

void rv_merge_note(const struct rv_merger *merger, struct rv_lane *lane, const struct rv_event *event)
{
    if (rv_batch_is_noted(event))
        note_special(merger, lane, event);
}

size_t rv_merge(struct rv_merger *merger, struct rv_stream *stream, struct rv_job *job)
{
    bool is_renamed = rv_stream_apply_name(stream);
    send_events(merger, stream, job, is_renamed);
    if (job->closes_stream) {
        size_t n_open = finish(merger, stream, job->end_ns);
        close_in_sinks(merger, stream, job->end_ns);
        return n_open;
    }
    uint64_t began_ns = rv_clock_thread_cpu_ns();
    rv_carry_apply(stream->tracks.carry, job->block);
    follow_base(stream);
    size_t n = read_block(merger, &stream->tracks, job->block);
    struct rv_span *spans = rv_tracks_group(&stream->tracks, &merger->buffer, n);
    publish_all_open(merger, stream);
    uint64_t last_ns = job->batch.base_ns;
    for (uint32_t i = job->batch.n; i-- > 0;)
        if (rv_event_kind(&job->batch.events[i]) != RV_EVENT_SYNC) {
            last_ns = rv_event_ticks(&job->batch.events[i]);
            break;
        }
    n = store(merger, stream, spans, merger->origin_ns + last_ns, began_ns);
    if (job->batch.n && stream->has_open_loss)
        end_losses(merger, stream, rv_event_ticks(&job->batch.events[0]));
    stream->has_open_loss = false;
    if (job->batch.is_open)
        take_opening(stream, &job->batch);
    else if (job->batch.n_specials)
        note_specials(merger, stream, job);
    count_events(stream, job);
    return n;
}
