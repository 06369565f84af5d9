/*
 * --record-limit: the newest events only. The file consists of segments, each readable without the earlier ones
 * (include/ringviz/recording.h). The oldest are freed as holes in the file while newer ones are written, so that the
 * file's size is bounded and the file is a valid recording at any time, even after a kill.
 *
 * A segment is an eighth of the limit. With a limit of bytes, room for the next segment is freed before it begins; with
 * a limit of time, a segment is discarded when all its events are older than that. A segment is larger when its
 * preamble is large. The newest complete segment always stays.
 *
 * With a trigger, a segment is also at most an eighth of the time kept before a hit. When a segment is so old that all
 * hits that could want it are known, it is discarded unless a hit wants it, which leaves holes between segments.
 * Indexes refer to earlier ones by offset only; END of a file with such holes refers to none, and the whole file is
 * read.
 */
#ifndef RV_SINK_RECORD_LIMIT_H
#define RV_SINK_RECORD_LIMIT_H

#include <stdbool.h>

#include "recording/chunk_writer.h"
#include "sink/index_builder.h"
#include "sink/trigger.h"

struct rv_record_limit {        /* zeroed = none */
    uint64_t n_bytes;           /* that the file may take */
    uint64_t ns;                /* time that the events must cover at least */
    struct rv_trigger *trigger; /* NULL: keep everything within the limit */
};

/* Is anything to be discarded? */
static inline bool rv_record_limit_is_set(const struct rv_record_limit *limit)
{
    return limit->n_bytes || limit->ns || limit->trigger;
}

/*
 * Follows a private file as it is written; index NULL: there is none. Who submits chunks waits for its disk a second at
 * most: then, or at another failure, nothing more is written. Called by any thread, one at a time.
 */
struct rv_record_follower {
    void (*index)(void *context, uint64_t offset);  /* an INDEX was written */
    void (*discard)(void *context, uint64_t begin); /* the chunks before this offset were discarded */
    void (*fail)(void *context, int error); /* negative errno, not printed; -ETIMEDOUT: the disk does not answer */
    void *context;
};

struct rv_record_limiter; /* opaque; for the writing thread */

/* For an empty file. The writer is borrowed. */
struct rv_record_limiter *rv_record_limiter_create(struct rv_rec_writer *writer, const struct rv_record_limit *limit);
void rv_record_limiter_destroy(struct rv_record_limiter *limiter);

/* Must this chunk start a segment? */
bool rv_record_limiter_is_due(const struct rv_record_limiter *limiter, const struct rv_rec_chunk *next);

/*
 * Start a segment: discard old ones for room, and repeat streams, names and open frames. The INDEX of the previous
 * segment was written; a new index builder replaces its one. The writer prints and keeps errors.
 */
void rv_record_limiter_begin_segment(struct rv_record_limiter *limiter, struct rv_index_builder **index_builder);

/* Offset of the first segment kept. */
uint64_t rv_record_limiter_first(const struct rv_record_limiter *limiter);

/* A chunk was written. payload: n bytes, for STRINGS the raw column; ignored for EVENTS. */
void rv_record_limiter_note(struct rv_record_limiter *limiter, const struct rv_rec_chunk *chunk, const void *payload,
                            size_t n);

struct rv_record_limiter_gone { /* totals of the discarded segments */
    uint64_t n_events, n_bytes;
    bool is_between; /* some were after kept ones */
};
/* Up to now. */
struct rv_record_limiter_gone rv_record_limiter_gone(const struct rv_record_limiter *limiter);

#endif
