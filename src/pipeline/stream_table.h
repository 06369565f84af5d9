/* The streams of a session: running and reusable ones, with event counts of all. */
#ifndef RV_PIPELINE_STREAM_TABLE_H
#define RV_PIPELINE_STREAM_TABLE_H

#include "pipeline/stream.h"

struct rv_stream_table {
    size_t n_jobs; /* jobs that a stream may have at once */
    /* under lock */
    pthread_mutex_t lock;
    struct rv_stream *running;
    struct rv_stream *ended;           /* for reuse */
    struct rv_stream *summed;          /* ended, but pages of them may still be loaded */
    struct rv_stream_account accounts; /* of streams that have ended */
};

void rv_stream_table_init(struct rv_stream_table *stream_table, size_t n_jobs);
void rv_stream_table_fini(struct rv_stream_table *stream_table); /* with its streams */

/* Take a reusable or new stream, not begun. Any thread. */
struct rv_stream *rv_stream_table_take(struct rv_stream_table *stream_table);

/* Add a begun stream. */
void rv_stream_table_list(struct rv_stream_table *stream_table, struct rv_stream *stream);

/* Remove a stream whose last job is joined: only the caller still uses it. */
void rv_stream_table_unlist(struct rv_stream_table *stream_table, struct rv_stream *stream);

/* Return an unlisted stream for reuse. */
void rv_stream_table_put(struct rv_stream_table *stream_table, struct rv_stream *stream);

/* Counts of all streams so far. */
struct rv_stream_account rv_stream_table_account(struct rv_stream_table *stream_table);

#endif
