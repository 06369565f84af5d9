/* The lane's lock is held in all functions that have a track or a lane, for all the notes of a job. */
#include "pipeline/stream_notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "pipeline/stream_steps.h"

static struct rv_argument_text text_of(const struct rv_event *event, uint32_t subroutine, uint64_t origin_ns)
{
    return (struct rv_argument_text){.at_ns = origin_ns + rv_event_ticks(event) - rv_event_lag(event),
                                     .id = event->id,
                                     .subroutine = subroutine,
                                     .is_result = (event->frame & RV_EVENT_IS_RESULT) != 0};
}

static float value_of(const struct rv_event *event)
{
    uint32_t bits = event->frame | (uint32_t)event->aux << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Add a note of an event for which rv_batch_is_noted() is true. */
static void note_other(struct rv_lane *lane, const struct rv_event *event, uint64_t now_ns)
{
    static const enum rv_note_kind KINDS[RV_EVENT_KIND_COUNT] = {[RV_EVENT_GC_START] = RV_NOTE_GC,
                                                                 [RV_EVENT_MARK] = RV_NOTE_MARK,
                                                                 [RV_EVENT_VALUE] = RV_NOTE_VALUE,
                                                                 [RV_EVENT_LOST] = RV_NOTE_LOST};
    const unsigned kind = rv_event_kind(event);
    const bool is_lasting = kind == RV_EVENT_GC_START || kind == RV_EVENT_LOST; /* until its end, the next event */
    if (kind == RV_EVENT_GC_END)
        rv_lane_end_note(lane, RV_NOTE_GC, now_ns);
    else
        rv_lane_add_note(lane, &(struct rv_lane_note){.kind = KINDS[kind],
                                                      .start_ns = now_ns,
                                                      .end_ns = is_lasting ? UINT64_MAX : now_ns,
                                                      .id = event->id,
                                                      .value = kind == RV_EVENT_VALUE ? value_of(event) : 0.0f});
}

static enum rv_note_kind off_cpu_note(const struct rv_track *track)
{
    return track->is_blocked ? RV_NOTE_BLOCKED : track->is_unknown ? RV_NOTE_UNKNOWN : RV_NOTE_PREEMPTED;
}

static struct rv_state_times off_cpu_times(const struct rv_track *track, uint64_t n_ns)
{
    if (track->is_unknown)
        return (struct rv_state_times){.unknown_ns = n_ns};
    return track->is_blocked ? (struct rv_state_times){.blocked_ns = n_ns}
                             : (struct rv_state_times){.runnable_ns = n_ns};
}

/* A time off the CPU ends now, or objects were made until now: add it to the thread and its innermost call. */
static inline __attribute__((always_inline)) void add_stretch(struct rv_track *track, uint64_t now_ns,
                                                              const struct rv_state_times *times)
{
    rv_lane_add_stretch(track->lane, now_ns, times);
    *rv_track_add_moment(track) = (struct rv_moment){.at_ns = now_ns, .kind = RV_MOMENT_STRETCH, .times = *times};
}

/* End the time off the CPU: the thread runs again, or is in another state. */
static void end_off_cpu(struct rv_track *track, uint64_t now_ns)
{
    if (!track->is_off_cpu)
        return;
    const uint64_t n_ns = now_ns > track->off_cpu_since_ns ? now_ns - track->off_cpu_since_ns : 0;
    const struct rv_state_times times = off_cpu_times(track, n_ns);
    add_stretch(track, now_ns, &times);
    rv_lane_end_note(track->lane, off_cpu_note(track), now_ns);
    track->is_off_cpu = false;
    track->ran_ns = now_ns;
}

/* The moment of the last time off the CPU; NULL: its call was found in an earlier job. */
static struct rv_moment *last_stretch(const struct rv_track *track)
{
    for (size_t i = track->n_moments; i-- > 0 && track->moments[i].at_ns >= track->ran_ns;)
        if (track->moments[i].kind == RV_MOMENT_STRETCH && track->moments[i].times.blocked_ns)
            return &track->moments[i];
    return NULL;
}

static void split_moment(struct rv_track *track, uint64_t n_ns)
{
    struct rv_moment *stretch = last_stretch(track), split = {.at_ns = track->ran_ns, .kind = RV_MOMENT_SPLIT};
    rv_state_times_split(stretch ? &stretch->times : &split.times, n_ns);
    if (!stretch)
        rv_track_add_first_moment(track, split);
}

/*
 * The kernel reports when a thread ran again, not since when it could: since its waker acted. The time from then on
 * counts as runnable, not blocked, in the call in which the thread was blocked. That may have ended before the wait: a
 * system call.
 */
static void split_blocked(struct rv_track *track, uint64_t waker_ns)
{
    const uint64_t woke_ns = waker_ns > track->off_cpu_since_ns ? waker_ns : track->off_cpu_since_ns;
    if (!track->is_blocked || track->is_off_cpu || woke_ns >= track->ran_ns)
        return;
    const uint64_t n_ns = track->ran_ns - woke_ns;
    track->is_blocked = false;
    if (!rv_lane_split_note(track->lane, RV_NOTE_BLOCKED, woke_ns, RV_NOTE_PREEMPTED))
        return;
    rv_lane_split_stretch(track->lane, track->ran_ns, n_ns);
    split_moment(track, n_ns);
}

static void change_state(struct rv_track *track, enum rv_thread_state state, uint32_t cpu, uint64_t now_ns)
{
    end_off_cpu(track, now_ns);
    track->has_switches = true;
    if (state == RV_THREAD_RUNNING)
        return;
    track->is_off_cpu = true;
    track->is_blocked = state == RV_THREAD_BLOCKED;
    track->is_unknown = state == RV_THREAD_UNKNOWN;
    track->off_cpu_since_ns = now_ns;
    rv_lane_add_note(
        track->lane,
        &(struct rv_lane_note){.start_ns = now_ns, .end_ns = UINT64_MAX, .kind = off_cpu_note(track), .id = cpu});
}

/* The time until now in which the state was unknown, which goes on. */
static void pass_unknown(struct rv_track *track, uint64_t now_ns)
{
    if (now_ns <= track->off_cpu_since_ns)
        return;
    add_stretch(track, now_ns, &(struct rv_state_times){.unknown_ns = now_ns - track->off_cpu_since_ns});
    track->off_cpu_since_ns = now_ns;
}

/* A thread whose state is unknown has called: divide that time among its calls. */
static void share_unknown(struct rv_track *track, const struct rv_batch *batch, uint32_t from, uint32_t to,
                          uint64_t origin_ns)
{
    for (uint32_t i = from; track->is_off_cpu && track->is_unknown && i < to; i++)
        if (rv_event_kind(&batch->events[i]) <= RV_EVENT_RETURN)
            pass_unknown(track, origin_ns + rv_event_ticks(&batch->events[i]));
}

static void note_switch(struct rv_track *track, const struct rv_event *event, uint64_t now_ns)
{
    if (event->aux == RV_THREAD_PREEMPTED && now_ns < track->ran_ns) { /* in an index: when its waker acted */
        split_blocked(track, now_ns);
        return;
    }
    change_state(track, (enum rv_thread_state)event->aux, event->frame, now_ns);
    track->lane->n_switches_lost += event->id;
}

/* ---- states that a runtime tells ---- */

/* End the runtime's state that is being counted, unless it is that the thread ran. */
static void end_state(struct rv_track *track, uint64_t now_ns)
{
    const bool is_ready = track->state == RV_THREAD_READY;
    if (!is_ready && track->state != RV_THREAD_SUSPENDED)
        return;
    const uint64_t n_ns = now_ns > track->state_since_ns ? now_ns - track->state_since_ns : 0;
    const struct rv_state_times times =
        is_ready ? (struct rv_state_times){.ready_ns = n_ns} : (struct rv_state_times){.suspended_ns = n_ns};
    add_stretch(track, now_ns, &times);
    track->state = RV_THREAD_STARTED;
}

static void note_state(struct rv_track *track, const struct rv_event *event, uint64_t now_ns)
{
    end_state(track, now_ns);
    track->state = event->aux;
    track->state_since_ns = now_ns;
    rv_lane_add_note(track->lane, &(struct rv_lane_note){
                                      .start_ns = now_ns, .end_ns = now_ns, .kind = RV_NOTE_STATE, .id = event->aux});
}

/* ---- changes of stacks ---- */

/* Another stack of the thread is current from now on. */
static void leave_stack(struct rv_track *track, uint64_t now_ns)
{
    if (track->is_away)
        return;
    track->is_away = true;
    track->away_since_ns = now_ns;
    rv_lane_add_note(track->lane,
                     &(struct rv_lane_note){.start_ns = now_ns, .end_ns = UINT64_MAX, .kind = RV_NOTE_AWAY});
}

static void return_to_stack(struct rv_track *track, uint64_t now_ns)
{
    if (!track->is_away)
        return;
    const uint64_t n_ns = now_ns > track->away_since_ns ? now_ns - track->away_since_ns : 0;
    add_stretch(track, now_ns, &(struct rv_state_times){.away_ns = n_ns});
    rv_lane_end_note(track->lane, RV_NOTE_AWAY, now_ns);
    track->is_away = false;
}

/* ---- waits ---- */

static void add_ended(struct rv_track *track, struct rv_wait *wait)
{
    wait->lane = track->lane->idx;
    if (wait->kind == RV_WAIT_FULL_RING)
        track->lane->full_ring_ns += rv_wait_duration_ns(wait);
    if (rv_wake_has_moment(wait->wake) && wait->woke_ns)
        split_blocked(track, wait->woke_ns);
    *rv_track_add_moment(track) =
        (struct rv_moment){.at_ns = wait->end_ns, .kind = RV_MOMENT_WOKEN, .of = (uint32_t)track->n_waits};
    track->waits = rv_vec_reserve(track->waits, &track->waits_capacity, track->n_waits + 1, sizeof *track->waits);
    track->waits[track->n_waits++] = *wait;
}

static void add_release(struct rv_track *track, enum rv_moment_kind kind, uint32_t object, uint64_t at_ns)
{
    *rv_track_add_moment(track) = (struct rv_moment){.at_ns = at_ns, .kind = kind, .of = object};
}

/* False: the event is of no wait, or has another meaning besides. */
static bool add_wait(struct rv_track *track, const struct rv_event *event, uint64_t now_ns)
{
    struct rv_wait ended;
    switch (rv_open_waits_add(&track->follower, event, now_ns, &ended)) {
    case RV_WAIT_STEP_NONE:
        return false;
    case RV_WAIT_STEP_LOST:
        add_release(track, RV_MOMENT_RELEASE, RV_RELEASE_OF_ANY, now_ns);
        return false;
    case RV_WAIT_STEP_ON:
        return true;
    case RV_WAIT_STEP_ENDED:
        add_ended(track, &ended);
        return true;
    case RV_WAIT_STEP_RELEASED:
        add_release(track, RV_MOMENT_RELEASE, event->id, now_ns);
        return true;
    case RV_WAIT_STEP_TAKEN:
        add_release(track, RV_MOMENT_TAKEN, event->id, now_ns);
        return true;
    }
    return false;
}

static void lock(const struct rv_track *track)
{
    pthread_rwlock_wrlock(&track->lane->lock);
}

static void unlock(const struct rv_track *track)
{
    pthread_rwlock_unlock(&track->lane->lock);
}

static void add_event(struct rv_track *track, const struct rv_event *event, uint64_t origin_ns)
{
    uint64_t now_ns = origin_ns + rv_event_ticks(event);
    if (rv_event_kind(event) == RV_EVENT_LOST)
        track->state = RV_THREAD_STARTED;
    if (rv_batch_is_switch(event))
        note_switch(track, event, now_ns);
    else if (rv_event_kind(event) == RV_EVENT_THREAD && event->aux == RV_THREAD_MADE)
        add_stretch(track, now_ns, &(struct rv_state_times){.n_objects = event->id});
    else if (rv_event_kind(event) == RV_EVENT_THREAD)
        note_state(track, event, now_ns);
    else if (!add_wait(track, event, now_ns) && rv_batch_is_noted(event))
        note_other(track->lane, event, now_ns);
}

void rv_stream_notes_add(struct rv_track *track, const struct rv_event *event, uint64_t origin_ns)
{
    lock(track);
    if (rv_event_kind(event) == RV_EVENT_SWITCH)
        (event->id == track->stack ? return_to_stack : leave_stack)(track, origin_ns + rv_event_ticks(event));
    else
        add_event(track, event, origin_ns);
    unlock(track);
}

/* A loss lasts until the next event. No lane's lock is held. */
static void end_losses(struct rv_stream *stream, uint64_t at_ns)
{
    for (size_t i = 0; i < stream->tracks.n; i++) {
        lock(&stream->tracks.all[i]);
        rv_lane_end_note(stream->tracks.all[i].lane, RV_NOTE_LOST, at_ns);
        unlock(&stream->tracks.all[i]);
    }
}

/* Events are missing, switches and ends of waits among them: of what is before at_ns until the last one there was. No
 * lane's lock is held. */
static void forget_states(struct rv_stream *stream, uint64_t at_ns)
{
    rv_stream_steps_forget(stream, at_ns);
    for (size_t i = 0; i < stream->tracks.n; i++) {
        struct rv_track *track = &stream->tracks.all[i];
        lock(track);
        if (track->has_switches)
            change_state(track, RV_THREAD_UNKNOWN, 0, stream->noted_ns);
        return_to_stack(track, stream->noted_ns);
        unlock(track);
        rv_open_waits_forget(&track->follower);
        add_release(track, RV_MOMENT_RELEASE, RV_RELEASE_OF_ANY, at_ns);
        track->state = RV_THREAD_STARTED;
    }
}

/* The subroutine of the last call or return in the batch before the event `before`; if there is none, `former`. */
static uint32_t last_call(const struct rv_batch *batch, uint32_t before, uint32_t former)
{
    while (before-- > 0)
        if (rv_event_kind(&batch->events[before]) <= RV_EVENT_RETURN)
            return batch->events[before].id;
    return former;
}

static bool tells_line(const struct rv_event *event)
{
    return rv_event_kind(event) == RV_EVENT_LINE && rv_event_line(event) != RV_LINE_OF_CALL;
}

/* The thread continues on another stack. Returns that stack's track, whose lane is locked now; the former one no more. */
static struct rv_track *follow_stack(struct rv_stream *stream, struct rv_track *track, const struct rv_event *event,
                                     uint64_t origin_ns)
{
    const size_t from = (size_t)(track - stream->tracks.all);
    const uint64_t now_ns = origin_ns + rv_event_ticks(event);
    unlock(track);
    rv_stream_steps_follow(stream, event->id, now_ns);
    struct rv_track *next = rv_tracks_at(&stream->tracks, event->id);
    track = &stream->tracks.all[from];
    if (next != track) {
        lock(track);
        leave_stack(track, now_ns);
        unlock(track);
    }
    lock(next);
    return_to_stack(next, now_ns);
    return next;
}

static void add_text(const struct rv_stream *stream, const struct rv_job *job, const struct rv_track *track,
                     uint32_t at, uint64_t origin_ns)
{
    const uint32_t of = last_call(&job->batch, at, stream->last_call);
    const struct rv_argument_text text = text_of(&job->batch.events[at], of, origin_ns);
    rv_argument_texts_add(&track->lane->texts, &text);
}

/* Events are missing before the event at `at`. */
static void forget_steps(struct rv_stream *stream, const struct rv_job *job, const struct rv_track *track, uint32_t at,
                         uint64_t origin_ns)
{
    const struct rv_event *event = &job->batch.events[at];
    rv_stream_steps_forget(stream, origin_ns + rv_event_ticks(event));
    stream->has_open_loss = at + 1 == job->batch.n;
    if (stream->has_open_loss)
        return;
    unlock(track);
    end_losses(stream, origin_ns + rv_event_ticks(event + 1));
    lock(track);
}

static uint32_t add_all(struct rv_stream *stream, const struct rv_job *job, uint64_t origin_ns)
{
    struct rv_track *track = rv_tracks_at(&stream->tracks, job->entry_stack);
    uint32_t last_line = 0, n_switches = 0, n_seen = 0;
    lock(track);
    for (uint32_t i = 0; i < job->batch.n_specials; i++) {
        const uint32_t at = job->batch.specials[i];
        const struct rv_event *event = &job->batch.events[at];
        share_unknown(track, &job->batch, n_seen, at, origin_ns);
        n_seen = at + 1;
        n_switches += rv_batch_is_switch(event);
        if (rv_event_kind(event) == RV_EVENT_SWITCH)
            track = follow_stack(stream, track, event, origin_ns);
        else if (rv_event_kind(event) == RV_EVENT_ARGUMENTS)
            add_text(stream, job, track, at, origin_ns);
        else if (rv_event_kind(event) == RV_EVENT_MARK && rv_event_step(event) != RV_STEP_NONE)
            rv_stream_steps_add(stream, track, event, origin_ns + rv_event_ticks(event));
        else
            add_event(track, event, origin_ns);
        last_line = tells_line(event) ? rv_event_line(event) : last_line;
        if (rv_event_kind(event) == RV_EVENT_LOST)
            forget_steps(stream, job, track, at, origin_ns);
    }
    share_unknown(track, &job->batch, n_seen, job->batch.n, origin_ns);
    if (last_line)
        track->lane->last_line = last_line;
    unlock(track);
    return n_switches;
}

static void take_wait(struct rv_track *track, const struct rv_event *event, uint64_t origin_ns)
{
    lock(track);
    (void)add_wait(track, event, origin_ns + rv_event_ticks(event));
    unlock(track);
}

/* Take the open waits from a preamble. */
static void take_waits(struct rv_stream *stream, const struct rv_job *job, uint64_t origin_ns)
{
    struct rv_track *track = rv_tracks_at(&stream->tracks, job->entry_stack);
    for (uint32_t i = 0; i < job->batch.n_specials; i++) {
        const struct rv_event *event = &job->batch.events[job->batch.specials[i]];
        if (rv_event_kind(event) == RV_EVENT_SWITCH)
            track = rv_tracks_at(&stream->tracks, event->id);
        else
            take_wait(track, event, origin_ns);
    }
}

uint32_t rv_stream_notes_add_job(struct rv_stream *stream, const struct rv_job *job, uint64_t origin_ns)
{
    if (job->batch.n && stream->has_open_loss)
        end_losses(stream, origin_ns + rv_event_ticks(&job->batch.events[0]));
    stream->has_open_loss = false;
    if (job->batch.is_retold)
        forget_states(stream, origin_ns + job->batch.base_ns);
    if (job->batch.is_open) {
        take_waits(stream, job, origin_ns);
        return 0;
    }
    const bool has_notes = job->batch.n_specials || rv_tracks_at(&stream->tracks, job->entry_stack)->is_off_cpu;
    const uint32_t n_switches = has_notes ? add_all(stream, job, origin_ns) : 0;
    if (job->batch.n)
        stream->noted_ns = origin_ns + rv_event_ticks(&job->batch.events[job->batch.n - 1]);
    stream->last_call = last_call(&job->batch, job->batch.n, stream->last_call);
    return n_switches;
}

/* The texts of one stack, merged at once: a page's lie among many others. */
struct found_texts {
    struct rv_argument_text *all;
    size_t n, capacity;
};

static void merge_texts(struct rv_tracks *tracks, uint32_t stack, struct found_texts *found)
{
    if (found->n)
        rv_argument_texts_merge(&rv_tracks_at(tracks, stack)->lane->texts, found->all, found->n);
    found->n = 0;
}

void rv_stream_notes_add_page_job(struct rv_tracks *tracks, const struct rv_job *job, uint64_t origin_ns)
{
    struct found_texts found = {0};
    uint32_t stack = job->entry_stack;
    for (uint32_t i = 0; i < job->batch.n_specials; i++) {
        const uint32_t at = job->batch.specials[i];
        const struct rv_event *event = &job->batch.events[at];
        if (rv_event_kind(event) == RV_EVENT_SWITCH) {
            merge_texts(tracks, stack, &found);
            stack = event->id;
        }
        if (rv_event_kind(event) != RV_EVENT_ARGUMENTS)
            continue;
        found.all = rv_vec_reserve(found.all, &found.capacity, found.n + 1, sizeof *found.all);
        found.all[found.n++] = text_of(event, last_call(&job->batch, at, 0), origin_ns);
    }
    merge_texts(tracks, stack, &found);
    free(found.all);
}

static void end_pauses_and_losses(struct rv_lane *lane, uint64_t end_ns)
{
    for (enum rv_note_kind kind = 0; kind < RV_NOTE_KIND_COUNT; kind++)
        if (rv_note_facts[kind].form == RV_NOTE_FORM_PAUSE || rv_note_facts[kind].form == RV_NOTE_FORM_LOSS)
            rv_lane_end_note(lane, kind, end_ns);
}

void rv_stream_notes_end(struct rv_stream *stream, uint64_t end_ns)
{
    rv_stream_steps_forget(stream, end_ns);
    for (size_t i = 0; i < stream->tracks.n; i++) {
        struct rv_track *track = &stream->tracks.all[i];
        struct rv_wait ended;
        lock(track);
        end_pauses_and_losses(track->lane, end_ns);
        end_off_cpu(track, end_ns);
        end_state(track, end_ns);
        return_to_stack(track, end_ns);
        while (rv_open_waits_end(&track->follower, end_ns, &ended))
            add_ended(track, &ended);
        unlock(track);
    }
}
