/*
 * --record-limit: the newest events only. The file becomes segments, each of which can be read without those before
 * (include/ringviz/recording.h); the oldest are given back to the file system as holes while newer ones are written, so
 * that what the file takes is bounded and whatever is killed at whatever moment is a recording.
 *
 * A segment is an eighth of the limit: of bytes, then there is room for the next one before that begins; or of time,
 * then one is let go when all of its events are older than the limit. It is more where it would be little beside what
 * it tells again. The newest whole one always stays.
 *
 * With a trigger, segments are an eighth of what it keeps before a hit, too. One that has become so old that all hits
 * which could want it are known goes if none does, and else stays: holes lie between segments then. Indexes say of
 * those before no more than their offsets: a file with such holes names no last one, and is read wholly.
 */
#ifndef RV_SINK_SEGMENTS_H
#define RV_SINK_SEGMENTS_H

#include <stdbool.h>

#include "recording/writer.h"
#include "sink/index_builder.h"
#include "sink/trigger.h"

struct rv_record_limit {        /* zero = none */
    uint64_t n_bytes;           /* that the file may take */
    uint64_t ns;                /* of events that it has at the least */
    struct rv_trigger *trigger; /* NULL: all that this leaves */
};

static inline bool rv_record_limit_is_set(const struct rv_record_limit *limit)
{
    return limit->n_bytes || limit->ns || limit->trigger;
}

struct rv_segments; /* opaque; the writing thread's */

/* Of an empty file. The writer is borrowed. */
struct rv_segments *rv_segments_create(struct rv_rec_writer *writer, const struct rv_record_limit *limit);
void rv_segments_destroy(struct rv_segments *segments);

/* Is this chunk to be the first of a segment? */
bool rv_segments_is_due(const struct rv_segments *segments, const struct rv_rec_chunk *next);

/*
 * Begin one: let go what there is no room for, and tell again what the segments before told. The INDEX of those before
 * has been put; another index builder takes the place of theirs. What fails is said by the writer, and kept.
 */
void rv_segments_begin(struct rv_segments *segments, struct rv_index_builder **index_builder);

/* This was written in the last one. payload: n bytes, of STRINGS the raw column; of EVENTS it is not looked at. */
void rv_segments_note(struct rv_segments *segments, const struct rv_rec_chunk *chunk, const void *payload, size_t n);

struct rv_segments_gone { /* what was let go */
    uint64_t n_events, n_bytes;
    bool is_between; /* some of it behind what was kept */
};
struct rv_segments_gone rv_segments_gone(const struct rv_segments *segments);

#endif
