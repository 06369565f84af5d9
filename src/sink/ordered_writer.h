/*
 * Writes chunks of a recording in the order of submission, while several threads encode them. Whichever thread finds
 * the next chunk encoded writes it.
 */
#ifndef RV_SINK_ORDERED_WRITER_H
#define RV_SINK_ORDERED_WRITER_H

#include "recording/chunk_writer.h"
#include "sink/record_limit.h"

/* One chunk. Reused with its memory. */
struct rv_encode_job {
    struct rv_rec_chunk chunk; /* type and stream, and RV_REC_OPEN, set by the submitter */
    /* EVENTS: times in ns, and room for RV_BATCH_PADDING behind them */
    struct rv_event *events;
    size_t n, capacity;
    uint64_t ordinal;
    /* other types: the payload; for STRINGS the raw column */
    struct rv_rec_buffer payload;
    /* used by the encoders */
    uint64_t ticket;
    struct rv_rec_buffer out;
};

struct rv_ordered_writer;

struct rv_ordered_writer_params {
    struct rv_rec_writer *writer; /* borrowed until rv_ordered_writer_stop() */
    struct rv_record_limit limit;
    bool leaves_totals; /* totals are given at the end */
    struct rv_record_follower follower;
    unsigned n_threads;
};

/* Start its threads. The params' pointers are borrowed until stop. */
struct rv_ordered_writer *rv_ordered_writer_start(const struct rv_ordered_writer_params *params);

/* An empty job; waits for one: the back-pressure. NULL: there is a follower, and writing has failed. Any thread. */
struct rv_encode_job *rv_ordered_writer_acquire(struct rv_ordered_writer *ordered_writer);

/* Submit the job: it is written after all earlier ones. Any thread. */
void rv_ordered_writer_submit(struct rv_ordered_writer *ordered_writer, struct rv_encode_job *job);

/*
 * Give the totals before END is submitted, if params.leaves_totals; borrowed until rv_ordered_writer_stop(). Without
 * them, or if they are too large for an INDEX, END refers to no INDEX, and readers read the whole file.
 */
void rv_ordered_writer_give_totals(struct rv_ordered_writer *ordered_writer, const struct rv_stats *totals);

/* Write an INDEX after the chunks submitted so far, for the follower. Any thread. */
void rv_ordered_writer_submit_index(struct rv_ordered_writer *ordered_writer);

/*
 * Write all submitted chunks and end.
 *   gone     the discarded segments
 *   returns  false: a follower's file does not answer, and is still being written to. Then nothing was freed, and what
 *            was borrowed must stay
 */
bool rv_ordered_writer_stop(struct rv_ordered_writer *ordered_writer, struct rv_record_limiter_gone *gone);

#endif
