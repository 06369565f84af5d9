#include "pipeline/stream_steps.h"

#include "base/vec.h"

static void add_step(struct rv_track *track, const struct rv_flow_step *step)
{
    *rv_track_add_moment(track) =
        (struct rv_moment){.at_ns = step->at_ns, .kind = RV_MOMENT_STEP, .of = (uint32_t)track->n_steps};
    track->steps = rv_vec_reserve(track->steps, &track->steps_capacity, track->n_steps + 1, sizeof *track->steps);
    track->steps[track->n_steps++] = *step;
}

static void leave_task(struct rv_stream *stream, uint64_t now_ns)
{
    if (stream->has_task)
        *rv_track_add_moment(rv_tracks_at(&stream->tracks, stream->task_stack)) =
            (struct rv_moment){.at_ns = now_ns, .kind = RV_MOMENT_LEFT};
    stream->has_task = false;
}

/* This task is current of the thread, on this track. */
static void go_on(struct rv_stream *stream, struct rv_track *track, struct rv_flow_step step)
{
    stream->has_task = true;
    stream->task = step.id;
    stream->task_stack = track->stack;
    step.until_ns = UINT64_MAX;
    add_step(track, &step);
}

/* The id of a step; false: its upper bits were lost. */
static bool take_id(struct rv_stream *stream, const struct rv_event *event, uint64_t *id)
{
    const bool needs_high = event->aux & RV_STEP_HAS_HIGH, is_whole = !needs_high || stream->has_high;
    *id = (needs_high ? stream->high << RV_STEP_LOW_BITS : 0) | rv_event_step_low(event);
    stream->has_high = false;
    return is_whole;
}

void rv_stream_steps_add(struct rv_stream *stream, struct rv_track *track, const struct rv_event *event,
                         uint64_t now_ns)
{
    struct rv_flow_step step = {
        .at_ns = now_ns, .until_ns = now_ns, .name = event->id, .lane = track->lane->idx, .kind = rv_event_step(event)};
    if (step.kind == RV_STEP_HIGH) {
        stream->high = event->id;
        stream->has_high = true;
        return;
    }
    if (!take_id(stream, event, &step.id))
        return;
    const bool is_current = stream->has_task && step.id == stream->task;
    if (step.kind == RV_STEP_TASK_SWITCH && is_current)
        return;
    if (step.kind >= RV_STEP_TASK_BEGIN && (step.kind != RV_STEP_TASK_END || is_current))
        leave_task(stream, now_ns);
    if (step.kind == RV_STEP_TASK_BEGIN || (step.kind == RV_STEP_TASK_SWITCH && step.id))
        go_on(stream, track, step);
    else if (step.kind != RV_STEP_TASK_SWITCH)
        add_step(track, &step);
}

void rv_stream_steps_follow(struct rv_stream *stream, uint32_t stack, uint64_t now_ns)
{
    if (!stream->has_task || stack == stream->task_stack)
        return;
    struct rv_track *track = rv_tracks_at(&stream->tracks, stack);
    leave_task(stream, now_ns);
    go_on(stream, track,
          (struct rv_flow_step){
              .at_ns = now_ns, .id = stream->task, .lane = track->lane->idx, .kind = RV_STEP_TASK_SWITCH});
}

void rv_stream_steps_forget(struct rv_stream *stream, uint64_t now_ns)
{
    leave_task(stream, now_ns);
    stream->has_high = false;
}
