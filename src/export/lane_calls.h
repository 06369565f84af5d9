/* Where calls of a lane are read from, the latest end first: callers before their callees. */
#ifndef RV_EXPORT_LANE_CALLS_H
#define RV_EXPORT_LANE_CALLS_H

#include "model/lanes.h"
#include "scan/event_piece.h"
#include "scan/span.h"

struct rv_lane_calls_wanted {
    const struct rv_lane *lane;
    uint64_t from_ns, to_ns; /* those that overlap this; others may come, too */
    /* Are calls needed that overlap [from, to]? Others may be left out. NULL = all are needed */
    bool (*is_needed)(const void *needed_by, uint64_t from_ns, uint64_t to_ns);
    const void *needed_by;
    void (*take)(void *context, const struct rv_span *spans, size_t n); /* borrowed for the call */
    void *context;
};

struct rv_lane_pieces_wanted { /* as struct rv_lane_calls_wanted */
    const struct rv_lane *lane;
    uint64_t from_ns, to_ns;
    /* Is the time from from_ns to to_ns needed, with which some from least_ns on may come? NULL = all is needed */
    bool (*is_needed)(const void *needed_by, uint64_t least_ns, uint64_t from_ns, uint64_t to_ns);
    const void *needed_by;
    /* Any thread, several at once. */
    void (*take)(void *context, const struct rv_span_piece *piece);
    /* Take a piece by its events; false: it is to be given with its calls. NULL: each is. */
    bool (*take_events)(void *context, const struct rv_event_piece *piece);
    /* Told how much was read, from 0 to 1, by the caller's thread. May be NULL. */
    void (*tell)(void *context, double done);
    void *context;
};

struct rv_fold_summary;

struct rv_lane_folds_wanted {
    uint64_t from_ns, to_ns; /* those that overlap this */
    /* Those of a lane come in order of time; borrowed for the call. */
    void (*take)(void *context, const struct rv_lane *lane, const struct rv_fold_summary *fold);
    void *context;
};

struct rv_lane_calls {
    /* 0, or a negative errno with one line printed. */
    int (*read)(void *context, const struct rv_lane_calls_wanted *wanted);
    /* The same by pieces of the lane's time, which do not overlap, in any order. False: they cannot be had, and what
     * was taken does not count. NULL: never. */
    bool (*read_pieces)(void *context, const struct rv_lane_pieces_wanted *wanted);
    /* Sums of pieces of all lanes, as far as there are any: what is cut only where these are need not be read. NULL:
     * none. */
    void (*read_folds)(void *context, const struct rv_lane_folds_wanted *wanted);
    void *context;
};

#endif
