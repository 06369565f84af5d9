/*
 * Chunks on their way into a recording: built by several threads, written in the order in which they were submitted, by
 * whichever thread finds the next one ready.
 */
#ifndef RV_SINK_ORDERED_WRITER_H
#define RV_SINK_ORDERED_WRITER_H

#include "recording/writer.h"
#include "sink/segments.h"

/* One chunk. Reused: whoever fills it keeps what memory it has. */
struct rv_encode_job {
    struct rv_rec_chunk chunk; /* type and stream, and RV_REC_OPEN, by the submitter */
    /* EVENTS: times in ns, and room for RV_BATCH_PADDING behind them */
    struct rv_event *events;
    size_t n, capacity;
    uint64_t ordinal;
    /* every other type: the payload; of STRINGS the raw column */
    struct rv_rec_buffer payload;
    /* the encoders' */
    uint64_t ticket;
    struct rv_rec_buffer out;
};

struct rv_ordered_writer;

struct rv_ordered_writer_params {
    struct rv_rec_writer *writer; /* theirs until rv_ordered_writer_stop() */
    struct rv_record_limit limit;
    bool leaves_totals; /* of what was called the file is told at its end */
    unsigned n_threads;
};

struct rv_ordered_writer *rv_ordered_writer_start(const struct rv_ordered_writer_params *params);

/* An empty job; waits for one, which is the back-pressure. Any thread. */
struct rv_encode_job *rv_ordered_writer_acquire(struct rv_ordered_writer *ordered_writer);

/* The job's place in the file is behind all that were submitted before. Any thread. */
void rv_ordered_writer_submit(struct rv_ordered_writer *ordered_writer, struct rv_encode_job *job);

/*
 * What was called, before END is submitted, where the encoders leave that to others; borrowed until rv_ordered_writer_stop().
 * Without it, or where it is too much for an INDEX, END does not name one: who opens the file reads all of it.
 */
void rv_ordered_writer_give_totals(struct rv_ordered_writer *ordered_writer, const struct rv_stats *totals);

/* Write all that was submitted, and end. Returns what was let go. */
struct rv_segments_gone rv_ordered_writer_stop(struct rv_ordered_writer *ordered_writer);

#endif
