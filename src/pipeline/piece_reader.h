/*
 * Reads all calls of a lane in a recording that is shown by its index, in pieces: by the workers that scan its blocks, so
 * that none is stored, and those of different blocks at a time.
 */
#ifndef RV_PIPELINE_PIECE_READER_H
#define RV_PIPELINE_PIECE_READER_H

#include "pipeline/session.h"

struct rv_piece_reader_params { /* as of struct rv_span_reader_params */
    const struct rv_lane *lane;
    uint64_t from_ns, to_ns;
    bool (*wants)(const void *context, uint64_t from_ns, uint64_t to_ns);
    const void *context;
    void (*take)(void *taker, const struct rv_span_piece *piece);
    /* Told how much was read, from 0 to 1, by the caller's thread. May be NULL. */
    void (*tell)(void *taker, double done);
    void *taker;
};

/*
 * Give the pieces; waits until all were taken. False: calls are not in blocks only, or a piece does not tell what ran before it: a
 * block is damaged, a call began in an earlier one that does not know it. What was taken then is not all.
 */
bool rv_piece_reader_read(struct rv_session *session, const struct rv_piece_reader_params *params);

#endif
