/* Steps of flows and tasks in a stream's events: which task is its thread's, and the moments at which that changes. */
#ifndef RV_PIPELINE_STREAM_STEPS_H
#define RV_PIPELINE_STREAM_STEPS_H

#include "pipeline/stream.h"

/* A MARK that is a step, of the stack that has this track. */
void rv_stream_steps_add(struct rv_stream *stream, struct rv_track *track, const struct rv_event *event,
                         uint64_t now_ns);

/* The thread goes on with its task on another stack. */
void rv_stream_steps_follow(struct rv_stream *stream, uint32_t stack, uint64_t now_ns);

/* Events are missing, or the stream ends: calls that come belong to no task. */
void rv_stream_steps_forget(struct rv_stream *stream, uint64_t now_ns);

#endif
