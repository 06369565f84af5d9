/*
 * The streams of a session: those that run, and those that have ended and serve again; with the accounts of all.
 */
#ifndef RV_PIPELINE_STREAM_TABLE_H
#define RV_PIPELINE_STREAM_TABLE_H

#include "pipeline/stream.h"

struct rv_stream_table {
    size_t n_jobs; /* a stream may have so many at once */
    /* under lock */
    pthread_mutex_t lock;
    struct rv_stream *running;
    struct rv_stream *ended;           /* to be begun again */
    struct rv_stream *summed;          /* ended too: pages of them may still come */
    struct rv_stream_account accounts; /* of streams that have ended */
};

void rv_stream_table_init(struct rv_stream_table *stream_table, size_t n_jobs);
void rv_stream_table_fini(struct rv_stream_table *stream_table); /* its streams, too */

/* One that has ended, or a new one; it has not begun. Any thread. */
struct rv_stream *rv_stream_table_take(struct rv_stream_table *stream_table);

/* It has begun. */
void rv_stream_table_list(struct rv_stream_table *stream_table, struct rv_stream *stream);

/* Its last job is merged: nobody but the caller and who counts knows it any more. */
void rv_stream_table_unlist(struct rv_stream_table *stream_table, struct rv_stream *stream);

/* One that is unlisted is over. */
void rv_stream_table_put(struct rv_stream_table *stream_table, struct rv_stream *stream);

/* Of all streams, now. */
struct rv_stream_account rv_stream_table_account(struct rv_stream_table *stream_table);

#endif
