/*
 * Events that are neither call nor return: they become notes of their lane. The kernel's switches tell when a thread
 * was off the CPU, too.
 */
#ifndef RV_PIPELINE_STREAM_NOTES_H
#define RV_PIPELINE_STREAM_NOTES_H

#include "pipeline/batch_pool.h"
#include "pipeline/stream.h"

/* Add one event to the track's lane if it is a note. Event times + origin_ns are times of the trace. */
void rv_stream_notes_add(struct rv_track *track, const struct rv_event *event, uint64_t origin_ns);

/*
 * Add those of a job, before its calls.
 *   returns  number of switches, which are no events of the program
 */
uint32_t rv_stream_notes_add_job(struct rv_stream *stream, const struct rv_job *job, uint64_t origin_ns);

/* Of a job of a page: only the texts of its calls are new. */
void rv_stream_notes_add_page_job(struct rv_tracks *tracks, const struct rv_job *job, uint64_t origin_ns);

/* The stream ends: so does what lasts. */
void rv_stream_notes_end(struct rv_stream *stream, uint64_t end_ns);

#endif
