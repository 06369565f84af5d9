/*
 * Reads all calls of a lane in a recording that is shown by its index, in pieces: each of several threads reads,
 * decodes and scans blocks of its own, so that nothing is handed over but the pieces, and none is stored.
 */
#ifndef RV_PIPELINE_PIECE_READER_H
#define RV_PIPELINE_PIECE_READER_H

#include "model/lanes.h"
#include "scan/event_piece.h"
#include "scan/span.h"

struct rv_page_loader;
struct rv_source;

struct rv_piece_reader { /* of a session */
    struct rv_page_loader *page_loader;
    struct rv_source *source;
    unsigned n_threads;
    uint32_t max_depth; /* 0: no limit */
};

struct rv_piece_reader_params {
    const struct rv_lane *lane;
    uint64_t from_ns, to_ns; /* calls that overlap this; others may come, too */
    /* Is a block wanted that has the time from from_ns to to_ns, and maybe some from least_ns on? NULL = all are. */
    bool (*wants)(const void *context, uint64_t least_ns, uint64_t from_ns, uint64_t to_ns);
    const void *context;
    /* Pieces of the lane's time that follow each other without gaps in a block. Any thread, several at once. */
    void (*take)(void *taker, const struct rv_span_piece *piece);
    /* The same of a block, whose calls are then not made. False: it is not taken. May be NULL: none is. */
    bool (*take_events)(void *taker, const struct rv_event_piece *piece);
    /* Told how much was read, from 0 to 1, by the caller's thread. May be NULL. */
    void (*tell)(void *taker, double done);
    void *taker;
};

/*
 * Give the pieces; waits until all were taken. False: calls are not in blocks only, or a piece does not tell what ran
 * before it: a block is damaged, a call began in an earlier one that does not know it. What was taken then is not all.
 */
bool rv_piece_reader_read(const struct rv_piece_reader *reader, const struct rv_piece_reader_params *params);

#endif
